"""Windows over columns: when the rows of a slice enter, and when others leave.

A partitioned window has the last rows of each key.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.lang.cql.execution.columns.joins import Key, Store
from anabranch.lang.cql.execution.columns.slices import (
    Delta,
    Slice,
    stable_order,
    stacked,
    together,
)
from anabranch.lang.cql.execution.columns.values import numbered_rows, tuples

Rows = tuple[np.ndarray, ...]
"""Columns, before which stands what the rows are ordered by: a time, or a number."""


class Waiting:
    """Rows in order. What is taken out costs what it is, however much there is."""

    def __init__(self):
        self.chunks: deque[Rows] = deque()

    def put(self, rows: Rows) -> None:
        if len(rows[0]):
            self.chunks.append(rows)

    def before(self, limit: object, side: str = "left") -> Rows | None:
        """Takes the rows that are before the limit; on the right side, also those at it."""
        taken = []
        while self.chunks:
            chunk = self.chunks[0]
            cut = np.searchsorted(chunk[0], limit, side)
            taken.append(tuple(column[:cut] for column in chunk))
            if cut < len(chunk[0]):
                self.chunks[0] = tuple(column[cut:] for column in chunk)
                break
            self.chunks.popleft()
        return stacked(taken) if taken else None


class Now:
    """The rows of one instant are gone at the next."""

    ordered = True

    def __init__(self):
        self.last: Rows | None = None

    def run(self, now: Slice, stream: Delta) -> Delta:
        end = len(now.times) - 1
        going = stream.taken(stream.at < end)
        parts = [Delta(going.at + 1, -going.n, going.columns), stream]
        if self.last:
            parts.insert(0, _leaving(np.zeros(len(self.last[0]), np.int64), self.last))
        self.last = stream.taken(stream.at == end).columns
        return together(parts)


class Recent:
    """The rows of the last `length`, both ends included."""

    ordered = True

    def __init__(self, length: object):
        self.length, self.kept = length, Waiting()

    def run(self, now: Slice, stream: Delta) -> Delta:
        ends = now.times - self.length
        self.kept.put((now.times[stream.at], *stream.columns))
        if (gone := self.kept.before(ends[-1])) is None:
            return stream
        times, *columns = gone
        return together([_leaving(np.searchsorted(ends, times, "right"), columns), stream])


class Sliding:
    """As `Recent`, as of the last multiple of `slide`."""

    ordered = True

    def __init__(self, length: int, slide: int):
        self.length, self.slide = length, slide
        self.waiting, self.kept = Waiting(), Waiting()

    def run(self, now: Slice, stream: Delta) -> Delta:
        as_of = now.times // self.slide * self.slide
        ends, parts = as_of - self.length, [stream.taken(slice(0, 0))]
        self.waiting.put((now.times[stream.at], *stream.columns))
        if entering := self.waiting.before(as_of[-1], "right"):
            at = np.searchsorted(as_of, entering[0])
            stays = np.searchsorted(ends, entering[0], "right") > at
            rows = tuple(column[stays] for column in entering)
            parts.append(Delta(at[stays], np.ones(len(rows[0]), np.int64), rows[1:]))
            self.kept.put(rows)
        if gone := self.kept.before(ends[-1]):
            parts.append(_leaving(np.searchsorted(ends, gone[0], "right"), gone[1:]))
        return together(parts)


class LastRows:
    """The last `count` rows: one leaves when so many have come after it."""

    ordered = True

    def __init__(self, count: int):
        self.count, self.seen, self.kept = count, 0, Waiting()

    def run(self, now: Slice, stream: Delta) -> Delta:
        first, self.seen = self.seen, self.seen + len(stream)
        self.kept.put((np.arange(first, self.seen), *stream.columns))
        if (gone := self.kept.before(self.seen - self.count)) is None:
            return stream
        numbers, *columns = gone
        return together([stream, _leaving(stream.at[numbers + self.count - first], columns)])


def _leaving(at: np.ndarray, columns: tuple[np.ndarray, ...] | list[np.ndarray]) -> Delta:
    return Delta(at, np.full(len(at), -1), tuple(columns))


@dataclass(frozen=True)
class KeyedArrivals:
    """The new rows key by key: the `place` of each in the stream, the number of its key, and how
    many of the key came before it; and of each key, how many come."""

    place: np.ndarray
    key: np.ndarray
    before: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, numbers: np.ndarray, keys: int) -> KeyedArrivals:
        place, count = stable_order(numbers), np.bincount(numbers, minlength=keys)
        key = numbers[place]
        return cls(place, key, np.arange(len(place)) - _starts(count)[key], count)


def _starts(counts: np.ndarray) -> np.ndarray:
    return np.cumsum(counts) - counts


class LastOfEach:
    """The last `count` rows of each key: one leaves when so many of its key have come after it."""

    ordered = True

    def __init__(self, count: int, by: Sequence[int]):
        self.count, self.by, self.rows = count, by, Store()
        self.kept: dict[Key, list[int]] = {}

    def run(self, now: Slice, stream: Delta) -> Delta:
        if not len(stream):
            return stream
        columns = [stream.columns[i] for i in self.by]
        numbers, firsts = numbered_rows(columns, len(stream))
        keys = list(tuples(columns, firsts))
        new, held = KeyedArrivals.of(numbers, len(keys)), [self.kept.get(key, []) for key in keys]
        changes = together([stream, *self._leaving(new, held, stream)])
        self._put_down(new, held, stream, keys)
        return changes

    def _leaving(self, new: KeyedArrivals, held: list[list[int]], stream: Delta) -> list[Delta]:
        """What the new rows push out: rows from before the slice, and other new ones."""
        counts = np.array(list(map(len, held)))
        numbers = np.array([number for of in held for number in of], np.int64)
        pushed = new.before + counts[new.key] - self.count
        old = (pushed >= 0) & (pushed < counts[new.key])
        own = pushed >= counts[new.key]
        gone = numbers[(_starts(counts)[new.key] + pushed)[old]]
        self.rows.store([], [], stream)
        pushed_out = new.place[np.flatnonzero(own) - self.count]
        leaving = [_gone(stream.at[new.place[old]], [c[gone] for c in self.rows.columns]),
                   _gone(stream.at[new.place[own]], [c[pushed_out] for c in stream.columns])]
        self.rows.free.extend(gone.tolist())
        return leaving

    def _put_down(self, new: KeyedArrivals, held: list[list[int]], stream: Delta, keys: list[Key]
                  ) -> None:
        """Keeps the last rows of each key."""
        places = new.place[new.before >= new.count[new.key] - self.count]
        numbers = [self.rows.number() for _ in places]
        self.rows.store(numbers, places, stream)
        at = 0
        for key, of, count in zip(keys, held, new.count.tolist()):
            own = min(count, self.count)
            self.kept[key] = [*of[max(0, len(of) + own - self.count):], *numbers[at:at + own]]
            at += own


def _gone(at: np.ndarray, columns: Sequence[np.ndarray]) -> Delta:
    return Delta(at, np.full(len(at), -1), tuple(columns))
