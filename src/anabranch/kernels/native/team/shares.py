"""What the workers of a plan see: their tree, a slice, and who does what of it.

Each worker has its memory in cache lines of its own: cores that write to one line in turn wait for
each other at every row, whoever owns which bytes of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from anabranch.kernels.native.state.memory import StateMemory


class WorkerTree(NamedTuple):
    """A tree of workers, numbered from above and from left to right: for each its parent, the two
    below it (-1 for a leaf), and the first number behind all that are below it."""

    parents: np.ndarray
    lefts: np.ndarray
    rights: np.ndarray
    lasts: np.ndarray

    @staticmethod
    def of(lefts: list[int], rights: list[int]) -> WorkerTree:
        """
        >>> layout = WorkerTree.of([1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
        >>> layout.parents.tolist(), layout.lasts.tolist()
        ([-1, 0, 0, 2, 2], [5, 2, 5, 4, 5])
        """
        parents, lasts = [-1] * len(lefts), [node + 1 for node in range(len(lefts))]
        for node in reversed(range(len(lefts))):
            if lefts[node] >= 0:
                parents[lefts[node]] = parents[rights[node]] = node
                lasts[node] = lasts[rights[node]]
        return WorkerTree(*(np.array(a, np.int64) for a in (parents, lefts, rights, lasts)))

    @property
    def leaves(self) -> list[int]:
        return np.flatnonzero(self.lefts < 0).tolist()


@dataclass(frozen=True)
class TeamSlice:
    """A slice as all workers see it: its columns as arrays by the names of arguments, and the
    `order` of its rows, worker after worker."""

    batch: pa.RecordBatch
    order: np.ndarray
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class WorkerShare:
    """What one worker does of a slice, or several `sharers` do together: the rows begin at `first`;
    those before `cuts[p]` are done when they come to point p, which is at the worker `tops[p]`,
    whose rows are those from `firsts[p]` to `ends[p]`. `claims` has the row that is the next to be
    claimed by one of them."""

    first: int
    cuts: np.ndarray
    tops: np.ndarray
    firsts: np.ndarray
    ends: np.ndarray
    claims: np.ndarray
    sharers: int = 1

    @property
    def rows(self) -> int:
        """About how many rows each of them does."""
        return (int(self.cuts[-1]) - self.first) // self.sharers if len(self.cuts) else 0


Part = dict[str, np.ndarray]
"""The outputs of one worker, as arrays by their names."""


LINE = 128
"""Bytes: cores fetch lines of 64 in pairs."""


def apart(memory: StateMemory) -> StateMemory:
    """A worker's memory in cache lines of its own."""
    return replace(memory, counters=in_own_lines(memory.counters),
                   arrays={name: in_own_lines(array) for name, array in memory.arrays.items()})


def in_own_lines(array: np.ndarray) -> np.ndarray:
    """A copy that begins with a cache line, in whose last one nothing else is.

    >>> own = in_own_lines(np.arange(6).reshape(3, 2))
    >>> own.tolist(), own.ctypes.data % LINE
    ([[0, 1], [2, 3], [4, 5]], 0)
    """
    room = np.empty(array.nbytes + 2 * LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    own = room[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    own[...] = array
    return own
