"""Kinds that the intermediate language brings: Brooklet's functions, and bare models."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.function import Function
from anabranch.ir.operators.kind import Kind
from anabranch.ir.types import ANY, Type


@dataclass(frozen=True)
class Routine(Kind):
    """A function in Brooklet's own form: `(item, port, *variables) -> (lists, new values)`.

    `lists` has a list of items for each output queue, and the new values are those of the
    variables that the operator writes, in order.
    """

    label = "routine"
    function: Function
    reads: int = 0
    written: tuple[int, ...] = field(default=())

    @property
    def stateful(self):
        return bool(self.reads or self.written)

    @property
    def functions(self):
        return (self.function,)

    def open(self, cells):
        read, written = cells[:self.reads], [cells[i] for i in self.written]
        call = self.function.call

        def fire(port, item):
            lists, values = call(item, port, *(cell.value for cell in read))
            for cell, value in zip(written, values, strict=True):
                cell.value = value
            return [(p, out) for p, items in enumerate(lists) for out in items]
        return fire


@dataclass(frozen=True)
class Modelled(Kind):
    """An operator known by its declared properties alone: it can be planned, not run."""

    label = "model"
    type: Type = ANY
