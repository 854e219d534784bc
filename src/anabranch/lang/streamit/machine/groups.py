"""Which actors make a machine together: neighbours that can be compiled, and are alike in state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.coding.records import is_held
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.types import Primitive
from anabranch.sdf.flow import Actor, Flow
from anabranch.sdf.rings import rings_of
from anabranch.sdf.schedule import Schedule


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
        return not actor.body.code.stateful and actor.first is None
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
