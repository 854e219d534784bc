"""Windows over columns: when the rows of a slice enter, and when those that are in leave."""

from __future__ import annotations

from collections import deque

import numpy as np

from anabranch.lang.cql.columns.delta import Delta, stacked, together
from anabranch.lang.cql.columns.inputs import Slice

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
