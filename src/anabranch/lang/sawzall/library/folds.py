"""The tables' aggregators, and sums that do not depend on the order.

The tables' aggregators. All but `Collection` give the same whatever the order of what comes.

A fold takes values with weights, takes in another fold of its kind, and ends in rows: a value with
what is shown after it. Values are frozen, so that they can be kept and counted.

>>> top = Top(1); top.add("a", 2); top.add("b", 3); list(top.rows())
[('b', 3, 0)]
>>> top.copied() == top, top.copied() is top, top
(True, False, Top(size=1, weights={'a': 2, 'b': 3}))

Sums that do not depend on the order: floats are added exactly, and rounded once at the end.

>>> total = None
>>> for x in (1e300, 1.0, -1e300): total = added(total, x)
>>> finished(total)
1.0
>>> finished(added(added(None, (1, 0.5)), (2, 0.25)))
(3, 0.75)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import inf, isfinite, nan

from anabranch.lang.sawzall.library.values import Pairs, as_int, ordering

NO_ROW = ((),)
"""What a table of size 0 shows for a key."""


class Fold:
    """The root of all folds; `size` is the number in the table's declaration."""

    def __init__(self, size: int | None = None):
        self.size = size

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __repr__(self) -> str:
        held = (f"{name}={sorted(value) if isinstance(value, set) else value!r}"
                for name, value in sorted(vars(self).items()))
        return f"{type(self).__name__}({', '.join(held)})"

    def copied(self) -> Fold:
        """Another fold that has seen the same."""
        other = type(self)(self.size)
        other.join(self)
        return other

    def add(self, value: object, weight: object) -> None:
        """Takes an emitted value in, as the kind of table does."""
        raise NotImplementedError

    def repeat(self, value: object, weight: object, count: int) -> None:
        """Takes a value in so many times."""
        for _ in range(count):
            self.add(value, weight)

    def join(self, other: Fold) -> None:
        """Takes in what another fold of the same table has seen."""
        raise NotImplementedError

    def rows(self) -> Iterator[tuple]:
        """What the table holds, in the order in which it is printed."""
        raise NotImplementedError


class Sum(Fold):
    """The sum of numbers, and of tuples and maps part by part."""

    total = None

    def add(self, value, weight):
        self.total = added(self.total, value)

    def join(self, other):
        self.total = added(self.total, other.total)

    def rows(self):
        yield (finished(self.total),)


class Collection(Fold):
    """All values, in their order."""

    def __init__(self, size=None):
        super().__init__(size)
        self.values: list = []

    def add(self, value, weight):
        self.values.append(value)

    def join(self, other):
        self.values += other.values

    def rows(self):
        return ((value,) for value in self.values)


class Distinct(Fold):
    """The different values; nothing at all if there are more than `size`."""

    def __init__(self, size=None):
        super().__init__(size)
        self.values: set = set()

    def add(self, value, weight):
        # One more than fit is enough to know that there are too many.
        if len(self.values) <= self.size:
            self.values.add(value)

    def repeat(self, value, weight, count):
        self.add(value, weight)

    def join(self, other):
        for value in other.values:
            self.add(value, None)

    def rows(self):
        if len(self.values) <= self.size:
            yield from ((value,) for value in sorted(self.values, key=ordering))


class Maximum(Fold):
    """The `size` values of greatest weight, with their weights; equal ones by value. What is
    lighter than `bar` is not among them."""

    backwards = True

    def __init__(self, size=None):
        super().__init__(size)
        self.held: list = []
        self.bar = None

    def add(self, value, weight):
        if self.bar is not None and self._is_out(weight):
            return
        self.held.append((value, weight))
        if len(self.held) >= 2 * self.size + 100:
            self.held = self._best()
            self.bar = self.held[-1][1] if self.held else None

    def _is_out(self, weight: object) -> bool:
        # Nothing is less than what is no number, which comes first here.
        return weight < self.bar

    def repeat(self, value, weight, count):
        super().repeat(value, weight, min(count, self.size))

    def join(self, other):
        self.held += other.held
        self.held = self._best()

    def last(self) -> object | None:
        """The weight of the last value that is kept, if there are as many as can be."""
        best = self._best()
        return best[-1][1] if best and len(best) == self.size else None

    def _best(self) -> list:
        by_value = sorted(self.held, key=lambda pair: ordering(pair[0]))
        by_value.sort(key=lambda pair: ordering(pair[1]), reverse=self.backwards)
        return by_value[:self.size]

    def rows(self):
        yield from self._best() or NO_ROW


