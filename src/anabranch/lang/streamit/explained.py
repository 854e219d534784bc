"""What `explain` says of a program: its machines, its schedule, its buffers."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.lang.streamit.instances import File, Work
from anabranch.lang.streamit.machine.groups import Group, groups_of, is_stateless
from anabranch.plan import Reason, StageTier
from anabranch.sdf.flow import Actor
from anabranch.sdf.parts import is_cut
from anabranch.sdf.rings import rings_of
from anabranch.sdf.schedule import Schedule

Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]


def stages(schedule: Schedule) -> tuple[StageTier, ...]:
    """Every machine, or what runs by itself, with the tier it runs in."""
    actors = schedule.flow.actors
    return tuple(_stage(group, [actors[i] for i in group.members])
                 for group in groups_of(schedule, joined=False))


def tables(schedule: Schedule, on_demand: bool) -> Iterator[Table]:
    """What the schedule is: for each actor its firings, for each channel its buffer."""
    yield "schedule", ("filter", "before", "per period", "machine", "how"), list(
        _scheduled(schedule, on_demand))
    flow = schedule.flow
    yield "buffers", ("from", "to", "items"), [
        (flow.actors[c.source].name, flow.actors[c.target].name,
         "as many as come" if is_cut(flow, c) else str(schedule.buffer(i)))
        for i, c in enumerate(flow.channels)]


def _scheduled(schedule: Schedule, on_demand: bool) -> Iterator[tuple[str, ...]]:
    flow = schedule.flow
    groups = [] if on_demand else groups_of(schedule, joined=False)
    machines = {i: number for number, group in enumerate(
        (g for g in groups if g.compiled), 1) for i in group.members}
    looping = {i for ring in rings_of(flow) if len(ring) > 1 for i in ring}
    for i, actor in enumerate(flow.actors):
        how = (_on_demand(actor) if on_demand else "in order: in a loop" if i in looping
               else _how(actor, i in machines))
        yield (actor.name, str(schedule.before[i]), str(schedule.period[i]),
               str(machines.get(i, "—")), how)


def _on_demand(actor: Actor) -> str:
    why = actor.body.code.not_compiled if isinstance(actor.body, Work) else None
    return f"on demand: {why}" if why else "on demand"


def _stage(group: Group, actors: list[Actor]) -> StageTier:
    names = tuple(actor.name for actor in actors)
    if group.compiled:
        return StageTier(names, "native", None)
    why = next(((a, a.body.code.not_compiled) for a in actors if isinstance(a.body, Work)
                and a.body.code.not_compiled), None)
    if why is None:
        return StageTier(names, "columns", None)
    return StageTier(names, "rows", Reason(why[1], why[0].span))


def _how(actor: Actor, compiled: bool) -> str:
    """Whether several workers may compute blocks of it at a time."""
    body = actor.body
    if isinstance(body, File):
        return "reads a file" if body.reads else "writes a file"
    if not isinstance(body, Work):
        return "moves items"
    if body.code.prints and not compiled:
        return "in order: it prints"
    if not is_stateless(actor):
        return "in order: it has state"
    overlap = actor.rates.peeks[0] - actor.rates.pops[0] if actor.rates.pops else 0
    how = f"fissed, blocks overlap by {overlap}" if overlap else "fissed"
    return f"{how}, prints in order" if body.code.prints else how
