"""The actors of a machine, numbered anew, and the channels that they read and write."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.instances import Work
from anabranch.lang.streamit.machine.values import tape_name
from anabranch.once import once
from anabranch.sdf.flow import Actor, Channel, Join, Rates, Split
from anabranch.sdf.schedule import Schedule

ITEMS = 1 << 15
"""About so many items of the busiest channel go through in one pass."""


@dataclass(frozen=True)
class Kind:
    """What actors have in common that run the same code. `dense` is None without lanes."""

    does: str
    input: str
    output: str
    code: FilterCode | None = None
    dense: tuple[bool, bool] | None = None


@dataclass(frozen=True)
class Part:
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
    def kinds(self) -> list[Kind]:
        """The kinds of actors, each once."""
        return list(dict.fromkeys(self.kind_of))

    @once
    def kind_of(self) -> list[Kind]:
        return list(map(self._kind, range(len(self.members))))

    def _kind(self, place: int) -> Kind:
        actor, index, flow = self.actors[place], self.members[place], self.schedule.flow
        into = [tape_name(c.type) for _, c in flow.inputs(index)] or [""]
        out = [tape_name(c.type) for _, c in flow.outputs(index)] or [""]
        if isinstance(actor.body, Work):
            dense = actor.rates.pops == (1,), actor.rates.pushes in ((1,), ())
            # A loop turns with few items at a time, too few for lanes.
            lanes = actor.body.code.lanes and actor.first is None and not self.loops
            return Kind("work", into[0], out[0], actor.body.code, dense if lanes else None)
        if isinstance(actor.body, Split):
            return Kind("deal" if actor.body.weights else "copy", into[0], out[0])
        return Kind("gather" if isinstance(actor.body, Join) else "copy", into[0], out[0])

    @once
    def place_of(self) -> dict[int, int]:
        """The places of the channels of the flow among those of the machine."""
        return {index: place for place, (index, _) in enumerate(self.channels)}

    def ports(self) -> tuple[np.ndarray, np.ndarray]:
        """The tables of actors and of ports; see `running.firing`."""
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
