"""A whole program in blocks: compiled filters on arrays, by several workers.

The output is that of the graph, item by item. Blocks hold many periods, unless several filters
print: then a block is one period, so that their lines come in the order that the graph has.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anabranch.lang.streamit.blocks import Lines, Printer, filled_array, plain_work, tape_dtype
from anabranch.lang.streamit.elaborate import File, Work
from anabranch.lang.streamit.files import RAW
from anabranch.sdf.crew import Crew, Place
from anabranch.sdf.flow import Actor
from anabranch.sdf.moving import mover
from anabranch.sdf.rings import rings_of
from anabranch.sdf.schedule import Schedule
from anabranch.sdf.stations import Arrays, Compute, Firings, Ring, Station

ITEMS = 1 << 18
"""About so many items of the busiest channel make a block: few enough to stay in the cache, many
enough that the time between blocks does not count."""


@dataclass(frozen=True)
class Ends:
    """Where values come from and go to: arrays by reader, and functions by writer."""

    readers: dict[str, np.ndarray]
    writers: dict[str, Callable[[np.ndarray], None]]
    printed: Callable[[list[str]], None]


class Whole:
    """Builds the stations of a scheduled program and runs them."""

    def __init__(self, schedule: Schedule, periods: int | None, ends: Ends,
                 compiles: bool = True):
        self.schedule, self.flow, self.ends, self.compiles = schedule, schedule.flow, ends, compiles
        self.printing = [i for i, a in enumerate(self.flow.actors) if _prints(a)]
        self.capped, self.periods = periods is not None, periods
        if periods is None:
            self.periods = self._to_the_end()
        self.per_block = self._per_block()
        self.lines = Lines(ends.printed, len(self.printing))

    def run(self, workers: int = 1, progress: Callable[[int], None] | None = None) -> None:
        """Runs all blocks; the lines and values come out in order."""
        rings = rings_of(self.flow)
        places = [self._place(members) for members in rings]
        blocks = 1 + -(-self.periods // self.per_block)
        Crew(places, len(self.flow.channels), blocks, workers, progress).run()

    def _to_the_end(self) -> int:
        """How many periods the longest file needs."""
        most = 0
        for index, actor in enumerate(self.flow.actors):
            if actor.name in self.ends.readers:
                rest = len(self.ends.readers[actor.name]) - self.schedule.before[index]
                most = max(most, -(-rest // self.schedule.period[index]))
        return most

    def _per_block(self) -> int:
        if len(self.printing) > 1:
            return 1
        actors, period = self.flow.actors, self.schedule.period
        busiest = max((period[c.source] * actors[c.source].rates.pushes[c.out]
                       for c in self.flow.channels), default=1)
        return max(1, min(self.periods, ITEMS // max(busiest, 1)))

    def share(self, index: int) -> Callable[[int], int]:
        """How often a start fires in a block; block 0 is what happens before the periods."""
        before, period = self.schedule.before[index], self.schedule.period[index]

        def share(block: int) -> int:
            first = (block - 1) * self.per_block
            return before if block == 0 else period * min(self.per_block, self.periods - first)
        return share

    def _place(self, members: list[int]) -> Place:
        if len(members) == 1 and not any(c.back for _, c in self.flow.inputs(members[0])):
            index = members[0]
            return Place(self._station(index), [i for i, _ in self.flow.inputs(index)],
                         [i for i, _ in self.flow.outputs(index)])
        return self._ring(members)

    def _ring(self, members: list[int]) -> Place:
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
        left = [self._initial(channel) for _, channel in self.flow.inputs(index)]
        most = self.schedule.most(index, self.periods) if self.capped else None
        share = self.share(index) if self.flow.is_start(index) else None
        if index in self.printing:
            printer = Printer(self.lines, self.printing.index(index), actor)
            return Station(actor, printer.compute, False, left, most, share, printer.closing)
        compute, stateless = self._compute(actor)
        return Station(actor, compute, stateless, left, most, share)

    @staticmethod
    def _initial(channel) -> np.ndarray:
        return filled_array(list(channel.initial), tape_dtype(channel.type))

    def _compute(self, actor: Actor) -> tuple[Compute, bool]:
        body = actor.body
        if isinstance(body, File):
            return (self._read(actor) if body.reads else self._write(actor)), False
        if not isinstance(body, Work):
            return mover(body, len(actor.rates.pushes)), True
        stateless = not body.code.stateful and actor.first is None
        if body.code.not_compiled or not self.compiles:
            return plain_work(actor, body, []), stateless
        # Numba takes half a second to import.
        from anabranch.lang.streamit.compile import compiled_work

        return compiled_work(actor, body) or plain_work(actor, body, []), stateless

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


def _prints(actor: Actor) -> bool:
    return isinstance(actor.body, Work) and actor.body.code.prints
