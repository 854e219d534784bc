"""Aggregates that take values in and out again, in any order, with one result.

Floats are summed exactly, as whole multiples of the smallest float: adding and taking away leaves
no trace, and the order of the rows does not matter.

>>> total = Sum()
>>> for x, n in ((0.1, 1), (1e300, 1), (0.2, 1), (1e300, -1)): total.change(x, n)
>>> total.result()
0.30000000000000004
"""

from __future__ import annotations

import bisect
import heapq
import math

from anabranch.ir.records import Record, State

UNIT = 1074
"""The smallest float is 2 to the power of -1074."""


class CountRows(State):
    n: int = 0

    def change(self, value, n):
        self.n += n

    def result(self):
        return self.n


class Count(CountRows):
    """How many values are not null."""

    def change(self, value, n):
        if value is not None:
            self.n += n


class SumInts(State):
    total: int = 0
    n: int = 0

    def change(self, value, n):
        if value is not None:
            self.total += n * value
            self.n += n

    def result(self):
        return self.total if self.n else None


class AverageInts(SumInts):
    def result(self):
        return self.total / self.n if self.n else None


class Sum(State):
    """`total` counts the smallest float; `infinities` are how often +inf and -inf are there."""

    total: int = 0
    n: int = 0
    infinities: dict = {}

    def change(self, value, n):
        if value is None:
            return
        self.n += n
        if math.isinf(value):
            self.infinities[value] = self.infinities.get(value, 0) + n
        else:
            top, bottom = float(value).as_integer_ratio()
            self.total += n * (top << (UNIT + 1 - bottom.bit_length()))

    def result(self):
        return self._over(1) if self.n else None

    def _over(self, count: int) -> float:
        infinite = sum(value for value, n in self.infinities.items() if n)
        if infinite:
            return infinite
        try:
            return self.total / (count << UNIT)
        except OverflowError:
            return math.copysign(math.inf, self.total)


class Average(Sum):
    def result(self):
        return self._over(self.n) if self.n else None


class Spread(State):
    """The variance: exact sums of the values and of their squares, in smallest floats."""

    n: int = 0
    total: int = 0
    squares: int = 0
    infinite: int = 0
    lost: int = 0

    def change(self, value, n):
        if value is None:
            return
        self.n += n
        if math.isinf(value):
            self.infinite += n
            return
        top, bottom = value.as_integer_ratio()
        whole = top << (UNIT + 1 - bottom.bit_length())
        self.total += n * whole
        self.squares += n * whole * whole

    def result(self):
        count = self.n - self.lost
        if count < 1:
            return None
        if self.infinite:
            return math.inf
        top = self.n * self.squares - self.total * self.total
        try:
            return self._shown(top / (self.n * count << 2 * UNIT))
        except OverflowError:
            return math.inf

    def _shown(self, variance: float) -> float:
        return variance


class SampleSpread(Spread):
    """That of a sample, which one value alone does not have."""

    lost: int = 1


class Deviation(Spread):
    def _shown(self, variance):
        return math.sqrt(variance)


class SampleDeviation(SampleSpread):
    def _shown(self, variance):
        return math.sqrt(variance)


class Median(State):
    """The value in the middle of all, in their order; the mean of the two there."""

    values: list = []

    def change(self, value, n):
        if value is None:
            return
        at = bisect.bisect_left(self.values, value)
        if n > 0:
            self.values[at:at] = [value] * n
        else:
            del self.values[at:at - n]

    def result(self):
        if not self.values:
            return None
        low, high = (len(self.values) - 1) // 2, len(self.values) // 2
        if low == high:
            return float(self.values[low])
        total = Average()
        total.change(self.values[low], 1)
        total.change(self.values[high], 1)
        return total.result()


class Descending(Record):
    """A value in a heap whose greatest element is the first."""

    value: object

    def __lt__(self, other):
        return other.value < self.value


class Min(State):
    """How often each value is there, and a heap in which values stay until they come to the top."""

    counts: dict = {}
    heap: list = []

    def change(self, value, n):
        if value is None:
            return
        if value not in self.counts:
            self.counts[value] = 0
            heapq.heappush(self.heap, self._entry(value))
        self.counts[value] += n

    def result(self):
        while self.heap:
            value = self._value(self.heap[0])
            if self.counts[value]:
                return value
            heapq.heappop(self.heap)
            del self.counts[value]
        return None

    def _entry(self, value):
        return value

    def _value(self, entry):
        return entry


class Max(Min):
    def _entry(self, value):
        return Descending(value)

    def _value(self, entry):
        return entry.value


class MaxNumber(Min):
    """As `Max`, for numbers, whose order is turned round by their sign."""

    def _entry(self, value):
        return -value

    def _value(self, entry):
        return -entry


class Each(State):
    """A fold over distinct values: it sees a value when the first of its kind comes, and takes it
    out with the last."""

    fold: object = None
    counts: dict = {}

    def change(self, value, n):
        before = self.counts.pop(value, 0)
        after = before + n
        if after:
            self.counts[value] = after
        if (before > 0) != (after > 0):
            self.fold.change(value, 1 if after > 0 else -1)

    def result(self):
        return self.fold.result()


FOLDS = {("sum", "int"): SumInts, ("sum", "float"): Sum,
         ("avg", "int"): AverageInts, ("avg", "float"): Average,
         ("max", "int"): MaxNumber, ("max", "float"): MaxNumber}
OF_ANY = {"count": Count, "min": Min, "max": Max, "median": Median, "var_pop": Spread,
          "var_samp": SampleSpread, "stddev_pop": Deviation, "stddev_samp": SampleDeviation}


def fold_of(function: str, value: str | None) -> type[State]:
    """The fold of an aggregate over values of a type; over the rows themselves without one."""
    if value is None:
        return CountRows
    return FOLDS.get((function, value)) or OF_ANY[function]


def new_folds(kinds: tuple[tuple[type[State], bool], ...]) -> list[State]:
    """Fresh folds; those over distinct values see each value once."""
    return [Each(fold=kind()) if distinct else kind() for kind, distinct in kinds]
