"""One key is one key on every engine, in every tier and process."""

from __future__ import annotations

import pickle
import struct

import pyarrow as pa
import pytest

import anabranch as ab
from anabranch.errors import AnabranchError
from anabranch.ir.keys import NAN, canonical
from anabranch.kernels.codec import decode, encode
from engines.key_cases import KEYS, PROGRAMS, Count, Item, Out, Reals, items_of, nan, tallied
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
