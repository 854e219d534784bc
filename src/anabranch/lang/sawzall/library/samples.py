"""Aggregators of many values: quantiles, samples, how sure a sum is.

Aggregators that tell something of many values without showing all of them.

>>> quantile = Quantile(3)
>>> for n in (5, 1, 9): quantile.add(n, None)
>>> list(quantile.rows())
[(1,), (5,), (9,)]

Samples of weighted values. Chance is a hash of the values, so every engine draws the same.

>>> sample = DistinctSample(2)
>>> for word in ("a", "b", "a"): sample.add(word, 1)
>>> list(sample.rows())
[('a', 2), ('b', 1)]
>>> histogram = InverseHistogram(5); histogram.add("a", 1); list(histogram.rows())
[(0, 1.0), (1, 1.0)]

Sums of samples drawn with repetition, by which one sees how sure a sum is.

The first of the sums is the true one. For the others every value counts as often as a Poisson
distribution of mean 1 says, whose chance comes from the weight, a fingerprint.

>>> sums = BootstrapSum(3); sums.add(5, 12345); list(sums.rows())
[(5,), (0,), (0,)]
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest
from itertools import accumulate
from math import ceil, log

from anabranch.lang.sawzall.library.folds import NO_ROW, Fold, added, finished, times
from anabranch.lang.sawzall.library.numbers import code_of
from anabranch.lang.sawzall.library.values import WHOLE, ordering


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


class DistinctSample(Fold):
    """`size` of the different values, all as likely, with the sums of their weights."""

    def __init__(self, size=None):
        super().__init__(size)
        self.weights: dict = {}
        self.largest, self.seen = 1 << 64, 0

    def add(self, value, weight):
        self.seen += 1
        self._hold(value, weight)

    def _hold(self, value: object, weight: object) -> None:
        if value not in self.weights and code_of(value) > self.largest:
            return
        self.weights[value] = added(self.weights.get(value), weight)
        if len(self.weights) >= 2 * self.size + 100:
            self._shrink()

    def _shrink(self) -> None:
        if len(self.weights) < self.size:
            return
        least = nsmallest(self.size, self.weights, key=code_of)
        self.weights = {value: self.weights[value] for value in least}
        self.largest = max(map(code_of, least), default=-1)

    def join(self, other):
        self.seen += other.seen
        self.largest = min(self.largest, other.largest)
        for value, weight in other.weights.items():
            self._hold(value, weight)
        self._shrink()

    def rows(self):
        yield from self._sampled() or NO_ROW

    def _sampled(self) -> list[tuple]:
        self._shrink()
        return [(v, finished(self.weights[v])) for v in sorted(self.weights, key=ordering)]


class InverseHistogram(DistinctSample):
    """The number of different values, and which part of them each sum of weights has.

    The number is exact below `size`; from there on its relative standard error is
    1 / sqrt(size - 2), and the parts are those of a sample of `size` values.
    """

    def add(self, value, weight):
        super().add(value, weight)
        self.nothing = _zero(weight)

    def join(self, other):
        super().join(other)
        self.nothing = other.nothing

    def rows(self):
        found = Counter(weight for _, weight in self._sampled())
        count = sum(found.values())
        yield self.nothing, float(self._different(count))
        for weight in sorted(found, key=ordering):
            yield weight, found[weight] / count

    def _different(self, count: int) -> int:
        if count < self.size or not count:
            return count
        return min(self.seen, (self.size << 64) // self.largest)


def _zero(weight: object) -> object:
    return tuple(map(_zero, weight)) if isinstance(weight, tuple) else type(weight)(0)


class WeightedSample(Fold):
    """`size` of the values, more likely the heavier they are, each with what it was drawn by."""

    def __init__(self, size=None):
        super().__init__(size)
        self.copies: Counter = Counter()

    def add(self, value, weight):
        if weight > 0:
            self.copies[value, weight] += 1

    def join(self, other):
        self.copies.update(other.copies)

    def rows(self):
        drawn = nsmallest(self.size, self._drawn())
        yield from sorted(((value, mark) for _, _, value, mark in drawn), key=ordering)

    def _drawn(self) -> Iterator[tuple]:
        """Every copy with its mark; the marks nearest to zero are chosen."""
        for (value, weight), count in self.copies.items():
            for copy in range(count):
                mark = log((code_of((value, weight, copy)) + 0.5) / (1 << 64)) / weight + 0.0
                yield -mark, ordering(value), value, mark


CUTS = (1580030169, 3160060337, 3950075422, 4213413783, 4279248373, 4292415291, 4294609777,
        4294923275, 4294962462, 4294966816, 4294967251, 4294967291, 4294967295)
"""Up to where 32 random bits mean 0, 1, 2, ..."""


class BootstrapSum(Fold):
    """`size` sums; values without a fingerprint draw by a hash of the value."""

    def __init__(self, size=None):
        super().__init__(size)
        self.totals: list = [None] * size
        self.unmarked: Counter = Counter()

    def add(self, value, weight):
        if weight:
            self.totals = _drawn(self.totals, value, weight)
        else:
            self.unmarked[value] += 1

    def join(self, other):
        self.unmarked.update(other.unmarked)
        if other.totals[:1] != [None]:
            self.totals = list(map(added, self.totals, other.totals))

    def rows(self):
        totals = self.totals
        for value, count in self.unmarked.items():
            for copy in range(count):
                totals = _drawn(totals, value, code_of((value, copy)))
        yield from ((finished(total),) for total in totals)


def _drawn(totals: list, value: object, seed: int) -> list:
    return [added(total, times(value, count)) for total, count in zip(totals, counts(seed))]


def counts(seed: int) -> Iterator[int]:
    """How often a value counts in each sum: once, and then as a Poisson distribution says.

    >>> [count for count, _ in zip(counts(1), range(8))]
    [1, 1, 0, 1, 1, 1, 1, 1]
    """
    yield 1
    chance = _words(seed)
    while True:
        for first in reversed(next(chance).to_bytes(4, "little")):
            low, high = (bisect_left(CUTS, first << 24 | end) for end in (0, 0xFFFFFF))
            yield low if low == high else \
                bisect_left(CUTS, first << 24 | next(chance) & 0xFFFFFF)


def _words(state: int) -> Iterator[int]:
    """A linear congruential generator, by Knuth's constants."""
    while True:
        state = (6364136223846793005 * state + 1442695040888963407) & WHOLE
        yield state >> 32
