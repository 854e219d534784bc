"""Which aggregates run natively, over which values, windows and keys; and that they are exact."""

from __future__ import annotations

import functools
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.record_batch import batch_of
from anabranch.kernels.native.state import eviction
from kernels.tiers import Program

START = datetime(2024, 2, 28, 23, 59, 50)


class Place(ab.Record):
    shelf: int
    room: str | None


class Item(ab.Record):
    ts: int
    exact: float
    when: datetime
    flag: bool
    n: int
    x: float
    s: str
    raw: bytes
    tags: list[int]
    place: Place
    some_n: int | None
    some_x: float | None
    some_s: str | None
    some_flag: bool | None
    some_when: datetime | None


WINDOWS = {
    "tumbling count": ab.tumbling(count=3),
    "sliding count": ab.sliding(count=3, step=2),
    "sparse count": ab.sliding(count=2, step=3, partial=False),
    "tumbling int": ab.tumbling(time=5, on="ts"),
    "sliding int": ab.sliding(time=7, step=2, on="ts", late="drop"),
    "tumbling float": ab.tumbling(time=2.5, on="exact", partial=False),
    "tumbling time": ab.tumbling(time=timedelta(seconds=5), on="when"),
    "sliding time": ab.sliding(time=timedelta(seconds=5), step=timedelta(seconds=2), on="when"),
}
NUMBERS = ["flag", "n", "x", "some_n", "some_x", "some_flag"]
SCALARS = [*NUMBERS, "s", "when", "some_s", "some_when"]
TAKEN = {"sum": NUMBERS, "mean": NUMBERS, "min": SCALARS, "max": SCALARS,
         **{chosen: [*SCALARS, "place"] for chosen in ("first", "last", "any", "collect")}}


def items():
    return ab.from_iterable([], Item)


def tier(stream) -> str:
    return Program(stream).kernel.tier


@pytest.mark.parametrize("window", WINDOWS)
def test_every_aggregate_of_every_kind_of_value_is_native(window):
    for aggregate, columns in TAKEN.items():
        for column in columns:
            call = getattr(ab, aggregate)(column)
            stream = items().aggregate(WINDOWS[window], by="n", found=call, count=ab.count())
            assert tier(stream) == "native", (aggregate, column)


@pytest.mark.parametrize("key", [*SCALARS, "place", ("n", "s", "some_x", "place"), None])
def test_windows_of_every_key_are_native(key):
    for window in WINDOWS.values():
        assert tier(items().aggregate(window, by=key, count=ab.count())) == "native"


class Spread(ab.Aggregate):
    low: float = 0.0
    high: float = 0.0
    seen: int = 0

    def add(self, item):
        if self.seen == 0 or item.x < self.low:
            self.low = item.x
        if self.seen == 0 or item.x > self.high:
            self.high = item.x
        self.seen += 1 if item.some_s is None else 2

    def result(self) -> float:
        return self.high - self.low


def weighed(item) -> int:
    """A function of several statements, which calls another one with a record."""
    if item.some_n is None:
        return 0
    return item.some_n * side(item.place)


def side(place):
    return 1 if place.room is None else place.shelf


def over_counts(s):
    return s.aggregate(WINDOWS["sliding count"], by="place", lows=ab.min("some_n"),
                       sums=ab.sum("some_x"), flags=ab.sum("flag"), firsts=ab.first("place"),
                       texts=ab.max("some_s"))


def over_time(s):
    return s.aggregate(WINDOWS["sliding time"], by=("s", "some_flag"), means=ab.mean("some_n"),
                       spread=Spread.of(), weights=ab.sum(weighed), last=ab.last("some_when"),
                       texts=ab.min(lambda t: t.s.upper()))


def lists(s):
    return s.filter(lambda t: t.n > -3).aggregate(
        WINDOWS["sliding time"], by=("s", "some_flag"), places=ab.collect("place"),
        numbers=ab.collect(lambda t: t.n * 3), texts=ab.collect("some_s")).filter(
        lambda w: len(w.texts) != 2)


def lists_of_all(s):
    return s.aggregate(WINDOWS["sliding count"], by="some_s", floats=ab.collect("some_x"),
                       texts=ab.collect("s"))


def is_high(item):
    return item.n > 0 or item.x > 1.5


