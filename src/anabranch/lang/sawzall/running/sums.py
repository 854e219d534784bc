"""Sums that do not depend on the order: floats are added exactly, and rounded once at the end.

>>> total = None
>>> for x in (1e300, 1.0, -1e300): total = added(total, x)
>>> finished(total)
1.0
>>> finished(added(added(None, (1, 0.5)), (2, 0.25)))
(3, 0.75)
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, isfinite, nan

from anabranch.lang.sawzall.running.values import Pairs, as_int, ordering

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
