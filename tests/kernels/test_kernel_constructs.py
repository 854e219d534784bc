"""Programs as users write them: which run as native code, and that they give the same bits."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from kernels.tiers import Program


class Post(ab.Record):
    author: str
    tag: str
    n: int
    x: float
    ts: datetime
    note: str | None


class Answer(ab.Record):
    text: str
    n: int
    x: float


class Session(ab.State):
    start: datetime | None = None
    last: datetime | None = None
    n: int = 0


@ab.operator(by="author")
def sessions(state: Session, p: Post):
    """Sessions with a time-out."""
    if state.last is not None and p.ts - state.last > timedelta(minutes=30):
        yield Answer(p.author, state.n, (state.last - state.start).total_seconds())
        state.n = 0
    if state.n == 0:
        state.start = p.ts
    state.n += 1
    state.last = p.ts


class Streak(ab.State):
    tag: str = ""
    n: int = 0


@ab.operator(by="author")
def streaks(state: Streak, p: Post):
    """Posts in a row by one author with one tag."""
    match p.tag:
        case state.tag:
            state.n += 1
        case "" | " ":
            return
        case _:
            state.tag, state.n = p.tag, 1
    if state.n >= 2:
        yield Answer(f"{p.author}: {state.tag} x {state.n:03d}", state.n, p.x)


class Between(ab.State):
    total: float = 0.0


@ab.operator
def between_barriers(state: Between, p: Post):
    """The sum between two barriers, which are items of their own kind."""
    if p.tag == "barrier":
        yield Answer("sum " + p.author + "/" + str(p.n), p.n, state.total)
        state.total = 0.0
    else:
        state.total += p.x


class Price(ab.State):
    value: float = 0.0
    volume: int = 0


@ab.operator(by="tag")
def vwap(state: Price, p: Post):
    if p.n <= 0:
        return
    state.value += p.x * p.n
    state.volume += p.n
    yield Answer(p.tag, state.volume, round(state.value / state.volume, 4))


class Place(ab.Record):
    x: float
    word: str


class Moved(ab.State):
    here: Place = Place(0.0, "nowhere")
    before: Place = Place(1.5, "é")
    n: int = 0


@ab.operator(by="author")
def moved(state: Moved, p: Post):
    """A state with small records in it."""
    state.before, state.here = state.here, Place(p.x, p.tag)
    if state.before.word != p.tag:
        state.here = Place(state.before.x, state.here.word)
        state.n += p.n
    yield Answer(state.before.word, state.n % 100, state.here.x)


RATES = {"a": 2, "tag": 3}
KNOWN = frozenset(("a", "é"))
HOUR = timedelta(hours=1)
SINCE = datetime(2024, 2, 28)


def rate(tag):
    try:
        return int(tag)
    except ValueError:
        return -1


def checked(p):
    if p.n == 13:
        raise ValueError(f"unlucky {p.author}")
    return p.replace(n=rate(p.tag))


class Squares(ab.Aggregate):
    total: float = 0.0
    longest: str = ""
    seen: bool = False

    def add(self, value):
        self.total += value * value
        if value > 1.0 and not self.seen:
            self.seen = True

    def result(self) -> float:
        if self.seen:
            return math.sqrt(self.total)
        return -1.0


class Longest(ab.Aggregate):
    text: str = ""

    def add(self, value):
        if len(value) > len(self.text):
            self.text = value

    def result(self) -> str:
        return self.text


@dataclass(frozen=True)
class Rates:
    base: float = 1.5
    tag: str = "a"
    steps: int = 3


class Side(Enum):
    LEFT = 2
    RIGHT = 5


class Limit(NamedTuple):
    low: float
    high: float


@dataclass
class Open:
    base: float = 1.5


class Computed(NamedTuple):
    low: float


class Doubled(Computed):
    @property
    def low(self) -> float:
        return 2 * self[0]


FIXED, LIMIT, OPEN, DOUBLED = Rates(), Limit(-1.0, 2.0), Open(), Doubled(1.0)

PROGRAMS = {
    "fixed attributes": lambda s: s.filter(lambda p: LIMIT.low < p.x < LIMIT.high).map(
        lambda p: Answer(p.tag if p.tag == FIXED.tag else "", p.n * FIXED.steps + Side.LEFT.value,
                         p.x * FIXED.base)),
    "moved": lambda s: s.apply(moved), "sessions": lambda s: s.apply(sessions),
    "streaks": lambda s: s.apply(streaks),
    "barriers": lambda s: s.apply(between_barriers), "vwap": lambda s: s.apply(vwap),
    "constants": lambda s: s.filter(lambda p: p.tag in KNOWN or p.n in (1, 2) or p.author in RATES)
    .map(lambda p: Answer(p.tag, RATES.get(p.author, 0) << 2, float(p.n ** 2))),
    "patterns": lambda s: s.filter(lambda p: re.match("[a-c]+", p.tag)).map(
        lambda p: Answer(re.sub("[aé]", "_", p.author), len(p.tag.split("a")), p.x)),
    "raised": lambda s: s.map(checked),
    "times": lambda s: s.filter(lambda p: p.ts >= SINCE).map(lambda p: p.replace(
        ts=p.ts + HOUR * 2 - timedelta(seconds=1), n=(p.ts - SINCE).days,
        x=(p.ts - SINCE) / HOUR)),
    "texts": lambda s: s.map(lambda p: Answer(
        f"{p.author!r}|{p.x:8.2f}|{p.n}|{p.note}|{p.ts}|{p.n > 3}", p.n, p.x)),
    "compared": lambda s: s.filter(lambda p: p.author < p.tag or max(p.author, p.tag) == "é").map(
        lambda p: Answer(min(p.author, p.tag, "b"), p.n, p.x)),
    "extremes": lambda s: s.aggregate(ab.sliding(count=3, step=2), by="author", low=ab.min("tag"),
                                      high=ab.max("tag"), some=ab.max(lambda p: p.n > 3)),
    "own aggregates": lambda s: s.aggregate(ab.tumbling(count=3), by="tag", root=Squares.of("x"),
                                            word=Longest.of("author"), n=ab.count()),
    "math": lambda s: s.map(lambda p: Answer("", p.n >> 1, math.log1p(abs(math.sin(p.x))))),
}
TEXTS = st.sampled_from(["", "a", "tag", "é", "b", "barrier", " ", "𝄞", "12", "abc"])
POSTS = st.builds(
    Post, TEXTS, TEXTS, st.one_of(st.integers(-3, 20), st.sampled_from([2**62, -2**63, 13])),
    st.one_of(st.floats(-9, 9), st.sampled_from([0.0, -0.0, float("nan"), float("inf"), 1e200])),
    st.integers(-10**9, 10**11).map(lambda us: SINCE + timedelta(microseconds=us)),
    st.none() | TEXTS)
STREAMS = st.lists(POSTS, max_size=14)


class Inner(ab.Record):
    x: float
    word: str | None


class Outer(ab.Record):
    n: int
    inner: Inner
    place: Place


NESTED = st.builds(Outer, st.integers(-9, 9), st.builds(Inner, st.floats(-9, 9), st.none() | TEXTS),
                   st.builds(Place, st.floats(-9, 9), TEXTS))


def test_records_in_records():
    tested = Program(ab.from_iterable([], Outer).filter(lambda t: t.inner.x < 5.0).map(
        lambda t: t.replace(inner=Inner(t.place.x * t.n, t.place.word.upper()))).map(
        lambda t: t if t.inner.word != "A" else t.replace(place=Place(0.5, "none"))))
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=25, deadline=None)
    @given(st.lists(NESTED, max_size=8))
    def agrees(items):
        tested.check(items)
    agrees()


@functools.cache
def program(name: str) -> Program:
    return Program(PROGRAMS[name](ab.from_iterable([], Post)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_native_and_agrees(name):
    tested = program(name)
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=20, deadline=None)
    @given(STREAMS)
    def agrees(items):
        tested.check(items)
    agrees()


GROWING = {"a": 1}


def grow():
    GROWING["b"] = 2


def aliased(p):
    return p.replace(n=GROWING.get(p.tag, 0))


@pytest.mark.parametrize("given", [lambda p: p.x * OPEN.base, lambda p: p.x * DOUBLED.low])
def test_an_attribute_that_may_change_is_no_constant(given):
    assert "uses" in Program(ab.from_iterable([], Post).map(given)).kernel.reason.text


def test_a_dict_that_may_change_is_no_constant():
    tested = Program(ab.from_iterable([], Post).map(aliased))
    assert tested.kernel.tier == "rows"
    assert "GROWING" in tested.kernel.reason.text
