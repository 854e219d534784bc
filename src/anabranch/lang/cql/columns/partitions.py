"""Partitioned windows over columns: the last rows of each key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.lang.cql.columns.delta import Delta, stable_order, together
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.ranking import numbered_rows, tuples
from anabranch.lang.cql.columns.sides import Key, Store


@dataclass(frozen=True)
class Arrivals:
    """The new rows key by key: the `place` of each in the stream, the number of its key, and how
    many of the key came before it; and of each key, how many come."""

    place: np.ndarray
    key: np.ndarray
    before: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, numbers: np.ndarray, keys: int) -> Arrivals:
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
        new, held = Arrivals.of(numbers, len(keys)), [self.kept.get(key, []) for key in keys]
        changes = together([stream, *self._leaving(new, held, stream)])
        self._put_down(new, held, stream, keys)
        return changes

    def _leaving(self, new: Arrivals, held: list[list[int]], stream: Delta) -> list[Delta]:
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

    def _put_down(self, new: Arrivals, held: list[list[int]], stream: Delta, keys: list[Key]
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
