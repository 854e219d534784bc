"""One key is one key on every engine, in every tier and process."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import anabranch as ab
from anabranch.batch.value_codec import decode, encode
from anabranch.core.errors import AnabranchError
from anabranch.ir.keys import NAN, canonical, key_hash
from engines.key_cases import EAST, KEYS, PROGRAMS, Count, Item, Out, Reals, items_of, nan, tallied
from engines.test_inputs import WAYS, collected

OTHERS = [way for way in WAYS if way != "sequential"]


def shown(stream: ab.Stream, way: str) -> str:
    """The items with the exact types of their values."""
    return repr(collected(stream, way))


@pytest.mark.parametrize("way", OTHERS)
@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_keys(program, kind, way):
    stream = PROGRAMS[program](ab.from_iterable(items_of(kind), Item))
    assert shown(stream, way) == shown(stream, "sequential")


def test_what_one_key_is():
    for kind, keys in [("nan", 3), ("nan in tuples", 2), ("zeros", 1), ("texts", 8), ("times", 4),
                       ("tuples", 3), ("sets", 3), ("enums", 3), ("objects", 3)]:
        told = PROGRAMS["counted"](ab.from_iterable(items_of(kind), Item)).collect()
        assert sum(out.seen < 0 for out in told) == keys, kind


REALS = [nan(), 1.5, -0.0, struct.unpack("d", b"\1\0\0\0\0\0\xf8\xff")[0], 0.0, 1.5, -nan(),
         float("inf"), 0.0, -0.0, 2.5] * 400


def reals() -> ab.Stream:
    halves = [-0.0, 0.0] * (len(REALS) // 2)
    table = pa.table({"n": range(len(REALS)), "key": REALS, "half": halves})
    return ab.from_arrow(table, Reals)


TYPED = {
    "state": lambda s: s.apply(tallied),
    "state, later NaN": lambda s: s.filter(lambda r: r.n > 1000 or r.key == r.key).apply(tallied),
    "windows": lambda s: s.aggregate(ab.tumbling(count=7), by="key", total=ab.sum("n")),
    "windows by time": lambda s: s.aggregate(ab.tumbling(time=97, on="n"), by=("key", "half"),
                                             total=ab.sum("n"), most=ab.max("n")),
    "deduplicated": lambda s: s.deduplicate(("key", "half")),
    "joined": lambda s: s.filter(lambda r: r.n % 2 == 1).join(
        s.filter(lambda r: r.n % 2 == 0), by="key", keep=ab.recent(count=1),
        into=lambda a, b: a.n * 10_000 + b.n),
}


@pytest.mark.parametrize("way", OTHERS)
@pytest.mark.parametrize("program", TYPED)
def test_keys_in_columns(program, way):
    """Of a declared type, so that kernels are tried first."""
    assert shown(TYPED[program](reals()), way) == shown(TYPED[program](reals()), "sequential")


@pytest.mark.parametrize("way", WAYS)
def test_all_nan_are_one_key(way):
    items = [Reals(1, nan()), Reals(2, 0.5), Reals(4, nan()), Reals(8, -nan())]
    assert collected(ab.from_iterable(items, Reals).apply(tallied), way) == [1, 2, 5, 13]


class Box:
    """Equal only to itself."""


class Hashed:
    """It has a hash of its own, but nothing is equal to it."""

    def __hash__(self):
        return 1


@ab.operator(by="key")
def counted(state: Count, item: Item):
    state.seen += 1
    yield Out(None, state.seen)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", [Box, Hashed, lambda: (1, Box()), lambda: nan,
                                 lambda: frozenset([Box()])],
                         ids=["object", "with a hash", "in a tuple", "function", "in a set"])
def test_what_is_equal_only_to_itself_is_refused(key, way):
    stream = ab.from_iterable([Item(1, 1), Item(2, key()), Item(3, 1)], Item).apply(counted)
    with pytest.raises(AnabranchError) as error:
        collected(stream, way)
    name = {nan: "function", Hashed: "Hashed"}.get(key if key is Hashed else key(), "Box")
    line = str(error.value).splitlines()
    assert line[0] == f"error: a {name} cannot be a key: it is equal only to itself"
    assert "stream = ab.from_iterable" in line[3]
    assert line[-2:] == [
        "  = expected: a key of which a copy is the same key: numbers, text, bytes, times, records",
        f"  = help: give {name} the methods __eq__ and __hash__, or take an attribute of it"]


def test_nan_as_a_key_travels_and_is_saved():
    for there in (lambda v: pickle.loads(pickle.dumps(v)), lambda v: decode(encode(v))):
        states = there({canonical((nan(), 1)): "state"})
        assert states[canonical((nan(), 1))] == "state" and there(NAN) == NAN == canonical(NAN)


def different(count: int = 40) -> dict[str, list]:
    """Keys of one kind, no two of them equal."""
    start = datetime(2024, 2, 28, 22, tzinfo=UTC)
    return {
        "int": list(range(-count, count)), "float": [n / 4 for n in range(count)],
        "fraction": [Fraction(n, 7) for n in range(count)],
        "decimal": [Decimal(n).scaleb(-2) for n in range(count)],
        "complex": [complex(n, 1) for n in range(count)],
        "text": [f"k{n}" for n in range(count)], "bytes": [b"%d" % n for n in range(count)],
        "date": [date(2024, 1, 1) + timedelta(n) for n in range(count)],
        "datetime": [datetime(2024, 1, 1) + timedelta(n) for n in range(count)],
        "instant": [start + timedelta(n) for n in range(count)],
        "instant of a day": [start + timedelta(minutes=n) for n in range(count)],
        "time": [time(n % 24, n) for n in range(count)],
        "time in a zone": [time(n % 24, n, tzinfo=UTC) for n in range(count)],
        "length of time": [timedelta(minutes=n) for n in range(count)],
        "tuple": [(n, "x") for n in range(count)], "tuple turned": [("x", n) for n in range(count)],
        "set": [frozenset((n, n + 1)) for n in range(count)]}


@pytest.mark.parametrize("kind", different())
def test_different_keys_are_spread(kind):
    keys = different()[kind]
    assert len(set(map(key_hash, keys))) > 0.9 * len(keys)


EQUAL = [
    (1, 1.0, True, Fraction(1), Decimal(1), np.int64(1), np.float64(1), np.bool_(True), 1 + 0j),
    (0.0, -0.0, 0, False), (Fraction(1, 2), 0.5, Decimal("0.5")), (2**64, float(2**64)),
    (datetime(2024, 3, 1, tzinfo=UTC), datetime(2024, 3, 1, 2, tzinfo=EAST),
     datetime(2024, 2, 29, 22, tzinfo=timezone(timedelta(hours=-2)))),
    (time(3, tzinfo=UTC), time(5, tzinfo=EAST)), ((1, "a"), (True, "a"), (1.0, "a")),
    (frozenset((1, 2)), frozenset((2.0, 1))), (timedelta(1), timedelta(hours=24)),
    (nan(), -nan(), None)]


@pytest.mark.parametrize("keys", EQUAL, ids=str)
def test_equal_keys_meet(keys):
    assert len(set(map(key_hash, keys))) == 1


def test_keys_meet_in_all_processes():
    command = ("from engines.test_keys import different; from anabranch.ir.keys import key_hash; "
               "print([list(map(key_hash, d)) for d in different().values()])")
    told = {subprocess.run([sys.executable, "-c", command], capture_output=True, text=True,
                           check=True, env={**os.environ, "PYTHONHASHSEED": seed,
                                            "PYTHONPATH": os.pathsep.join(sys.path)}).stdout
            for seed in ("1", "2")}
    assert len(told) == 1


def test_keys_of_no_certain_hash_are_not_routed():
    with pytest.raises(AnabranchError, match="items cannot be routed by a tuple"):
        key_hash((1, object()))
