"""What is around a statement: its function, its loops, and what they must know of each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.ir.types import Type


@dataclass
class Loop:
    """A loop, or a switch when `step` is None. `step` writes what comes before the next turn;
    `again` is the variable by which a switch tells the loop around it to go on."""

    step: Callable[[], None] | None
    again: str | None = None
    used: bool = False


@dataclass
class Around:
    """`result` is that of the function (None in no function), `results` the types of the results of
    a statement expression, and `changed` the variables from outside that are assigned to."""

    result: Type | None = None
    depth: int = 0
    changed: set[str] = field(default_factory=set)
    loops: list[Loop] = field(default_factory=list)
    results: list[Type] | None = None
