"""What an operator is: a frozen description, open to analysis, and what one firing of it does.

`open(cells)` binds a kind to the cells that hold its variables and gives the firing function: from
an input port and an item to the outputs, each with its output port. `finish` is called once, when a
bounded input has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from anabranch.ir.function import Function


class Cell:
    """The present value of a variable."""

    __slots__ = ("value",)

    def __init__(self, value: object = None):
        self.value = value


Output = tuple[int, object]
Fire = Callable[[int, object], Iterable[Output]]


class Kind:
    """What an operator is. A stateful kind owns one variable, which `start` makes."""

    label: ClassVar[str] = "operator"
    stateful: ClassVar[bool] = False

    @property
    def functions(self) -> tuple[Function, ...]:
        """The user's functions that a firing calls."""
        return ()

    def start(self) -> object:
        return None

    def open(self, cells: list[Cell]) -> Fire:
        raise TypeError(f"a {self.label} does not fire")

    def finish(self, cells: list[Cell]) -> Iterable[Output]:
        return ()
