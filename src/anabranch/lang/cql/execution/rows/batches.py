"""The items between the operators of a CQL program: batches, shards, times.

Batches cut up by a key, so that operators with a state for each key can run in parallel.

A batch becomes a shard for each bucket of keys that it touches, at least one; each knows how many
there are, so the changes that come out of them are put together again without any waiting.

Moves along the line of time: from when a row came to when it enters or leaves a window.

Each takes a time, or an array of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from heapq import heappop, heappush

import numpy as np

from anabranch.core.errors import DataError, RunError
from anabranch.ir.records import Record, State
from anabranch.ir.times import is_aware, origin_of

Change = tuple[tuple, int]
"""A row and how often it is added; a negative number of times when it is taken away."""


class Arrival(Record):
    """A row of an input, which has a number among others."""

    timestamp: object
    source: int
    change: object


class Instant(Record):
    """All that came at one timestamp: the changes of each input."""

    timestamp: object
    parts: object


class Batch(Record):
    """The changes of one relation at one instant; of a stream, its rows in order, each once."""

    timestamp: object
    changes: object


class Pair(Record):
    """The changes of two relations at one instant."""

    timestamp: object
    left: object
    right: object


class Collecting(State):
    """The instant that is still open, and the times at which rows before it leave a window."""

    open: bool = False
    timestamp: object = None
    parts: list = []
    due: list = []


def collected(state: Collecting, timestamp: object, change: Change, source: int,
              paths: tuple[tuple[Path, ...], ...]) -> list[Instant]:
    """The instant that the arrival of a later row closes, if it does, and those up to that row at
    which something leaves a window; `paths` lead from each input to them."""
    if state.open and timestamp == state.timestamp:
        state.parts[source].append(change)
        return []
    if state.open and timestamp < state.timestamp:
        raise RunError(f"a row comes late: its timestamp is {timestamp}, and "
                       f"{state.timestamp} has been seen", help="sort the inputs by time")
    closed = last_instant(state)
    _leave(state, paths)
    nothing = ((),) * len(paths)
    closed += [Instant(time, nothing) for time in _due_before(state, timestamp)]
    state.open, state.timestamp = True, timestamp
    state.parts = [[] for _ in paths]
    state.parts[source].append(change)
    return closed


def _leave(state: Collecting, paths: tuple[tuple[Path, ...], ...]) -> None:
    """Puts down when the rows of the open instant leave."""
    for part, of_input in zip(state.parts, paths):
        for path in of_input if part else ():
            # A time after the last one there is never comes.
            with suppress(OverflowError):
                heappush(state.due, moved(state.timestamp, path))


def _due_before(state: Collecting, timestamp: object) -> list:
    """Takes the times between the open instant and the next; at that itself, all is seen anyway."""
    times: list = []
    while state.due and state.due[0] <= timestamp:
        time = heappop(state.due)
        if state.timestamp < time < timestamp and time not in times[-1:]:
            times.append(time)
    return times


def last_instant(state: Collecting) -> list[Instant]:
    return [Instant(state.timestamp, tuple(map(tuple, state.parts)))] if state.open else []


def sign(op: str) -> int:
    """+1 or -1 for the `op` of a change to a relation."""
    if op not in ("+", "-"):
        raise DataError("a change of a relation has an 'op' that is not known",
                        expected="+ or -", got=repr(op))
    return 1 if op == "+" else -1


def number(value: float) -> float:
    """A float of the input; rows are compared, and NaN is not even equal to itself."""
    if value != value:
        raise DataError("NaN cannot stand in a row of CQL", expected="a number")
    return value


class Held(State):
    """How often each row is in a relation."""

    rows: dict = {}


def held(state: Held, batch: Batch, name: str) -> list[Batch]:
    """The batch itself, after a check that only rows are deleted that are there."""
    for row, n in net(batch.changes):
        count = state.rows.pop(row, 0) + n
        if count < 0:
            raise DataError(f"a row of '{name}' is deleted that is not in it", got=repr(row))
        if count:
            state.rows[row] = count
    return [batch]


def net(changes: Iterable[Change]) -> list[Change]:
    """The changes with those of the same row added up.

    >>> net([(("a",), 1), (("b",), 1), (("a",), -1)])
    [(('b',), 1)]
    """
    counts: dict[tuple, int] = {}
    for row, n in changes:
        counts[row] = counts.get(row, 0) + n
    return [(row, n) for row, n in counts.items() if n]


Order = tuple[tuple[int, bool], ...]
"""The columns that rows are ordered by, each with whether it descends."""


class ReversedCell:
    """A cell whose order is turned round."""

    __slots__ = ("cell",)

    def __init__(self, cell: tuple):
        self.cell = cell

    def __eq__(self, other: object) -> bool:
        return self.cell == other.cell

    def __lt__(self, other: ReversedCell) -> bool:
        return other.cell < self.cell


def place_of(row: tuple, order: Order) -> tuple:
    """What a row is compared by: the columns of the order, then all from left to right; null comes
    first where a column ascends."""
    cells = [(value is not None, value) for value in row]
    return (*(ReversedCell(cells[n]) if down else cells[n] for n, down in order), *cells)


def in_order(rows: Iterable[tuple], order: Order = ()) -> list[tuple]:
    """Rows by some columns, and then by all, from left to right; null comes first.

    >>> in_order([(2, "b"), (None, "a"), (1, "c")])
    [(None, 'a'), (1, 'c'), (2, 'b')]
    >>> in_order([(2, "b"), (None, "a"), (1, "c")], ((0, True),))
    [(2, 'b'), (1, 'c'), (None, 'a')]
    """
    rows = list(rows)
    try:
        if not order:
            return sorted(rows)
    except TypeError:
        pass
    return sorted(rows, key=lambda row: place_of(row, order))


BUCKETS = 32
NULL = 7
"""The hash of what is not there."""

Entry = tuple[object, tuple, int]
"""A change with the key of its row."""


class Shard(Record):
    """The changes of one bucket, of one or two relations; `of` is the number of its instant's."""

    timestamp: object
    bucket: int
    of: int
    left: object
    right: object