class Minimum(Maximum):
    """The `size` values of least weight."""

    backwards = False

    def _is_out(self, weight):
        return weight > self.bar


class Top(Fold):
    """The `size` values whose weights add up to most, counted exactly: the deviation is 0."""

    def __init__(self, size=None):
        super().__init__(size)
        self.weights: dict = {}

    def add(self, value, weight):
        self.weights[value] = added(self.weights.get(value), weight)

    def repeat(self, value, weight, count):
        self.add(value, times(weight, count))

    def join(self, other):
        for value, weight in other.weights.items():
            self.add(value, weight)

    def rows(self):
        totals = {value: finished(weight) for value, weight in self.weights.items()}
        best = sorted(sorted(totals, key=ordering), key=lambda v: ordering(totals[v]), reverse=True)
        # A stable sort turned around keeps equal ones in order.
        for value in best[:self.size]:
            weight = totals[value]
            deviation = (0,) * len(weight) if isinstance(weight, tuple) else 0
            yield value, weight, deviation


UNIT = 1074
"""Every float is a whole number of 2 ** -1074."""


class Exact:
    """A sum of floats as a whole number of the smallest unit, and what is no number beside it."""

    __slots__ = ("infinite", "total")

    def __init__(self, total: int = 0, infinite: float = 0.0):
        self.total, self.infinite = total, infinite

    def __add__(self, other: Exact) -> Exact:
        return Exact(self.total + other.total, self.infinite + other.infinite)

    def __float__(self) -> float:
        if self.infinite:
            return self.infinite
        try:
            return float(Fraction(self.total, 1 << UNIT))
        except OverflowError:
            return inf if self.total > 0 else -inf

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exact) and repr(self) == repr(other)

    def __repr__(self) -> str:
        return f"Exact({self.total}, {self.infinite})"

    def __reduce__(self):
        return Exact, (self.total, self.infinite)


def exact(value: float) -> Exact:
    if not isfinite(value):
        return Exact(0, value if value == value else nan)
    numerator, denominator = value.as_integer_ratio()
    return Exact(numerator << (UNIT + 1 - denominator.bit_length()))


def added(total: object, value: object) -> object:
    """A running total with one more value in it, or another running total."""
    if isinstance(value, float):
        value = exact(value)
    elif isinstance(value, Pairs | dict):
        return _added_maps({} if total is None else total,
                           value if isinstance(value, Pairs) else value.items())
    elif isinstance(value, tuple | list):
        return [added(None, v) for v in value] if total is None else list(map(added, total, value))
    return value if total is None else total + value


def _added_maps(total: dict, pairs: Iterable[tuple]) -> dict:
    return {**total, **{key: added(total.get(key), value) for key, value in pairs}}


def finished(total: object) -> object:
    """The value of a running total; integers have 64 bits."""
    if isinstance(total, Exact):
        return float(total)
    if isinstance(total, list):
        return tuple(map(finished, total))
    if isinstance(total, dict):
        return Pairs((k, finished(total[k])) for k in sorted(total, key=ordering))
    return as_int(total)


def times(value: object, count: int) -> object:
    """A value so many times: a number, or the numbers of a tuple.

    >>> times((2, 0.5), 3)
    (6, 1.5)
    """
    return tuple(times(v, count) for v in value) if isinstance(value, tuple) else value * count
