"""The arrays and counters of a machine, and the call of its code."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from anabranch.errors import RunError
from anabranch.lang.streamit.coding.records import item_dtype
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.machine.part import Part
from anabranch.lang.streamit.machine.text import machine_function
from anabranch.lang.streamit.machine.values import Values, names_of, tape_name
from anabranch.lang.streamit.running.compiled import FAILURES
from anabranch.lang.streamit.running.firing import (
    ALLOWED,
    BEGIN,
    FIRED,
    HEAD,
    SILENT,
    TAIL,
    make_room,
    room,
)
from anabranch.lang.streamit.running.printing import Piece, Records

Arrays = list[np.ndarray]
RECORDS = 1 << 12


@dataclass
class Plan:
    """What all states of a machine share: its code, its tables, and the values to begin with.

    `block` is how many periods go through at a time.
    """

    part: Part
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


class State:
    """A machine at work."""

    def __init__(self, plan: Plan):
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
