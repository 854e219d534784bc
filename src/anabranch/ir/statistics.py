"""Aggregates about how values are spread, and which there are.

Where one keeps its values, or parts of them joined would be rounded otherwise, it has no `join`.

>>> spread = Deviation()
>>> for x in (1.0, 2.0, 6.0): spread.add(x)
>>> round(spread.result(), 3)
2.646
"""

from __future__ import annotations

import math
import zlib
from decimal import Decimal

from anabranch.ir.aggregates import Aggregate, Traits
from anabranch.ir.types import ListOf, Type

REGISTERS = 1 << 12
"""Of so many registers an estimate of how many values differ is off by about 1.6 %."""


class Deviation(Aggregate):
    """The standard deviation of a sample, in one pass (Welford); NaN of fewer than two values."""

    traits = Traits(numbers=True, passes_over_none=True)
    n: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, value):
        self.n += 1
        distance = value - self.mean
        self.mean += distance / self.n
        self.squares += distance * (value - self.mean)

    def result(self) -> float:
        return math.sqrt(self.squares / (self.n - 1)) if self.n > 1 else math.nan


class Quantile(Aggregate):
    """The value below which the part `q` of all values lies, between two of them in proportion;
    NaN of no values."""

    traits = Traits(numbers=True, passes_over_none=True)
    q: float = 0.5
    values: list = []

    def add(self, value):
        self.values.append(value)

    def result(self) -> float:
        if not self.values:
            return math.nan
        found = sorted(self.values)
        place = self.q * (len(found) - 1)
        below = math.floor(place)
        above = min(below + 1, len(found) - 1)
        return found[below] + (found[above] - found[below]) * (place - below)


def comparable(value: object) -> object:
    """What is equal for values that are the same key, and is never NaN.

    >>> comparable(2.0) == comparable(2), comparable(math.nan) == comparable(-math.nan)
    (True, True)
    >>> comparable((1, math.nan)) == comparable((1.0, float("nan")))
    True
    """
    if isinstance(value, float):
        return int(value) if value % 1.0 == 0.0 else ("float", repr(value))
    if isinstance(value, Decimal | complex) and value != value:
        return "float", "nan"
    return tuple(map(comparable, value)) if type(value) is tuple else value


class CollectSet(Aggregate):
    """Every value once, in the order of their first appearance."""

    seen: dict = {}

    def add(self, value):
        self.seen.setdefault(comparable(value), value)

    def join(self, other):
        for key, value in other.seen.items():
            self.seen.setdefault(key, value)

    def result(self):
        return list(self.seen.values())

    @classmethod
    def result_type(cls, value: Type) -> Type:
        return ListOf(value)


class CountDistinct(CollectSet):
    """How many values differ."""

    def result(self) -> int:
        return len(self.seen)

    @classmethod
    def result_type(cls, value: Type) -> Type:
        return super(CollectSet, cls).result_type(value)


class ApproximateDistinct(Aggregate):
    """About how many values differ (HyperLogLog): at most a few thousand small numbers are kept.

    Hashes do not depend on the process, so the estimate is the same on every engine.
    """

    ranks: dict = {}

    def add(self, value):
        found = spread(number_of(value))
        register = found % REGISTERS
        rank = 53 - (found // REGISTERS).bit_length()
        if rank > self.ranks.get(register, 0):
            self.ranks[register] = rank

    def join(self, other):
        for register, rank in other.ranks.items():
            self.ranks[register] = max(rank, self.ranks.get(register, 0))

    def result(self) -> int:
        empty = REGISTERS - len(self.ranks)
        total = empty + sum(2.0 ** -rank for rank in self.ranks.values())
        estimate = 0.7213 / (1 + 1.079 / REGISTERS) * REGISTERS * REGISTERS / total
        if estimate <= 2.5 * REGISTERS and empty:
            estimate = REGISTERS * math.log(REGISTERS / empty)
        return round(estimate)


def number_of(value: object) -> int:
    """A number for a value, the same in every process: of numbers that are equal the same one. Of
    what is neither a number nor a text it follows from how Python shows it.

    >>> number_of(2.0), number_of("a") == number_of("a"), number_of("a") == number_of("b")
    (2, True, False)
    """
    plain = comparable(value)
    if isinstance(plain, int):
        return int(plain)
    text = plain if isinstance(plain, str) else repr(plain)
    return zlib.crc32(str.encode(text, "utf-8", "surrogatepass"))


def spread(number: int) -> int:
    """A number of 64 bits in which every bit of the given one has a part.

    >>> spread(1) == spread(1), spread(1) % 4096 == spread(2) % 4096
    (True, False)
    """
    number = number & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
    return number ^ (number >> 31)


class Top(Aggregate):
    """The `n` items with the greatest ranks, the greatest first; of equal ones the first to come.
    With `least` those with the least ranks. Values are pairs of a rank and its item."""

    n: int = 1
    least: bool = False
    ranks: list = []
    items: list = []

    def add(self, value):
        rank, item = value
        if len(self.ranks) == self.n and not self.is_before(rank, self.ranks[-1]):
            return
        low, high = 0, len(self.ranks)
        while low < high:
            middle = (low + high) // 2
            if self.is_before(rank, self.ranks[middle]):
                high = middle
            else:
                low = middle + 1
        self.ranks.insert(low, rank)
        self.items.insert(low, item)
        if len(self.ranks) > self.n:
            self.ranks.pop()
            self.items.pop()

    def is_before(self, rank, other):
        return rank < other if self.least else rank > other

    def result(self):
        return list(self.items)
