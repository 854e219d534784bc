"""Samples of weighted values. Chance is a hash of the values, so every engine draws the same.

>>> sample = DistinctSample(2)
>>> for word in ("a", "b", "a"): sample.add(word, 1)
>>> list(sample.rows())
[('a', 2), ('b', 1)]
>>> histogram = InverseHistogram(5); histogram.add("a", 1); list(histogram.rows())
[(0, 1.0), (1, 1.0)]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from heapq import nsmallest
from math import log

from anabranch.lang.sawzall.running.folds import NO_ROW, Fold
from anabranch.lang.sawzall.running.numbers import code_of
from anabranch.lang.sawzall.running.sums import added, finished
from anabranch.lang.sawzall.running.values import ordering


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
