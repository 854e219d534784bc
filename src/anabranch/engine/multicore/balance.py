"""Balance: which bucket should move to another process, because its own has too much to do?

It is a state machine without threads: it is told how long buckets took, and asked for moves.

>>> balance = Balance(buckets=4, workers=2)
>>> balance.owners
array([0, 1, 0, 1])
>>> balance.note({0: 0.5, 1: 0.1, 2: 0.5, 3: 0.1})
>>> balance.wanted(now=1.0)
Move(bucket=0, old=0, new=1)
>>> balance.move(Move(0, 0, 1)); balance.owners
array([1, 1, 0, 1])
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

WINDOW = 0.1
"""Buckets are compared by what they took in so many seconds."""

UNEVEN = 1.1
"""A process is overloaded when it has so many times as much to do as the mean."""


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

    def move(self, move: Move) -> None:
        # Slices under way keep the owners that they were given.
        self.owners = self.owners.copy()
        self.owners[move.bucket] = move.new

    def wanted(self, now: float) -> Move | None:
        """A move that would even out the last window, if that was uneven."""
        if now < self.window_end:
            return None
        loads = np.bincount(self.owners, self.busy, minlength=self.workers)
        move = self._relief(loads)
        self.busy[:] = 0.0
        self.window_end = now + WINDOW
        return move

    def _relief(self, loads: np.ndarray) -> Move | None:
        high, low = int(loads.argmax()), int(loads.argmin())
        gap = loads[high] - loads[low]
        own = [b for b in np.flatnonzero(self.owners == high).tolist()
               if 0 < self.busy[b] < gap and b not in self.fixed]
        if loads[high] <= UNEVEN * loads.mean() or not own:
            return None
        return Move(min(own, key=lambda b: abs(self.busy[b] - gap / 2)), high, low)


class RandomBalance(Balance):
    """Moves buckets about without any reason: for tests."""

    def __init__(self, buckets: int, workers: int):
        super().__init__(buckets, workers)
        self.random = random.Random(0)

    def wanted(self, now: float) -> Move | None:
        bucket, new = self.random.randrange(len(self.owners)), self.random.randrange(self.workers)
        if bucket in self.fixed or self.owners[bucket] == new:
            return None
        return Move(bucket, int(self.owners[bucket]), new)


class NoBalance(Balance):
    """Every bucket stays where it is."""

    def wanted(self, now: float) -> Move | None:
        return None


BALANCES = {"where it pays": Balance, "random": RandomBalance, "never": NoBalance}
