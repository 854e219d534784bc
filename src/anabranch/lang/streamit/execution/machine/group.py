"""Which actors make a machine together; numbered anew, with channels and values.

Neighbours make a machine that can be compiled, and are alike in state. Parameters and fields of all
instances are packed into one array for each type of number, and one for each structure.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from anabranch.core.once import once
from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.module import COMPILED, dtype_of
from anabranch.lang.streamit.coding.records import is_held, records, value_dtype
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Join, Rates, Split, rings_of
from anabranch.lang.streamit.sdf.schedule import Schedule
from anabranch.lang.streamit.types import (
    ArrayOf,
    Primitive,
    StructOf,
    Type,
    base_of,
    rank,
    shape_of,
)


@dataclass(frozen=True)
class Group:
    """Actors that stand in a row. One that is not `compiled` has one actor, or those of a loop."""

    members: tuple[int, ...]
    compiled: bool
    stateless: bool


def groups_of(schedule: Schedule, refused: frozenset[FilterCode] | None = frozenset(),
              joined: bool = True) -> list[Group]:
    """All actors in groups, without those `refused` in any machine (None: all of them). One worker
    has all neighbours `joined`; for several, filters with state stay alone, and those without make
    groups of their own."""
    rings = rings_of(schedule.flow)
    able = _able(schedule.flow, rings, refused)
    units = [_unit(schedule, ring, able) for ring in rings]
    found: list[Group] = []
    for (compiled, stateless), row in groupby(
            units, lambda g: (g.compiled, g.stateless or joined)):
        each = list(row)
        found += _worthwhile(schedule, each) if compiled and stateless else each
    return found


def _worthwhile(schedule: Schedule, units: list[Group]) -> list[Group]:
    """The units as one group, unless it would only move items."""
    members = sum((unit.members for unit in units), ())
    if not any(isinstance(schedule.flow.actors[i].body, Work) for i in members):
        return [Group(unit.members, False, unit.stateless) for unit in units]
    return [Group(members, True, all(unit.stateless for unit in units))]


def _unit(schedule: Schedule, ring: list[int], able: set[int]) -> Group:
    flow = schedule.flow
    looping = any(channel.back for i in ring for _, channel in flow.inputs(i))
    return Group(tuple(ring), able.issuperset(ring),
                 not looping and all(is_stateless(flow.actors[i]) for i in ring))


def _able(flow: Flow, rings: list[list[int]], refused: frozenset[FilterCode] | None) -> set[int]:
    """The actors that can be compiled: all of a loop, and, where items are structures or arrays,
    which are records in compiled code only, both who writes them and who reads them."""
    if refused is None:
        return set()
    able = {i for i in range(len(flow.actors)) if _is_able(flow, i, refused)}
    while True:
        left = {i for ring in rings if able.issuperset(ring) for i in ring}
        for channel in flow.channels:
            if not isinstance(channel.type, Primitive) and not left.issuperset(
                    (channel.source, channel.target)):
                left -= {channel.source, channel.target}
        if left == able:
            return able
        able = left


def is_stateless(actor: Actor) -> bool:
    """Whether a firing does not depend on earlier ones."""
    if isinstance(actor.body, Work):
        return actor.body.code.kept is None and actor.first is None
    return not isinstance(actor.body, File)


def _is_able(flow: Flow, index: int, refused: frozenset[FilterCode]) -> bool:
    actor = flow.actors[index]
    if isinstance(actor.body, File):
        return False
    if isinstance(actor.body, Work) and (actor.body.code.not_compiled
                                         or actor.body.code in refused):
        return False
    # An actor that takes nothing from its input could fire without end.
    if any(pop == 0 for pop in actor.rates.pops) and not hasattr(actor.body, "weights"):
        return False
    return all(is_held(channel.type) and (isinstance(channel.type, Primitive)
                                          or not channel.initial)
               for _, channel in (*flow.inputs(index), *flow.outputs(index)))


ITEMS = 1 << 15
"""About so many items of the busiest channel go through in one pass."""


@dataclass(frozen=True)
class ActorKind:
    """What actors have in common that run the same code. `dense` is None without lanes."""

    does: str
    input: str
    output: str
    code: FilterCode | None = None
    dense: tuple[bool, bool] | None = None


@dataclass(frozen=True)
class MachinePart:
    """Some actors that stand in a row, as (number in the flow, actor)."""

    schedule: Schedule
    members: tuple[int, ...]

    @once
    def actors(self) -> list[Actor]:
        return [self.schedule.flow.actors[i] for i in self.members]

    @once
    def channels(self) -> list[tuple[int, Channel]]:
        """All channels that a member reads or writes."""
        inside = set(self.members)
        return [(i, c) for i, c in enumerate(self.schedule.flow.channels)
                if c.source in inside or c.target in inside]

    @once
    def inputs(self) -> list[int]:
        """The places, among the channels, of those that come from outside."""
        return [p for p, (_, c) in enumerate(self.channels) if c.source not in self.members]

    @once
    def outputs(self) -> list[int]:
        return [p for p, (_, c) in enumerate(self.channels) if c.target not in self.members]

    @once
    def loops(self) -> bool:
        return any(channel.back for _, channel in self.channels)

    @once
    def kinds(self) -> list[ActorKind]:
        """The kinds of actors, each once."""
        return list(dict.fromkeys(self.kind_of))

    @once
    def kind_of(self) -> list[ActorKind]:
        return list(map(self._kind, range(len(self.members))))

    def _kind(self, place: int) -> ActorKind:
        actor, index, flow = self.actors[place], self.members[place], self.schedule.flow
        into = [tape_name(c.type) for _, c in flow.inputs(index)] or [""]
        out = [tape_name(c.type) for _, c in flow.outputs(index)] or [""]
        if isinstance(actor.body, Work):
            dense = actor.rates.pops == (1,), actor.rates.pushes in ((1,), ())
            # A loop turns with few items at a time, too few for lanes.
            lanes = actor.body.code.lanes and actor.first is None and not self.loops
            return ActorKind("work", into[0], out[0], actor.body.code, dense if lanes else None)
        if isinstance(actor.body, Split):
            return ActorKind("deal" if actor.body.weights else "copy", into[0], out[0])
        return ActorKind("gather" if isinstance(actor.body, Join) else "copy", into[0], out[0])

    @once
    def place_of(self) -> dict[int, int]:
        """The places of the channels of the flow among those of the machine."""
        return {index: place for place, (index, _) in enumerate(self.channels)}

    def ports(self) -> tuple[np.ndarray, np.ndarray]:
        """The tables of actors and of ports; see `firing`."""
        actors, ports = [], []
        number = {kind: place for place, kind in enumerate(self.kinds)}
        for place, (index, actor) in enumerate(zip(self.members, self.actors)):
            inputs, outputs = self.schedule.flow.inputs(index), self.schedule.flow.outputs(index)
            row = [number[self.kind_of[place]], len(inputs), len(outputs)]
            for rates in (actor.rates, actor.first or actor.rates):
                row.append(len(ports))
                ports += [[self.place_of[i], rates.peeks[c.into], rates.pops[c.into]]
                          for i, c in inputs]
                row.append(len(ports))
                ports += [[self.place_of[i], int(self.place_of[i] in self.shared),
                           rates.pushes[c.out]] for i, c in outputs]
            actors.append([*row, int(actor.first is not None)])
        return np.array(actors, np.int64), np.array(ports or [[0] * 3], np.int64)

    @once
    def shared(self) -> dict[int, int]:
        """The channels whose items lie in the buffer of another one already, since they are only
        copied, each with that one."""
        found = {}
        for place, (_, channel) in enumerate(self.channels):
            inside = channel.source in self.members and channel.target in self.members
            if inside and not channel.back and self._only_copies(channel.source):
                (index, _), = self.schedule.flow.inputs(channel.source)
                found[place] = self.place_of[index]
        return found

    def _only_copies(self, index: int) -> bool:
        body = self.schedule.flow.actors[index].body
        return body is None or (isinstance(body, Split) and body.weights is None)

    def root(self, place: int) -> int:
        """The channel that has the buffer in which the items of a channel lie."""
        return self.root(self.shared[place]) if place in self.shared else place

    @once
    def families(self) -> dict[int, list[int]]:
        """For each channel with a buffer of its own, all that lie in it, itself first."""
        found: dict[int, list[int]] = {}
        for place in sorted(range(len(self.channels)), key=lambda p: p in self.shared):
            found.setdefault(self.root(place), []).append(place)
        return found

    def room(self, place: int, periods: int) -> int:
        """How many items a channel's buffer must hold, with those that wait to be copied."""
        more = [self.room(other, periods) for other, of in self.shared.items() if of == place]
        return self.capacity(place, periods) + max(more, default=0)

    def capacity(self, place: int, periods: int) -> int:
        """How many items a channel holds at most when so many periods are under way."""
        index, channel = self.channels[place]
        source = self.schedule.flow.actors[channel.source]
        target = self.schedule.flow.actors[channel.target]
        pushed = _most(source, lambda rates: rates.pushes[channel.out])
        peeked = _most(target, lambda rates: max(rates.peeks[channel.into],
                                                 rates.pops[channel.into]))
        period = self.schedule.period[channel.source] * source.rates.pushes[channel.out]
        return self.schedule.buffer(index) + periods * period + pushed + peeked

    def periods(self) -> int:
        """How many periods go through in one pass."""
        flow, period = self.schedule.flow, self.schedule.period
        busiest = max((period[c.source] * flow.actors[c.source].rates.pushes[c.out]
                       for _, c in self.channels), default=1)
        return max(1, ITEMS // max(busiest, 1))


def _most(actor: Actor, rate) -> int:
    each: list[Rates] = [actor.rates, *([actor.first] if actor.first else [])]
    return max(map(rate, each))


NAMES = {np.float32: "F", np.int32: "I", np.bool_: "B", np.complex64: "C", np.int64: "L"}
"""The name that the array of each type has in the text."""


def name_of(type: Type) -> str:
    """The name of the array that has the values of a type."""
    base = base_of(type)
    return f"S_{base.name}" if isinstance(base, StructOf) else NAMES[dtype_of(base, COMPILED)]


def tape_name(type: Type) -> str:
    """The name of the array that has the buffers for items of a type."""
    if not isinstance(type, ArrayOf):
        return name_of(type)
    return f"A_{base_of(type)}_{'_'.join(map(str, shape_of(type)))}"


def names_of(kinds: list) -> list[str]:
    """The names of the arrays that actors of some kinds use; integers are always there."""
    codes = [kind.code for kind in kinds if kind.code]
    types = [t for code in codes for t in (*code.environment_types, *(t for _, t in code.fields))]
    used = {"I", *map(name_of, types), *(k.input for k in kinds), *(k.output for k in kinds)}
    numbers = [name for name in NAMES.values() if name in used]
    return numbers + sorted(used.difference(numbers, ("",)))


class Values:
    """Collects values; a place is where the value begins, and the shape of an array."""

    def __init__(self):
        self.parts: dict[str, list[np.ndarray]] = defaultdict(list)
        self.sizes: dict[str, int] = defaultdict(int)
        self.dtypes = {name: np.dtype(dtype) for dtype, name in NAMES.items()}

    def add(self, value: object, type: Type) -> list[int]:
        """Puts a value behind the others; gives its place."""
        name, base = name_of(type), base_of(type)
        self.dtypes[name] = value_dtype(base)
        held = (records(value, type) if isinstance(base, StructOf)
                else np.asarray(value, self.dtypes[name]))
        begin = self.sizes[name]
        self.parts[name].append(held.reshape(-1))
        self.sizes[name] += held.size
        return [begin, *held.shape]

    def array(self, name: str, more: int) -> np.ndarray:
        """A new array with the values of a name, and so many places more."""
        return np.concatenate([*self.parts[name], np.empty(more, self.dtypes[name])])


def place_text(type: Type, column: int, is_field: bool) -> tuple[str, int]:
    """The text of a value at the place that stands in a row's columns, and the next column."""
    name, dimensions = name_of(type), rank(type)
    begin = f"V[a, {column}]"
    if dimensions == 0 and not is_field:
        return f"{name}[{begin}]", column + 1
    if dimensions == 0:
        return f"{name}[{begin}:{begin} + 1]", column + 2
    sizes = [f"V[a, {column + 1 + each}]" for each in range(dimensions)]
    part = f"{name}[{begin}:{begin} + {' * '.join(sizes)}]"
    shaped = part if dimensions == 1 else f"{part}.reshape(({', '.join(sizes)}))"
    return shaped, column + 1 + dimensions
