"""A machine at work: its arrays, the call of its code, and a station of the line.

A group is compiled when all its filters can be; one that the compiler refuses runs in plain Python.

Machines as stations of the line.

One that has state goes on where it stopped. One without takes each block by itself, so that several
workers compute blocks at a time: it begins anew a little earlier, fills its channels as they were,
and leaves out what it has given before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from anabranch.core.errors import RunError
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.records import item_dtype
from anabranch.lang.streamit.execution.compiled import FAILURES
from anabranch.lang.streamit.execution.machine.firing import (
    ALLOWED,
    BEGIN,
    FIRED,
    HEAD,
    SILENT,
    TAIL,
    make_room,
    room,
)
from anabranch.lang.streamit.execution.machine.group import (
    ActorKind,
    Group,
    MachinePart,
    Values,
    groups_of,
    names_of,
    tape_name,
)
from anabranch.lang.streamit.execution.machine.text import machine_function
from anabranch.lang.streamit.execution.printing import Piece, Records
from anabranch.lang.streamit.execution.stations import join
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.sdf.flow import ENDLESS
from anabranch.lang.streamit.sdf.periods import Blocks, firings, pushed
from anabranch.lang.streamit.sdf.schedule import Schedule

Arrays = list[np.ndarray]
RECORDS = 1 << 12


@dataclass
class MachinePlan:
    """What all states of a machine share: its code, its tables, and the values to begin with.

    `block` is how many periods go through at a time.
    """

    part: MachinePart
    block: int

    def __post_init__(self):
        part = self.part
        self.function = machine_function(part.kinds)
        self.actors, self.ports = part.ports()
        self.pieces: tuple[Piece, ...] = sum(
            (kind.code.pieces for kind in part.kinds if kind.code), ())
        self.values = Values()
        self.places = self._places()
        self.channels, self.sizes = self._channels()

    def _places(self) -> np.ndarray:
        """For each actor the places of its parameters and fields."""
        rows = [_placed(self.values, actor.body) if isinstance(actor.body, Work) else []
                for actor in self.part.actors]
        table = np.zeros((len(rows), max(map(len, rows), default=0) + 1), np.int64)
        for place, row in enumerate(rows):
            table[place, :len(row)] = row
        return table

    def _channels(self) -> tuple[np.ndarray, dict[str, int]]:
        """Where each channel has its buffer, behind the values; one at an end holds a block."""
        ends, passing = {*self.part.inputs, *self.part.outputs}, self.part.periods()
        sizes: dict[str, int] = defaultdict(int)
        table = np.zeros((max(1, len(self.part.channels)), 5), np.int64)
        for place, family in self.part.families.items():
            type = self.part.channels[place][1].type
            name = tape_name(type)
            self.values.dtypes[name] = item_dtype(type)
            size = self.part.room(place, self.block + passing if place in ends else passing)
            for each, following in zip(family, [*family[1:], -1]):
                table[each] = self.values.sizes[name] + sizes[name], size, 0, 0, following
            sizes[name] += 2 * size
        return table, sizes


def _placed(values: Values, work: Work) -> list[int]:
    code, places = work.code, []
    held = [*zip(work.environment, code.environment_types),
            *((v, t) for v, (_, t) in zip(work.fresh(), code.fields))]
    for value, type in held:
        places += values.add(value, type)
    return places


class MachineState:
    """A machine at work."""

    def __init__(self, plan: MachinePlan):
        self.plan, self.room = plan, RECORDS
        self.arrays = {name: plan.values.array(name, plan.sizes[name])
                       for name in names_of(plan.part.kinds)}
        self.begin()

    def begin(self) -> None:
        """Empties all channels, and puts into them what they have at the beginning."""
        self.channels = self.plan.channels.copy()
        self.counts = np.zeros((len(self.plan.part.members), 3), np.int64)
        for place, (_, channel) in enumerate(self.plan.part.channels):
            if channel.initial:
                self._put(place, np.array(channel.initial))

    @property
    def fired(self) -> np.ndarray:
        return self.counts[:, FIRED]

    def run(self, inputs: Arrays, allowed: np.ndarray, silent: np.ndarray | int = 0,
            marks: bool = False) -> tuple[Arrays, list[Records]]:
        """Fires what can fire, at most so often; gives the outputs, and what was printed."""
        part, records = self.plan.part, []
        given: list[Arrays] = [[] for _ in part.outputs]
        self.counts[:, ALLOWED], self.counts[:, SILENT] = allowed, silent
        moved = True
        while moved:
            before = self.fired.sum()
            inputs = [self._fed(place, items) for place, items in zip(part.inputs, inputs)]
            records.append(self._recorded(marks))
            for kept, place in zip(given, part.outputs):
                kept.append(self._taken(place))
            moved = self.fired.sum() > before
        return [np.concatenate(arrays) for arrays in given], records

    def _recorded(self, marks: bool) -> Records:
        """Fires, again from the start with more room when there are more records than expected."""
        kept = self._copy() if self.plan.pieces else None
        while True:
            codes, values = np.empty(self.room, np.int32), np.empty(self.room, np.float64)
            counts = np.zeros(2, np.int64)
            self._drive(marks, (codes, values, counts))
            if counts[0] <= self.room:
                return Records(self.plan.pieces, codes[:counts[0]], values[:counts[0]])
            self.room = 2 * int(counts[0])
            self.arrays, self.channels, self.counts = kept
            kept = self._copy()

    def _copy(self) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        return ({name: array.copy() for name, array in self.arrays.items()},
                self.channels.copy(), self.counts.copy())

    def _drive(self, marks: bool, records: tuple[np.ndarray, ...]) -> None:
        plan, at = self.plan, np.zeros(1, np.int64)
        try:
            plan.function(at, marks, records, plan.actors, plan.ports, self.channels, self.counts,
                          plan.places, *self.arrays.values())
        except (ValueError, IndexError, ZeroDivisionError) as error:
            raise RunError(
                FAILURES.get(str(error), str(error)), plan.part.actors[at[0]].span,
                help="with fewer iterations the sequential engine tells the line") from None

    def _fed(self, place: int, items: np.ndarray) -> np.ndarray:
        """Puts as many items into a channel as it has room for; gives the others."""
        free = int(room(self.channels, place))
        self._put(place, items[:free])
        return items[free:]

    def _put(self, place: int, items: np.ndarray) -> None:
        buffer, row = self._buffer(place), self.channels[place]
        make_room(buffer, self.channels, place, len(items))
        end = int(row[BEGIN] + row[TAIL])
        buffer[end:end + len(items)] = items
        row[TAIL] += len(items)

    def _taken(self, place: int) -> np.ndarray:
        """The items of a channel, which is empty then."""
        row = self.channels[place]
        begin, items = int(row[BEGIN]), self._buffer(place)
        taken = items[begin + row[HEAD]:begin + row[TAIL]].copy()
        row[HEAD] = row[TAIL] = 0
        return taken

    def _buffer(self, place: int) -> np.ndarray:
        return self.arrays[tape_name(self.plan.part.channels[place][1].type)]


def compiled_groups(schedule: Schedule, joined: bool) -> list[Group]:
    """The groups of a program, each compiled."""
    refused: frozenset[FilterCode] = frozenset()
    while True:
        groups = groups_of(schedule, refused, joined)
        parts = [MachinePart(schedule, group.members) for group in groups if group.compiled]
        failing = {kind.code for part in parts if not _compiles(part)
                   for kind in part.kinds if kind.code and not _is_fine(schedule, part, kind)}
        if not failing:
            return groups
        refused |= failing


def _is_fine(schedule: Schedule, part: MachinePart, kind: ActorKind) -> bool:
    """Whether the filters of a kind compile by themselves."""
    place = part.kind_of.index(kind)
    return _compiles(MachinePart(schedule, (part.members[place],)))


def _compiles(part: MachinePart) -> bool:
    try:
        plan = MachinePlan(part, 0)
        MachineState(plan).run([np.zeros(0)] * len(part.inputs),
                               np.zeros(len(part.members), np.int64))
    except Exception:
        # Nothing has fired, so whatever failed is the compiler.
        return False
    return True


@dataclass
class MachineStation:
    """A machine in the line; `printed(block, records)` is told what it prints."""

    plan: MachinePlan
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
class StatefulMachine(MachineStation):
    """A machine with state."""

    stateless: bool = field(default=False, init=False)

    def __post_init__(self):
        super().__post_init__()
        self.state = MachineState(self.plan)

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
class StatelessMachine(MachineStation):
    """A machine without state: `left` are the items from the beginning of the next block on."""

    stateless: bool = field(default=True, init=False)

    def __post_init__(self):
        super().__post_init__()
        self.left = [np.zeros(0)] * len(self.plan.part.inputs)
        self.free: list[MachineState] = []
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
        state = self.free.pop() if self.free else MachineState(self.plan)
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
