"""Which actors make a machine together: neighbours that can be compiled, and are alike in state."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.types import Primitive
from anabranch.sdf.flow import Actor
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
    units = [_unit(schedule, ring, refused) for ring in rings_of(schedule.flow)]
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


def _unit(schedule: Schedule, ring: list[int], refused: frozenset[FilterCode] | None) -> Group:
    flow = schedule.flow
    compiled = refused is not None and all(_is_able(schedule, i, refused) for i in ring)
    looping = any(channel.back for i in ring for _, channel in flow.inputs(i))
    return Group(tuple(ring), compiled,
                 not looping and all(is_stateless(flow.actors[i]) for i in ring))


def is_stateless(actor: Actor) -> bool:
    """Whether a firing does not depend on earlier ones."""
    if isinstance(actor.body, Work):
        return not actor.body.code.stateful and actor.first is None
    return not isinstance(actor.body, File)


def _is_able(schedule: Schedule, index: int, refused: frozenset[FilterCode]) -> bool:
    actor, flow = schedule.flow.actors[index], schedule.flow
    if isinstance(actor.body, File):
        return False
    if isinstance(actor.body, Work) and (actor.body.code.not_compiled
                                         or actor.body.code in refused):
        return False
    # An actor that takes nothing from its input could fire without end.
    if any(pop == 0 for pop in actor.rates.pops) and not hasattr(actor.body, "weights"):
        return False
    return all(isinstance(channel.type, Primitive)
               for _, channel in (*flow.inputs(index), *flow.outputs(index)))
