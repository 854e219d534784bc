"""What a window computes: folds with `add`, `join`, `result`, or user's own.

>>> mean = Mean()
>>> for x in (1.0, 2.0, 6.0): mean.add(x)
>>> mean.result()
3.0
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Generic, TypeVar

from anabranch.ir.function import Function
from anabranch.ir.records import State
from anabranch.ir.types import ANY, BOOL, DECIMAL, FLOAT, INT, ListOf, Type, type_of, without_none

Item = TypeVar("Item", contravariant=True)


@dataclass(frozen=True)
class Traits:
    """What is known of an aggregate beside its fold: whether it computes with numbers, and Decimals
    among them; whether it `passes_over_none` where values may be None; and whether it has no result
    of no items."""

    numbers: bool = False
    decimals: bool = False
    passes_over_none: bool = False
    needs_items: bool = False


class Aggregate(State):
    """A fold over the values of a window. A subclass has fields with initial values and:

    `add(value)` takes one more value, `result()` gives the answer, and `join(other)` takes in all
    that another fold of the same kind has seen after this one. Without `join` a fold still works,
    but a window cannot be split between workers.
    """

    traits = Traits()

    @classmethod
    def result_type(cls, value: Type) -> Type:
        """The type of the result, from the annotation of `result`."""
        hint = typing.get_type_hints(cls.result).get("return")
        return ANY if hint is None else type_of(hint)

    @classmethod
    def of(cls, value: str | Callable[[Item], object] | None = None,
           where: Callable[[Item], object] | None = None) -> Call[Item]:
        """This fold over an attribute, or over a function of the item; with `where` over the items
        alone for which that function is true."""
        return Call(cls, Function.of(value) if callable(value) else value,
                    None if where is None else Function.of(where))

    @classmethod
    def can_join(cls) -> bool:
        return hasattr(cls, "join")


@dataclass(frozen=True)
class Call(Generic[Item]):
    """An aggregate and what it is applied to: an attribute, a function of the item, or the item.

    It sees the items for which `where` is true. `given` are fields that do not start as usual.
    """

    aggregate: type[Aggregate]
    value: str | Function | None = None
    where: Function | None = None
    given: tuple[tuple[str, object], ...] = ()

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(f for f in (self.value, self.where) if isinstance(f, Function))

    def fold(self) -> Aggregate:
        """The fold of a window that begins."""
        return self.aggregate(**dict(self.given))

    def getter(self):
        if isinstance(self.value, str):
            return attrgetter(self.value)
        return self.value.call if self.value else lambda item: item

    def __str__(self) -> str:
        value = self.value.name if isinstance(self.value, Function) else self.value or ""
        where = f"{', ' if value else ''}where={self.where.name}" if self.where else ""
        return f"{self.aggregate.__name__.lower()}({value}{where})"


class _OfValue(Aggregate):
    """An aggregate whose result is of the type of its values."""

    @classmethod
    def result_type(cls, value):
        return value


class Count(Aggregate):
    n: int = 0

    def add(self, value):
        self.n += 1

    def join(self, other):
        self.n += other.n

    def result(self):
        return self.n

    @classmethod
    def result_type(cls, value):
        return INT


class Sum(Aggregate):
    traits = Traits(numbers=True, decimals=True, passes_over_none=True)
    total: float = 0

    def add(self, value):
        self.total += value

    def join(self, other):
        self.total += other.total

    def result(self):
        return self.total

    @classmethod
    def result_type(cls, value):
        number = without_none(value)
        return INT if number == BOOL else number


class Mean(Aggregate):
    traits = Traits(numbers=True, decimals=True, passes_over_none=True, needs_items=True)
    total: float = 0
    n: int = 0

    def add(self, value):
        self.total += value
        self.n += 1

    def join(self, other):
        self.total += other.total
        self.n += other.n

    def result(self):
        return self.total / self.n if self.n else None

    @classmethod
    def result_type(cls, value):
        return DECIMAL if without_none(value) == DECIMAL else FLOAT


class _Chosen(_OfValue):
    """Keeps one of the values; `seen` tells "none yet" from a value that is None."""

    traits = Traits(needs_items=True)
    value: object = None
    seen: bool = False

    def join(self, other):
        if other.seen:
            self.add(other.value)

    def result(self):
        return self.value


class Min(_Chosen):
    traits = Traits(passes_over_none=True, needs_items=True)

    def add(self, value):
        if not self.seen or value < self.value:
            self.value, self.seen = value, True


class Max(_Chosen):
    traits = Traits(passes_over_none=True, needs_items=True)

    def add(self, value):
        if not self.seen or value > self.value:
            self.value, self.seen = value, True


class First(_Chosen):
    def add(self, value):
        if not self.seen:
            self.value, self.seen = value, True


class Last(_Chosen):
    def add(self, value):
        self.value, self.seen = value, True


class Any(First):
    """Some value of the window, for an attribute that all its items share: it is forwarded."""


class Collect(Aggregate):
    values: list = []

    def add(self, value):
        self.values.append(value)

    def join(self, other):
        self.values.extend(other.values)

    def result(self):
        return list(self.values)

    @classmethod
    def result_type(cls, value):
        return ListOf(value)


class WindowStart(_OfValue):
    """Where an event-time window begins; the window operator knows, no value is needed."""

    def add(self, value):
        pass

    def join(self, other):
        pass

    def result(self):
        return None


class WindowEnd(WindowStart):
    """Where an event-time window ends (exclusive)."""
