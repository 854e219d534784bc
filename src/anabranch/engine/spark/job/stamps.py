"""Stamps: where an item stands within its slice, so that order can be restored.

A stamp is the place of the source tuple in its slice, or a tuple that begins with it. Those of the
two shortest kinds are held as an array of integers which compare as the stamps do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WIDTH = 40
"""How many bits the second half of a pair takes."""

Places = np.ndarray | range


class Stamps(Sequence):
    """Numbers, or pairs of numbers, in one array.

    >>> list(Stamps(np.array([3, 5]))), list(Stamps.pairs(np.array([3, 5]), np.array([0, 1])))
    ([3, 5], [(3, 0), (5, 1)])
    """

    def __init__(self, codes: np.ndarray, depth: int = 1):
        self.codes, self.depth = codes, depth

    @staticmethod
    def pairs(first: np.ndarray, second: np.ndarray) -> Stamps:
        return Stamps((first.astype(np.int64) << WIDTH) + second, 2)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return Stamps(self.codes[index], self.depth)
        return next(iter(Stamps(self.codes[index:][:1], self.depth)))

    def __iter__(self):
        if self.depth == 1:
            return iter(self.codes.tolist())
        return zip(self.origins.tolist(), (self.codes & ((1 << WIDTH) - 1)).tolist())

    def __reduce__(self):
        small = len(self.codes) and self.codes[-1] < 1 << 31
        return _stamps, (self.codes.astype(np.int32) if small else self.codes, self.depth)

    @property
    def origins(self) -> np.ndarray:
        return self.codes if self.depth == 1 else self.codes >> WIDTH


def _stamps(codes: np.ndarray, depth: int) -> Stamps:
    return Stamps(codes.astype(np.int64), depth)


def stamps_of(rows: Sequence) -> Sequence:
    """The stamps in one array where they are short, as they are otherwise."""
    if isinstance(rows, Stamps):
        return rows
    if isinstance(rows, np.ndarray) or not len(rows) or isinstance(rows[0], int):
        return Stamps(np.asarray(rows, np.int64))
    if len(rows[0]) == 2 and isinstance(rows[0][1], int):
        return Stamps.pairs(*np.array(rows, np.int64).T)
    return rows


def taken(stamps: Sequence, places: Places) -> Sequence:
    """The stamps at these places.

    >>> taken([(1, 0, 2), (2, 0, 0)], range(1, 2))
    [(2, 0, 0)]
    """
    if isinstance(stamps, Stamps):
        return Stamps(stamps.codes[_index(places)], stamps.depth)
    return [stamps[place] for place in (places if isinstance(places, range) else places.tolist())]


def _index(places: Places) -> np.ndarray | slice:
    straight = isinstance(places, range) and places.step == 1
    return slice(places.start, places.stop) if straight else np.asarray(places, np.int64)


def origin(stamp: int | tuple) -> int:
    """The place of the source tuple within its slice.

    >>> origin(3), origin((3, 0, 1))
    (3, 3)
    """
    return stamp[0] if isinstance(stamp, tuple) else stamp


def origins(stamps: Sequence) -> np.ndarray:
    """The places of the source tuples."""
    return stamps.origins if isinstance(stamps, Stamps) else \
        np.array(list(map(origin, stamps)), np.int64)


def at_port(stamp: int | tuple, port: int) -> tuple:
    """The stamp of an item that enters a stage with several inputs: the first port goes first.

    >>> at_port(3, 1), at_port((3, 0, 1), 0)
    ((3, 1), (3, 0, 0, 1))
    """
    return (stamp[0], port, *stamp[1:]) if isinstance(stamp, tuple) else (stamp, port)


def are_apart(stamps: Sequence) -> bool:
    """Whether no two of the numbers are the same."""
    return isinstance(stamps, Stamps) and stamps.depth == 1 and bool(
        (stamps.codes[1:] > stamps.codes[:-1]).all())


def told_apart(stamps: Sequence) -> Sequence:
    """Stamps that differ also where several items had the same: these may now part.

    >>> list(told_apart(stamps_of([1, 1, 2])))
    [(1, 0), (1, 1), (2, 0)]
    """
    if isinstance(stamps, Stamps) and stamps.depth == 1:
        codes, numbers = stamps.codes, np.arange(len(stamps))
        firsts = np.r_[True, codes[1:] != codes[:-1]][:len(codes)]
        return Stamps.pairs(codes, numbers - np.maximum.accumulate(np.where(firsts, numbers, 0)))
    apart, last, count = [], None, 0
    for stamp in stamps:
        count = count + 1 if stamp == last else 0
        last = stamp
        apart.append((*stamp, count) if isinstance(stamp, tuple) else (stamp, count))
    return apart


def merged_order(parts: Sequence[Sequence]) -> tuple[Sequence, np.ndarray]:
    """The stamps of several parts, each in order, as one; and the place of each among the parts.

    >>> stamps, places = merged_order([stamps_of([0, 2]), stamps_of([1])])
    >>> list(stamps), places.tolist()
    ([0, 1, 2], [0, 2, 1])
    """
    if all(isinstance(part, Stamps) for part in parts):
        together = Stamps(np.concatenate([part.codes for part in parts]), parts[0].depth)
        places = np.argsort(together.codes, kind="stable")
        return taken(together, places), places
    every = [stamp for part in parts for stamp in part]
    # The sort is stable and finds the runs, so it merges them.
    places = np.array(sorted(range(len(every)), key=every.__getitem__), np.int64)
    return taken(every, places), places