def of_some(s):
    return s.aggregate(WINDOWS["sliding count"], by="some_s", n=ab.count(where=lambda t: t.n > 0),
                       low=ab.min("some_n", where=lambda t: t.some_n is not None),
                       high=ab.max("s", where=lambda t: t.flag), mean=ab.mean("x", where=is_high),
                       first=ab.first("some_x", where=lambda t: t.n > 1),
                       last=ab.last("some_s", where=lambda t: t.n > 1),
                       total=ab.sum("x", where=lambda t: t.s == "zz"),
                       spread=Spread.of(where=is_high))


def of_all(s):
    return s.agg(by=("s", "flag"), n=ab.count(), some=ab.count(where=is_high), total=ab.sum("x"),
                 first=ab.first("place"), when=ab.max("when", where=lambda t: t.flag),
                 spread=ab.stddev("x", where=lambda t: -5.0 < t.x < 5.0))


def of_all_at_once(s):
    return s.agg(n=ab.count(), last=ab.last("some_s"), all=ab.collect("n"))


class Told(ab.Record):
    s: str
    ts: int
    n: int


@ab.operator(by=("s", "ts"))
class Telling(ab.State):
    n: int = 0

    def process(self, item: Item):
        self.n += 1
        if item.n == 2:
            yield Told(item.s, item.ts, -self.n)

    def at_end(self, key):
        yield Told(key.s, key.ts, self.n)


PROGRAMS = {"over counts": over_counts, "over time": over_time, "lists": lists,
            "lists of all": lists_of_all, "of some": of_some, "of all": of_all,
            "of all at once": of_all_at_once, "key at the end": lambda s: s.apply(Telling),
            "distinct": lambda s: s.distinct("s", within=2, on="ts"),
            "head": lambda s: s.group_by("s").head(2), "head of all": lambda s: s.head(5),
            "sample": lambda s: s.sample(0.5, seed=3),
            "fill": lambda s: s.group_by("s").fill("some_n", "some_s"),
            "fill with one": lambda s: s.fill("some_x", value=1.5),
            "number": lambda s: s.map(lambda t: Place(t.n, t.some_s)).group_by("room").enumerate()}


@functools.cache
def program(name: str) -> Program:
    return Program(PROGRAMS[name](items()))


SMALL, TEXT = st.integers(-3, 3), st.sampled_from(["", "a", "é", "zz"])
FLOATS = st.floats(-9, 9) | st.sampled_from([-0.0, float("nan"), float("inf"), 1e18])
WHEN = st.integers(0, 9 * 10**6).map(lambda us: START + timedelta(microseconds=us))


def rarely_none(values):
    return st.integers(0, 9).flatmap(lambda n: values if n else st.none())


ITEMS = st.builds(
    Item, SMALL, FLOATS, WHEN, st.booleans(), SMALL | st.integers(-2**63, 2**63 - 1), FLOATS, TEXT,
    st.binary(max_size=2), st.lists(SMALL, max_size=2),
    st.builds(Place, st.integers(0, 1), st.none() | TEXT), rarely_none(SMALL), rarely_none(FLOATS),
    rarely_none(TEXT), rarely_none(st.booleans()), rarely_none(WHEN))


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiers_agree_on_random_items(name):
    tested = program(name)
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=20, deadline=None)
    @given(st.lists(ITEMS, max_size=12).map(lambda found: sorted(found, key=lambda t: t.when)))
    def agrees(found):
        tested.check(found)
    agrees()


def test_lists_grow_and_are_forgotten_when_their_windows_are_closed(monkeypatch):
    monkeypatch.setattr(eviction, "MOST_ELEMENTS", 64)
    tested, state = program("lists of all"), program("lists of all").kernel.start()
    found = [Item(n, n / 8, START, False, n, n / 8, f"text {n}", b"", [], Place(n, None), n, n / 4,
                  "abc"[n % 3], None, None) for n in range(1500)]
    assert tested.sliced(found, 700) == tested.sequential(found)
    assert tested.sliced(found, 70, saving=True) == tested.sequential(found)
    for start in range(0, len(found), 50):
        tested.kernel.run(state, batch_of(found[start:start + 50], tested.input_type), start)
    inner = [table for table in state.memory.stage.tables if table.is_inner]
    assert len(inner) == 2
    assert all(0 < state.memory.count(table) < 300 for table in inner)
