"""Balance: which buckets should leave a process that has too much to do.

It is a state machine without threads: it is told how long buckets took, and asked for moves when a
process has fallen behind the others.

>>> balance = Balance(buckets=4, workers=2)
>>> balance.owners
array([0, 1, 0, 1])
>>> balance.note({0: 0.5, 1: 0.1, 2: 0.5, 3: 0.1})
>>> balance.wanted(now=1.0, behind=True)
[Move(bucket=0, old=0, new=1), Move(bucket=1, old=1, new=0)]
>>> balance.move(Move(0, 0, 1)); balance.owners
array([1, 1, 0, 1])
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

WINDOW = 0.2
"""Buckets are compared by what they took; after so many seconds that counts half."""

EVEN = 0.05
"""Buckets move until the most and the least that any process has to do differ by no more than this
part of the mean."""

UNSEEN = 1
"""So many rows a bucket is taken to have more than were seen of it: a slice of few rows has none of
most buckets."""


class Move(NamedTuple):
    bucket: int
    old: int
    new: int


class Balance:
    """The owner of every bucket, as it should be for the slices that come next."""

    def __init__(self, buckets: int, workers: int):
        self.workers = workers
        self.owners = np.arange(buckets, dtype=np.int64) % workers
        self.busy = np.zeros(buckets)
        self.window_end = 0.0
        self.fixed: set[int] = set()

    def note(self, busy: Mapping[int, float]) -> None:
        """So many seconds each bucket took, in some slices that are done."""
        for bucket, seconds in busy.items():
            self.busy[bucket] += seconds

    def fix(self, bucket: int) -> None:
        """The bucket cannot move."""
        self.fixed.add(bucket)

    def place(self, loads: np.ndarray) -> None:
        """Chooses the owners anew, by the load of each bucket: the heaviest bucket first, to whom
        has the least.

        >>> balance = Balance(buckets=4, workers=2)
        >>> balance.place(np.array([1, 2, 3, 2])); balance.owners
        array([0, 1, 0, 1])
        """
        owned = [(0, worker) for worker in range(self.workers)]
        self.owners = self.owners.copy()
        for bucket in np.argsort(-loads, kind="stable").tolist():
            load, worker = owned[0]
            self.owners[bucket] = worker
            heapq.heapreplace(owned, (load + int(loads[bucket]) + UNSEEN, worker))

    def move(self, move: Move) -> None:
        # Slices under way keep the owners that they were given.
        self.owners = self.owners.copy()
        self.owners[move.bucket] = move.new

    def wanted(self, now: float, behind: bool) -> list[Move]:
        """The moves that would even out what the buckets took, if some process is `behind`; at most
        once in a window."""
        if now < self.window_end:
            return []
        evened = self._evened() if behind else self.owners
        self.busy /= 2
        self.window_end = now + WINDOW
        return [Move(bucket, int(self.owners[bucket]), int(evened[bucket]))
                for bucket in np.flatnonzero(evened != self.owners).tolist()]

    def _evened(self) -> np.ndarray:
        """The owners as they should be: buckets go from who has most to do to who has least."""
        owners = self.owners.copy()
        loads = np.bincount(owners, self.busy, minlength=self.workers)
        while (bucket := self._relief(owners, loads)) is not None:
            low = loads.argmin()
            loads[owners[bucket]] -= self.busy[bucket]
            loads[low] += self.busy[bucket]
            owners[bucket] = low
        return owners

    def _relief(self, owners: np.ndarray, loads: np.ndarray) -> int | None:
        """The bucket that comes nearest to evening out the most and the least loaded process."""
        high, gap = loads.argmax(), loads.max() - loads.min()
        own = [b for b in np.flatnonzero(owners == high).tolist()
               if 0 < self.busy[b] < gap and b not in self.fixed]
        if gap <= EVEN * loads.mean():
            return None
        return min(own, key=lambda b: abs(self.busy[b] - gap / 2), default=None)


class RandomBalance(Balance):
    """Moves buckets about without any reason: for tests."""

    def __init__(self, buckets: int, workers: int):
        super().__init__(buckets, workers)
        self.random = random.Random(0)

    def wanted(self, now: float, behind: bool) -> list[Move]:
        bucket, new = self.random.randrange(len(self.owners)), self.random.randrange(self.workers)
        if bucket in self.fixed or self.owners[bucket] == new:
            return []
        return [Move(bucket, int(self.owners[bucket]), new)]


class NoBalance(Balance):
    """Every bucket stays where it is."""

    def wanted(self, now: float, behind: bool) -> list[Move]:
        return []


BALANCES = {"where it pays": Balance, "random": RandomBalance, "never": NoBalance}
