"""Aggregates that take values in and out again, in any order, with one result.

Floats are summed exactly, as whole multiples of the smallest float: adding and taking away leaves
no trace, and the order of the rows does not matter.

>>> total = Sum()
>>> for x, n in ((0.1, 1), (1e300, 1), (0.2, 1), (1e300, -1)): total.change(x, n)
>>> total.result()
0.30000000000000004
"""

from __future__ import annotations

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
OF_ANY = {"count": Count, "min": Min, "max": Max}


def fold_of(function: str, value: str | None) -> type[State]:
    """The fold of an aggregate over values of a type; over the rows themselves without one."""
    if value is None:
        return CountRows
    return FOLDS.get((function, value)) or OF_ANY[function]


def new_folds(kinds: tuple[tuple[type[State], bool], ...]) -> list[State]:
    """Fresh folds; those over distinct values see each value once."""
    return [Each(fold=kind()) if distinct else kind() for kind, distinct in kinds]
