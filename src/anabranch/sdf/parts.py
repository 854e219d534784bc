"""Flows with rates that are not always the same, cut into parts that have schedules.

A channel is cut where its writer or its reader has a range for a rate. What is left hangs together
in parts, each with its own period. The parts with sinks are run, and what they need of others is
fetched when they need it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from anabranch.sdf.flow import Actor, Channel, Flow, Rates
from anabranch.sdf.ranges import Range
from anabranch.sdf.schedule import Schedule, scheduled


@dataclass(frozen=True)
class Cut:
    """The schedules of all parts, side by side, and the actors of those parts that are run."""

    schedule: Schedule
    driven: tuple[int, ...]


def cut(flow: Flow) -> Cut:
    """The parts of a flow; a `ProgramError` when one of them has no schedule."""
    before, period = [0] * len(flow.actors), [0] * len(flow.actors)
    driven: list[int] = []
    for members in _parts(flow):
        found = scheduled(_inside(flow, members))
        for place, actor in enumerate(members):
            before[actor], period[actor] = found.before[place], found.period[place]
        if any(not flow.outputs(actor) for actor in members):
            driven += members
    return Cut(Schedule(flow, tuple(before), tuple(period)), tuple(sorted(driven)))


def is_dynamic(flow: Flow) -> bool:
    return any(is_cut(flow, channel) for channel in flow.channels)


def uncut(flow: Flow) -> Flow:
    """The flow without the channels where it is cut."""
    return Flow(flow.actors, tuple(c for c in flow.channels if not is_cut(flow, c)))


def is_cut(flow: Flow, channel: Channel) -> bool:
    """Whether a channel's rates at one of its ends are not always the same."""
    written = (r.pushes[channel.out] for r in _all_rates(flow.actors[channel.source]))
    read = (rate for r in _all_rates(flow.actors[channel.target])
            for rate in (r.peeks[channel.into], r.pops[channel.into]))
    return any(isinstance(rate, Range) for rate in (*written, *read))


def _all_rates(actor: Actor) -> Iterator[Rates]:
    yield actor.rates
    if actor.first is not None:
        yield actor.first


def _parts(flow: Flow) -> list[list[int]]:
    """The actors that hang together, each part in the order of the flow."""
    part = list(range(len(flow.actors)))
    for channel in flow.channels:
        if not is_cut(flow, channel):
            ends = part[channel.source], part[channel.target]
            part = [min(ends) if each in ends else each for each in part]
    return [[a for a, each in enumerate(part) if each == name] for name in sorted(set(part))]


def _inside(flow: Flow, members: list[int]) -> Flow:
    """A part as a flow of its own."""
    place = {actor: number for number, actor in enumerate(members)}
    channels = (replace(c, source=place[c.source], target=place[c.target])
                for c in flow.channels if c.source in place and not is_cut(flow, c))
    return Flow(tuple(flow.actors[actor] for actor in members), tuple(channels))
