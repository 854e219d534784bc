"""What a task notes down of a stage's work; it travels to the driver with the output."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from anabranch.engine.multicore.flows import Step


class Measured(NamedTuple):
    """What a stage did with some rows, and from when to when, in seconds of the epoch; its kernel
    had `fast` of them, and `steps` has what each operator did with the others."""

    stage: int
    rows_in: int
    rows_out: int
    seconds: float
    fast: int
    steps: tuple[Step, ...] = ()
    began: float = 0.0
    ended: float = 0.0


def together(one: Measured, other: Measured) -> Measured:
    """What a stage did with the rows of both."""
    sums = (mine + its for mine, its in zip(one[1:5], other[1:5]))
    return Measured(one.stage, *sums, added((*one.steps, *other.steps)),
                    min(one.began, other.began), max(one.ended, other.ended))


def added(steps: Iterable[Step]) -> tuple[Step, ...]:
    """One step for each operator.

    >>> added([Step("map", 2, 1, 0.5), Step("map", 3, 3, 0.25)])
    (Step(operator='map', rows_in=5, rows_out=4, seconds=0.75),)
    """
    sums: dict[str, Step] = {}
    for step in steps:
        known = sums.get(step.operator, Step(step.operator, 0, 0, 0.0))
        sums[step.operator] = Step(step.operator, *map(sum, zip(known[1:], step[1:])))
    return tuple(sums.values())
