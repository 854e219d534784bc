"""What a filter does with a block of items in plain Python, and how blocks hold items."""

from __future__ import annotations

import numpy as np

from anabranch.lang.streamit.coding.constants import COMPILED, dtype_of
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.printed import Lines
from anabranch.lang.streamit.types import VOID, ArrayOf, Type
from anabranch.sdf.flow import Actor
from anabranch.sdf.stations import Arrays, Compute, Firings


def plain_work(actor: Actor, work: Work, lines: list[str]) -> Compute:
    """The firings in plain Python; what they print is put behind the lines."""
    fields = work.fresh()

    def compute(firings: Firings) -> Arrays:
        name, peek, pop, push = rates_called(actor, firings.first)
        items = firings.inputs[0].tolist() if firings.inputs else []
        out: list = [None] * (firings.count * push)
        work.functions[name](firings.count, peek, pop, push, items, 0, out, 0, lines,
                             *work.environment, *fields)
        return [filled_array(out, tape_dtype(work.code.output))] if actor.rates.pushes else []
    return compute


def rates_called(actor: Actor, first: bool) -> tuple[str, int, int, int]:
    """The function of a firing, and how much it looks at, takes and gives."""
    rates = actor.first if first else actor.rates
    peek, pop = (rates.peeks[0], rates.pops[0]) if rates.pops else (0, 0)
    return "prework" if first else "work", peek, pop, rates.pushes[0] if rates.pushes else 0


def filled_array(items: list, dtype: object) -> np.ndarray:
    """An array of items; where they are arrays themselves, of objects."""
    if dtype is not object:
        return np.array(items, dtype)
    array = np.empty(len(items), object)
    for place, item in enumerate(items):
        array[place] = item
    return array


def tape_dtype(type: Type) -> object:
    """How a channel's items are held in blocks."""
    return object if isinstance(type, ArrayOf) or type == VOID else dtype_of(type, COMPILED)


class Printer:
    """A filter that prints: it collects the lines of a block and gives them when it is done."""

    def __init__(self, lines: Lines, number: int, actor: Actor):
        self.lines, self.number, self.printed = lines, number, []
        self.compute = plain_work(actor, actor.body, self.printed)

    def closing(self, block: int) -> None:
        given, self.printed[:] = list(self.printed), []
        self.lines.give(block, self.number, ["".join(given)], len(given))
