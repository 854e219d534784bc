"""Machines as stations of the line.

One that has state goes on where it stopped. One without takes each block by itself, so that several
workers compute blocks at a time: it begins anew a little earlier, fills its channels as they were,
and leaves out what it has given before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anabranch.lang.streamit.machine.state import Arrays, Plan, State
from anabranch.lang.streamit.periods import Blocks
from anabranch.lang.streamit.running.printing import Records
from anabranch.sdf.firings import firings, pushed
from anabranch.sdf.ranges import ENDLESS
from anabranch.sdf.stations import join


@dataclass
class Fused:
    """A machine in the line; `printed(block, records)` is told what it prints."""

    plan: Plan
    blocks: Blocks
    printed: Callable[[int, list[Records]], None] | None = None
    marks: bool = False

    def __post_init__(self):
        self.schedule, self.members = self.plan.part.schedule, self.plan.part.members
        members = list(self.members)
        self.before = np.array(self.schedule.before, np.int64)[members]
        self.period = np.array(self.schedule.period, np.int64)[members]
        self.starts = np.array([self.schedule.flow.is_start(i) for i in members])

    def _limits(self, begins: int, periods: int) -> np.ndarray:
        """How often each actor may have fired after so many periods, when the count begins at one
        of them."""
        most = (self.before + (self.blocks.periods - begins) * self.period if self.blocks.capped
                else np.full_like(self.before, ENDLESS))
        return np.where(self.starts, np.minimum(most, self.before + periods * self.period), most)

    def _give(self, block: int, records: list[Records]) -> None:
        if self.printed is not None:
            self.printed(block, records)


@dataclass
class Kept(Fused):
    """A machine with state."""

    stateless: bool = field(default=False, init=False)

    def __post_init__(self):
        super().__post_init__()
        self.state = State(self.plan)

    def prepare(self, block: int, arrays: Arrays) -> tuple[int, Arrays]:
        return block, arrays

    def run(self, request: tuple[int, Arrays]) -> Arrays:
        block, arrays = request
        done = self.blocks.first(block) + self.blocks.count(block)
        allowed = self._limits(0, done) - self.state.fired
        outputs, records = self.state.run(arrays, allowed, marks=self.marks)
        self._give(block, records)
        return outputs


@dataclass
class Anew(Fused):
    """A machine without state: `left` are the items from the beginning of the next block on."""

    stateless: bool = field(default=True, init=False)

    def __post_init__(self):
        super().__post_init__()
        self.left = [np.zeros(0)] * len(self.plan.part.inputs)
        self.free: list[State] = []
        self.counted: dict[tuple[int, ...], np.ndarray] = {}

    def prepare(self, block: int, arrays: Arrays) -> tuple[int, Arrays, list[int]]:
        held = [join(left, array) for left, array in zip(self.left, arrays, strict=True)]
        known = [len(left) for left in self.left]
        self.left = [items[self.blocks.count(block) * self._taken(place):]
                     for items, place in zip(held, self.plan.part.inputs)]
        return block, held, known

    def _taken(self, place: int) -> int:
        """How many items of an input a period takes."""
        _, channel = self.plan.part.channels[place]
        actor = self.schedule.flow.actors[channel.target]
        return self.schedule.period[channel.target] * actor.rates.pops[channel.into]

    def run(self, request: tuple[int, Arrays, list[int]]) -> Arrays:
        block, held, known = request
        done = self._done(block, tuple(known))
        state = self.free.pop() if self.free else State(self.plan)
        state.begin()
        limits = self._limits(self.blocks.first(block), self.blocks.count(block))
        outputs, records = state.run(held, limits, done, self.marks)
        self.free.append(state)
        self._give(block, records)
        return [items[self._given(place, done):]
                for items, place in zip(outputs, self.plan.part.outputs)]

    def _done(self, block: int, known: tuple[int, ...]) -> np.ndarray:
        """How often each actor has fired with what was there before the block."""
        if block == 0:
            return np.zeros_like(self.before)
        if known not in self.counted:
            self.counted[known] = self._counted(known, None)
        limits = self._limits(self.blocks.first(block), 0)
        done = self.counted[known]
        return done if (done <= limits).all() else self._counted(known, limits)

    def _counted(self, known: tuple[int, ...], limits: np.ndarray | None) -> np.ndarray:
        flow, part = self.schedule.flow, self.plan.part
        starts = {i: np.array([self.schedule.before[i]]) for i in self.members if flow.is_start(i)}
        supplied = {part.channels[place][0]: np.array([count])
                    for place, count in zip(part.inputs, known)}
        most = {} if limits is None else dict(zip(self.members, limits.tolist()))
        found = firings(flow, starts, self.members, supplied, most)
        return np.array([found[i][0] for i in self.members], np.int64)

    def _given(self, place: int, done: np.ndarray) -> int:
        """How many items of an output were given before."""
        _, channel = self.plan.part.channels[place]
        source = self.schedule.flow.actors[channel.source]
        return int(pushed(source, channel.out, done[self.members.index(channel.source)]))
