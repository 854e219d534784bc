"""A whole program in blocks: machines on arrays, by several workers.

The output is that of the graph, item by item. Blocks hold many periods. Where several filters
print, it matters which period printed what; filters that are not compiled tell that only when a
block is one period.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from anabranch.lang.streamit.blocks import Printer, filled_array, plain_work, tape_dtype
from anabranch.lang.streamit.files import RAW
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.machine.groups import Group, groups_of, is_stateless
from anabranch.lang.streamit.periods import Blocks, shares_of, to_the_end
from anabranch.lang.streamit.printed import Lines, Recorded, Write
from anabranch.sdf.crew import Crew, Place
from anabranch.sdf.flow import Actor
from anabranch.sdf.moving import mover
from anabranch.sdf.schedule import Schedule
from anabranch.sdf.stations import Arrays, Compute, Firings, Ring, Station

ITEMS, FEWEST = 1 << 20, 1 << 16
"""About so many items of the busiest channel make a block at most, and at least: the time between
blocks should not count."""
SHARES = 6
"""Each worker should have so many blocks to do."""


@dataclass(frozen=True)
class Ends:
    """Where values come from and go to: arrays by reader, and functions by writer."""

    readers: dict[str, np.ndarray]
    writers: dict[str, Callable[[np.ndarray], None]]
    printed: Write


class Whole:
    """Builds the stations of a scheduled program and runs them."""

    def __init__(self, schedule: Schedule, periods: int | None, ends: Ends,
                 compiles: bool = True, workers: int = 1):
        self.schedule, self.flow, self.ends, self.workers = schedule, schedule.flow, ends, workers
        self.printing = [i for i, a in enumerate(self.flow.actors) if prints(a)]
        self.capped = periods is not None
        self.lengths = {name: len(values) for name, values in ends.readers.items()}
        self.periods = to_the_end(schedule, self.lengths) if periods is None else periods
        self.groups = self._compiled() if compiles else groups_of(schedule, None)
        self.blocks = Blocks(self.periods, self._per_block(), self.capped)
        self.lines = Lines(ends.printed, len(self.printing))

    def _compiled(self) -> list[Group]:
        # Numba takes half a second to import.
        from anabranch.lang.streamit.machine.compiling import compiled_groups

        return compiled_groups(self.schedule, joined=self.workers == 1)

    def run(self, progress: Callable[[int], None] | None = None) -> None:
        """Runs all blocks; the lines and values come out in order."""
        places = [self._place(group) for group in self.groups]
        Crew(places, len(self.flow.channels), self.blocks.number, self.workers, progress).run()

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

    def _place(self, group: Group) -> Place:
        if group.compiled:
            return self._fused(group)
        if len(group.members) == 1:
            index, = group.members
            return Place(self._station(index), [i for i, _ in self.flow.inputs(index)],
                         [i for i, _ in self.flow.outputs(index)])
        return self._ring(group.members)

    def _fused(self, group: Group) -> Place:
        from anabranch.lang.streamit.machine.fused import Anew, Kept
        from anabranch.lang.streamit.machine.part import Part
        from anabranch.lang.streamit.machine.state import Plan

        part = Part(self.schedule, group.members)
        station = (Anew if group.stateless else Kept)(
            Plan(part, self.blocks.size), self.blocks, self._recorded(group),
            len(self.printing) > 1)
        return Place(station, *([part.channels[place][0] for place in ends]
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

    def _ring(self, members: tuple[int, ...]) -> Place:
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
        return Place(ring, [i for i, _ in entering], [i for i, _ in leaving])

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
