"""What the workers of a plan in native memory see: their tree, a slice, and who does what of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Layout(NamedTuple):
    """A tree of workers, numbered from above and from left to right: for each its parent, the two
    below it (-1 for a leaf), and the first number behind all that are below it."""

    parents: np.ndarray
    lefts: np.ndarray
    rights: np.ndarray
    lasts: np.ndarray

    @staticmethod
    def of(lefts: list[int], rights: list[int]) -> Layout:
        """
        >>> layout = Layout.of([1, -1, 3, -1, -1], [2, -1, 4, -1, -1])
        >>> layout.parents.tolist(), layout.lasts.tolist()
        ([-1, 0, 0, 2, 2], [5, 2, 5, 4, 5])
        """
        parents, lasts = [-1] * len(lefts), [node + 1 for node in range(len(lefts))]
        for node in reversed(range(len(lefts))):
            if lefts[node] >= 0:
                parents[lefts[node]] = parents[rights[node]] = node
                lasts[node] = lasts[rights[node]]
        return Layout(*(np.array(a, np.int64) for a in (parents, lefts, rights, lasts)))

    @property
    def leaves(self) -> list[int]:
        return np.flatnonzero(self.lefts < 0).tolist()


@dataclass(frozen=True)
class Given:
    """A slice as all workers see it: its columns as arrays by the names of arguments, and the
    `order` of its rows, worker after worker."""

    batch: pa.RecordBatch
    order: np.ndarray
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Share:
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
