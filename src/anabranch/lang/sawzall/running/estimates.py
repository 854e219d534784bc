"""Aggregators that tell something of many values without showing all of them.

>>> quantile = Quantile(3)
>>> for n in (5, 1, 9): quantile.add(n, None)
>>> list(quantile.rows())
[(1,), (5,), (9,)]
"""

from __future__ import annotations

from collections import Counter
from heapq import nsmallest
from itertools import accumulate
from math import ceil

from anabranch.lang.sawzall.running.folds import NO_ROW, Fold
from anabranch.lang.sawzall.running.numbers import code_of
from anabranch.lang.sawzall.running.values import ordering


class _Counted(Fold):
    """How often each value came, or what its weights add up to."""

    def __init__(self, size=None):
        super().__init__(size)
        self.counts: Counter = Counter()

    def add(self, value, weight):
        self.counts[value] += 1

    def repeat(self, value, weight, count):
        self.counts[value] += count

    def join(self, other):
        self.counts.update(other.counts)

    def ordered(self) -> list:
        return sorted(self.counts, key=ordering)


class Quantile(_Counted):
    """The least value, the greatest, and those in between that part all into `size` - 1 pieces."""

    def rows(self):
        values = self.ordered()
        ends = list(accumulate(self.counts[v] for v in values))
        pieces = max(self.size - 1, 1)
        yield (values[0],)
        for i in range(1, self.size - 1):
            target = ceil(i * (ends[-1] / pieces))
            yield (next(v for v, end in zip(values, ends) if end >= target),)
        yield (values[-1],)


class Sample(_Counted):
    """`size` of the values, chosen by a hash of the value and of which of its copies it is."""

    def rows(self):
        copies = ((v, n) for v in self.ordered() for n in range(min(self.counts[v], self.size)))
        chosen = nsmallest(self.size, copies, key=code_of)
        yield from sorted(((value,) for value, _ in chosen), key=ordering) or NO_ROW


class Unique(Fold):
    """How many different values: exact below `size`, then estimated from the `size` least hashes.

    The relative standard error of the estimate is 1 / sqrt(size - 2).
    """

    def __init__(self, size=None):
        super().__init__(size)
        self.least: set[int] = set()
        self.largest, self.seen = 1 << 64, 0

    def add(self, value, weight):
        self.repeat(value, weight, 1)

    def repeat(self, value, weight, count):
        self.seen += count
        self._hold(code_of(value))

    def _hold(self, code: int) -> None:
        if code >= self.largest:
            return
        self.least.add(code)
        if len(self.least) >= 2 * self.size + 100:
            self._shrink()

    def _shrink(self) -> None:
        self.least = set(nsmallest(self.size, self.least))
        self.largest = max(self.least, default=0)

    def join(self, other):
        self.seen += other.seen
        for code in other.least:
            self._hold(code)

    def rows(self):
        self._shrink()
        if len(self.least) < self.size or not self.size:
            yield (len(self.least),)
        else:
            yield (min(self.seen, (self.size << 64) // max(self.least)),)
