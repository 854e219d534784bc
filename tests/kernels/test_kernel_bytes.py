"""Bytes in kernels: as keys, and handed on. What computes with them is left to plain Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.ir.types import BYTES as BYTES_TYPE
from anabranch.ir.types import OptionalOf
from anabranch.kernels.native.state import eviction
from kernels.tiers import Program


class Part(ab.Record):
    n: int
    raw: bytes | None


class Item(ab.Record):
    n: int
    s: str
    raw: bytes
    some: bytes | None
    part: Part


class Count(ab.State):
    n: int = 0


class Counted(ab.Record):
    n: int
    raw: bytes
    some: bytes | None


BYTES = st.binary(max_size=2) | st.sampled_from([b"", b"a", b"\x00", b"\xff", b"\xc3\xbf"])
ITEMS = st.lists(st.builds(
    Item, st.integers(0, 9), st.sampled_from(["", "a", "\xff"]), BYTES, st.none() | BYTES,
    st.builds(Part, st.integers(0, 1), st.none() | BYTES)), max_size=40)


def items():
    return ab.from_iterable([], Item)


def keyed(by):
    @ab.operator(by=by)
    def counted(state: Count, i: Item):
        state.n += i.n
        yield Counted(state.n, i.raw, i.some)
    return items().apply(counted)


def swapped(i: Item) -> Counted:
    raw = i.raw
    if i.n > 4 and i.some is not None:
        raw = i.some
    return Counted(i.n, raw, i.raw if i.n % 2 else i.some)


def handed_on(i: Item) -> Counted:
    raw = i.raw
    return Counted(i.n, raw, i.some if i.n else None)


PROGRAMS = {
    **{f"by {by}": keyed(by) for by in (
        "raw", "some", "part", ("n", "raw"), ("s", "raw", "some"), ("part", "some"))},
    "windows": items().aggregate(ab.tumbling(count=3), by="some", n=ab.sum("n")),
    "windows of parts": items().aggregate(ab.sliding(count=3, step=2), by=("part", "raw"),
                                          n=ab.max("n")),
    "distinct windows behind": items().aggregate(
        ab.tumbling(count=2), by="raw", n=ab.sum("n")).aggregate(
            ab.tumbling(count=2), by="raw", m=ab.max("n")),
    "in a variable": items().map(handed_on),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_keys_and_what_is_handed_on_are_native_and_exact(name):
    tested = Program(PROGRAMS[name])
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=25, deadline=None)
    @given(ITEMS)
    def agrees(given):
        tested.check(given)
    agrees()


def test_bytes_that_are_only_handed_on_are_not_looked_at():
    """They may be large."""
    stage = Program(items().map(handed_on)).kernel.stage
    assert [stage.sources[n].type for n in stage.inputs if stage.sources[n].kind == "bytes"] == [
        OptionalOf(BYTES_TYPE)]


def test_bytes_are_forgotten_with_the_texts_that_stand_for_them(monkeypatch):
    monkeypatch.setattr(eviction, "MOST_TEXTS", 8)
    tested = Program(keyed(("s", "raw", "some")))
    given = [Item(n, "", bytes([n % 5, n % 3]), None if n % 2 else bytes([n % 7]), Part(0, None))
             for n in range(300)]
    assert tested.sliced(given, 16) == tested.sequential(given)
    assert tested.paged(given, 16) == tested.sequential(given)


class Last(ab.State):
    raw: bytes = b""


@ab.operator
def last(state: Last, i: Item):
    yield Counted(i.n, state.raw, None)
    state.raw = i.raw


COMPUTING = {
    "chosen": lambda: items().map(swapped),
    "length": lambda: items().map(lambda i: len(i.raw)),
    "equal": lambda: items().filter(lambda i: i.raw == b"a"),
    "equal to a text": lambda: items().filter(lambda i: i.raw == i.s),
    "order": lambda: items().filter(lambda i: i.raw < b"b"),
    "truth": lambda: items().filter(lambda i: not i.raw),
    "joined": lambda: items().map(lambda i: i.raw + b"x"),
    "shown": lambda: items().map(lambda i: f"{i.raw}"),
    "text": lambda: items().map(lambda i: str(i.raw)),
    "member": lambda: items().filter(lambda i: i.raw in (b"a", b"")),
    "first": lambda: items().map(lambda i: i.raw[0] if i.raw else 0),
    "state": lambda: items().apply(last),
    "collected": lambda: items().aggregate(ab.tumbling(count=3), raws=ab.collect("raw")),
    "largest": lambda: items().aggregate(ab.tumbling(count=3), raw=ab.max("raw")),
    "missing": lambda: items().filter(lambda i: i.some is None),
    "alone": lambda: items().map(lambda i: i.raw),
    "several": lambda: items().flat_map(lambda i: [i.raw, i.raw]),
}


@pytest.mark.parametrize("name", COMPUTING)
def test_what_computes_with_bytes_is_exact(name):
    tested = Program(COMPUTING[name]())

    @settings(max_examples=15, deadline=None)
    @given(ITEMS)
    def agrees(given):
        tested.check(given)
    agrees()
