"""Kinds that look at one item at a time."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.ir.function import Function
from anabranch.ir.operators.kind import Kind


@dataclass(frozen=True)
class PerItem(Kind):
    """A kind that is one function of the item."""

    function: Function

    @property
    def functions(self):
        return (self.function,)


class Map(PerItem):
    """One output for each input."""

    label = "map"

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, call(item)),)


class Filter(PerItem):
    """The input itself, or nothing."""

    label = "filter"

    def open(self, cells):
        call = self.function.call
        return lambda port, item: ((0, item),) if call(item) else ()


class FlatMap(PerItem):
    """Every item of what the function gives for an input."""

    label = "flat_map"

    def open(self, cells):
        call = self.function.call
        return lambda port, item: [(0, out) for out in call(item)]


@dataclass(frozen=True)
class Split(Kind):
    """The input on the port of the first predicate that holds, or on the last port."""

    label = "split"
    predicates: tuple[Function, ...]

    @property
    def functions(self):
        return self.predicates

    def open(self, cells):
        calls = [p.call for p in self.predicates]

        def fire(port, item):
            chosen = next((i for i, call in enumerate(calls) if call(item)), len(calls))
            return ((chosen, item),)
        return fire