class Part(Record):
    """The changes that came out of a shard."""

    timestamp: object
    bucket: int
    of: int
    changes: object


def _hash(key: object) -> int:
    """The hash of None is its address, which is another one in each process.

    >>> _hash((None, 1)) == hash((NULL, 1)), _hash("a") == hash("a")
    (True, True)
    """
    if isinstance(key, tuple):
        return hash(tuple(map(_hash, key))) if None in key else hash(key)
    return NULL if key is None else hash(key)


def shards(timestamp: object, left: Iterable[Entry], right: Iterable[Entry]) -> list[Shard]:
    """The shards of a batch or of a pair of batches, by the hash of the key."""
    buckets: dict[int, tuple[list, list]] = {}
    for side, entries in enumerate((left, right)):
        for entry in entries:
            bucket = _hash(entry[0]) % BUCKETS
            if bucket not in buckets:
                buckets[bucket] = [], []
            buckets[bucket][side].append(entry)
    if not buckets:
        return [Shard(timestamp, 0, 1, (), ())]
    return [Shard(timestamp, bucket, len(buckets), tuple(left), tuple(right))
            for bucket, (left, right) in buckets.items()]


class Gathering(State):
    """What has come so far of an instant's parts."""

    parts: int = 0
    changes: list = []


def gathered(state: Gathering, part: Part) -> list[Batch]:
    """The whole batch, when its last part comes."""
    state.parts += 1
    state.changes.extend(part.changes)
    if state.parts < part.of:
        return []
    batch = Batch(part.timestamp, tuple(state.changes))
    state.parts, state.changes = 0, []
    return [batch]


@dataclass(frozen=True)
class Leaves:
    """A row leaves so long after it came."""

    after: object

    def __call__(self, time):
        return time + self.after


@dataclass(frozen=True)
class SlidesOut:
    """A row leaves at the first multiple of `slide` that is more than `length` behind it."""

    length: object
    slide: object

    def __call__(self, time):
        return last_multiple(time + self.length, self.slide) + self.slide


@dataclass(frozen=True)
class SlidesIn:
    """A row enters at the next multiple of `slide`.

    >>> SlidesIn(5)(10), SlidesIn(5)(11)
    (10, 15)
    """

    slide: object

    def __call__(self, time):
        before = last_multiple(time, self.slide)
        return before + self.slide * (before < time)


@dataclass(frozen=True)
class EndsAfter:
    """The end of window number `n` of those that a row is in."""

    slide: object
    n: int

    def __call__(self, time):
        return end_after(time, self.slide, self.n)


@dataclass(frozen=True)
class ToWhole:
    """Where timestamps are whole numbers, nothing happens before the next of them."""

    def __call__(self, time):
        return math.ceil(time)


@dataclass(frozen=True)
class NextMicrosecond:
    """The next time, of those with six decimals.

    >>> NextMicrosecond()(1.0)
    1.000001
    """

    def __call__(self, time):
        after = (np.rint(time * 1e6) + 1) / 1e6
        return after if isinstance(time, np.ndarray) else float(after)


Path = tuple[Callable, ...]


def moved(time, path: Path):
    """The time after all moves of a path, or an array of them."""
    return reduce(lambda at, move: move(at), path, time)


def last_multiple(time: object, slide: object) -> object:
    """The last multiple of `slide`, counted from 0 or from 1970, that is not after the time.

    >>> last_multiple(17, 5)
    15
    """
    if isinstance(time, datetime):
        origin = origin_of(is_aware(time))
        return origin + (time - origin) // slide * slide
    return time // slide * slide


def end_after(time: object, slide: object, n: int) -> object:
    """Of the multiples of `slide` that are after a time the one of number `n`, from 0 on.

    >>> end_after(10, 5, 0), end_after(12, 5, 1)
    (15, 20)
    """
    if isinstance(time, datetime):
        origin = origin_of(is_aware(time))
        return origin + ((time - origin) // slide + n + 1) * slide
    return (time // slide + n + 1) * slide


def windows_of(length: object, slide: object) -> int:
    """In how many windows a row can be at most."""
    return int(-(-length // slide))
