"""A whole program in blocks: machines and filters on arrays, by several workers.

The output is that of the graph, item by item. Blocks hold many periods. Where several filters
print, it matters which period printed what; filters that are not compiled tell that only when a
block is one period.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from anabranch.lang.streamit.coding.module import COMPILED, dtype_of
from anabranch.lang.streamit.execution.machine.group import Group, groups_of, is_stateless
from anabranch.lang.streamit.execution.printing import PrintedLines, Recorded, Write
from anabranch.lang.streamit.execution.stations import (
    Arrays,
    BlockWorkers,
    Compute,
    Firings,
    Ring,
    Station,
    StationPlace,
    mover,
)
from anabranch.lang.streamit.files import RAW
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.sdf.flow import Actor
from anabranch.lang.streamit.sdf.periods import Blocks, shares_of, to_the_end
from anabranch.lang.streamit.sdf.schedule import Schedule
from anabranch.lang.streamit.types import VOID, ArrayOf, Type

ITEMS, FEWEST = 1 << 20, 1 << 16
"""About so many items of the busiest channel make a block at most, and at least: the time between
blocks should not count."""
SHARES = 6
"""Each worker should have so many blocks to do."""


@dataclass(frozen=True)
class BlockEnds:
    """Where values come from and go to: arrays by reader, and functions by writer."""

    readers: dict[str, np.ndarray]
    writers: dict[str, Callable[[np.ndarray], None]]
    printed: Write


class BlockRun:
    """Builds the stations of a scheduled program and runs them."""

    def __init__(self, schedule: Schedule, periods: int | None, ends: BlockEnds,
                 compiles: bool = True, workers: int = 1):
        self.schedule, self.flow, self.ends, self.workers = schedule, schedule.flow, ends, workers
        self.printing = [i for i, a in enumerate(self.flow.actors) if prints(a)]
        self.capped = periods is not None
        self.lengths = {name: len(values) for name, values in ends.readers.items()}
        self.periods = to_the_end(schedule, self.lengths) if periods is None else periods
        self.groups = self._compiled() if compiles else groups_of(schedule, None)
        self.blocks = Blocks(self.periods, self._per_block(), self.capped)
        self.lines = PrintedLines(ends.printed, len(self.printing))

    def _compiled(self) -> list[Group]:
        # Numba takes half a second to import.
        from anabranch.lang.streamit.execution.machine.state import compiled_groups

        return compiled_groups(self.schedule, joined=self.workers == 1)

    def run(self, progress: Callable[[int], None] | None = None) -> None:
        """Runs all blocks; the lines and values come out in order."""
        places = [self._place(group) for group in self.groups]
        BlockWorkers(places, len(self.flow.channels), self.blocks.number, self.workers,
                     progress).run()

    def _per_block(self) -> int:
        if len(self.printing) > 1 and not self._tells_periods():
            return 1
        actors, period = self.flow.actors, self.schedule.period
        busiest = max((period[c.source] * actors[c.source].rates.pushes[c.out]
                       for c in self.flow.channels), default=1)
        shared = max(self.periods // (SHARES * self.workers), FEWEST // max(busiest, 1))
        return max(1, min(self.periods, shared, ITEMS // max(busiest, 1)))

    def _tells_periods(self) -> bool:
        compiled = {i for group in self.groups if group.compiled for i in group.members}
        return compiled.issuperset(self.printing) and not any(c.back for c in self.flow.channels)

    def _place(self, group: Group) -> StationPlace:
        if group.compiled:
            return self._fused(group)
        if len(group.members) == 1:
            index, = group.members
            return StationPlace(self._station(index), [i for i, _ in self.flow.inputs(index)],
                         [i for i, _ in self.flow.outputs(index)])
        return self._ring(group.members)

    def _fused(self, group: Group) -> StationPlace:
        from anabranch.lang.streamit.execution.machine.group import MachinePart as Part
        from anabranch.lang.streamit.execution.machine.state import MachinePlan as Plan
        from anabranch.lang.streamit.execution.machine.state import StatefulMachine as Kept
        from anabranch.lang.streamit.execution.machine.state import StatelessMachine as Anew

        part = Part(self.schedule, group.members)
        station = (Anew if group.stateless else Kept)(
            Plan(part, self.blocks.size), self.blocks, self._recorded(group),
            len(self.printing) > 1)
        return StationPlace(station, *([part.channels[place][0] for place in ends]
                                for ends in (part.inputs, part.outputs)))

    def _recorded(self, group: Group) -> Callable | None:
        """What takes the records of a machine, if it prints."""
        places = {place: self.printing.index(i) for place, i in enumerate(group.members)
                  if i in self.printing}
        if not places:
            return None
        shares = partial(self._shares, group) if len(self.printing) > 1 else None
        return Recorded(self.lines, places, shares).take

    def _shares(self, group: Group, block: int) -> dict[int, np.ndarray | None]:
        """How often the actors of a group fire in each period of a block; None for a single one."""
        if not self._tells_periods():
            return dict.fromkeys(range(len(group.members)))
        shares = shares_of(self.schedule, self.blocks, self.lengths, block)
        return {place: shares[i] for place, i in enumerate(group.members)}

    def _ring(self, members: tuple[int, ...]) -> StationPlace:
        number = {actor: place for place, actor in enumerate(members)}
        inside, entering, leaving = [], [], []
        for index, c in enumerate(self.flow.channels):
            if c.source in number and c.target in number:
                inside.append((number[c.source], c.out, number[c.target], c.into))
            elif c.target in number:
                entering.append((index, (number[c.target], c.into)))
            elif c.source in number:
                leaving.append((index, (number[c.source], c.out)))
        ring = Ring([self._station(actor) for actor in members], inside,
                    [port for _, port in entering], [port for _, port in leaving])
        return StationPlace(ring, [i for i, _ in entering], [i for i, _ in leaving])

    def _station(self, index: int) -> Station:
        actor = self.flow.actors[index]
        left = [filled_array(list(channel.initial), tape_dtype(channel.type))
                for _, channel in self.flow.inputs(index)]
        most = self.schedule.most(index, self.periods) if self.capped else None
        share = partial(self._share, index) if self.flow.is_start(index) else None
        if index in self.printing:
            printer = Printer(self.lines, self.printing.index(index), actor)
            return Station(actor, printer.compute, False, left, most, share, printer.closing)
        return Station(actor, self._compute(actor), is_stateless(actor), left, most, share)

    def _share(self, index: int, block: int) -> int:
        """How often a start fires in a block; block 0 is what happens before the periods."""
        before, period = self.schedule.before[index], self.schedule.period[index]
        return period * self.blocks.count(block) if block else before

    def _compute(self, actor: Actor) -> Compute:
        body = actor.body
        if isinstance(body, File):
            return self._read(actor) if body.reads else self._write(actor)
        if isinstance(body, Work):
            return plain_work(actor, body, [])
        return mover(body, len(actor.rates.pushes))

    def _read(self, actor: Actor) -> Compute:
        values, place = self.ends.readers[actor.name], 0

        def read(firings: Firings) -> Arrays:
            nonlocal place
            taken = np.array(values[place:place + firings.count], tape_dtype(actor.body.type))
            place += firings.count
            return [taken]
        return read

    def _write(self, actor: Actor) -> Compute:
        give = self.ends.writers[actor.name]

        def write(firings: Firings) -> Arrays:
            give(firings.inputs[0][:firings.count].astype(RAW[actor.body.type]))
            return []
        return write


def prints(actor: Actor) -> bool:
    return isinstance(actor.body, Work) and actor.body.code.prints


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

    def __init__(self, lines: PrintedLines, number: int, actor: Actor):
        self.lines, self.number, self.printed = lines, number, []
        self.compute = plain_work(actor, actor.body, self.printed)

    def closing(self, block: int) -> None:
        given, self.printed[:] = list(self.printed), []
        self.lines.give(block, self.number, ["".join(given)], len(given))
