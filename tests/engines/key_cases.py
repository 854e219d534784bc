"""Programs with keys of every kind: those that a dict takes for one, and those that it does not."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum
from fractions import Fraction

import numpy as np

import anabranch as ab

EAST = timezone(timedelta(hours=2))


class Colour(Enum):
    RED = 1
    BLUE = "b"


class Level(IntEnum):
    LOW = 1


class Pair(ab.Record):
    a: object
    b: object


class Cell:
    """A class with its own idea of what is equal, and a hash that differs between processes."""

    def __init__(self, name: str):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Cell) and self.name.lower() == other.name.lower()

    def __hash__(self):
        return hash(self.name.lower())

    def __repr__(self):
        return f"Cell({self.name})"


def nan() -> float:
    """Another object each time."""
    return float("nan")


KEYS = {
    "nan": lambda: [nan(), 1.0, nan(), float("-nan"), 2.0, np.float64("nan"), Decimal("nan"),
                    nan()],
    "nan in tuples": lambda: [(nan(), 1), (1, nan()), (nan(), 1), Pair(nan(), 1), (1, nan())],
    "numbers": lambda: [True, 1, 1.0, Level.LOW, np.int64(1), Fraction(1), Decimal(1), False, 0,
                        0.0, -0.0, 2**64, float(2**64), 2**63, -2**63, 2**70, 2**70, -1, -2],
    "zeros": lambda: [-0.0, 0.0, 0, False, -0.0, 0j],
    "texts": lambda: ["é", "e\u0301", "é", "ﬁ", "fi", "", "\0", "a\0", "a", "e\u0301"],
    "bytes": lambda: [b"a", "a", b"", "", b"a\0", b"a", None, None, b"a\0"],
    "times": lambda: [datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 14, tzinfo=EAST),
                      datetime(2024, 5, 1, 12), datetime(2024, 5, 1, 12, fold=1),
                      time(12, tzinfo=UTC), time(14, tzinfo=EAST), time(12)],
    "tuples": lambda: [(1, "a"), (True, "a"), Pair(1.0, "a"), ((1, 2), None), ((1, 2.0), None), ()],
    "sets": lambda: [frozenset([1, 2]), frozenset([2.0, True]), frozenset(), frozenset([nan()]),
                     frozenset([nan()])],
    "enums": lambda: [Colour.RED, Colour.BLUE, Colour.RED, Level.LOW, 1],
    "objects": lambda: [Cell("a"), Cell("A"), Cell("b"), (Cell("a"), 1), (Cell("A"), 1)],
}


class Item(ab.Record):
    n: int
    key: object = None
    half: float = 0.0


class Reals(ab.Record):
    n: int
    key: float
    half: float = 0.0


class Count(ab.State):
    first: object = None
    seen: int = 0


class Out(ab.Record):
    key: object
    seen: int


@ab.operator(by="key")
def counted(state: Count, item: Item):
    """At the end each key is told, as it first came, in the order in which they came first."""
    if not state.seen:
        state.first = repr(item.key)
    state.seen += 1
    yield Out(state.first, state.seen)


@counted.at_end
def told(state: Count):
    yield Out(state.first, -state.seen)


@ab.operator(by=("key", "half"))
def counted_by_two(state: Count, item: Item):
    if not state.seen:
        state.first = repr((item.key, item.half))
    state.seen += 1
    yield Out(state.first, state.seen)


class Tally(ab.State):
    total: int = 0


@ab.operator(by="key")
def tallied(state: Tally, item: Reals):
    """Nothing that a kernel could not do."""
    state.total += item.n
    yield state.total


def items_of(kind: str, rounds: int = 5) -> list[Item]:
    keys = [key for _ in range(rounds) for key in KEYS[kind]()]
    return [Item(n, key, -0.0 if n % 2 else 0.0) for n, key in enumerate(keys)]


class Window(ab.Record):
    key: object
    total: int
    most: int


def windowed(items: ab.Stream) -> ab.Stream:
    return items.aggregate(ab.tumbling(count=3), by="key", total=ab.sum("n"), most=ab.max("n")).map(
        lambda w: (repr(w.key), w.total, w.most))


def windowed_by_time(items: ab.Stream) -> ab.Stream:
    return items.aggregate(ab.tumbling(time=16, on="n"), by="key", total=ab.sum("n")).map(
        lambda w: (repr(w.key), w.total))


def joined(items: ab.Stream) -> ab.Stream:
    left, right = items.filter(lambda i: i.n % 2), items.filter(lambda i: not i.n % 2)
    return left.join(right, by="key", keep=ab.recent(count=2), into=lambda a, b: (a.n, b.n))


@ab.synchronized(by="key", tag=lambda i: i.n % 7 == 0, depends=lambda a, b: a or b)
def shared(state: Tally, item: Item):
    state.total += item.n
    if item.n % 7 == 0:
        yield state.total


@shared.fork
def forked(state: Tally, left, right):
    return Tally(state.total), Tally()


@shared.join
def put_together(one: Tally, other: Tally):
    return Tally(one.total + other.total)


PROGRAMS = {"counted": lambda items: items.apply(counted),
            "by two": lambda items: items.apply(counted_by_two),
            "windows": windowed, "windows by time": windowed_by_time, "joined": joined,
            "deduplicated": lambda items: items.deduplicate("key").map(
                lambda i: (i.n, repr(i.key))),
            "synchronized": lambda items: items.apply(shared)}
