"""Which actors have to run together: those of a loop, with all loops inside of it."""

from __future__ import annotations

from anabranch.sdf.flow import Flow


def rings_of(flow: Flow) -> list[list[int]]:
    """The actors in order, alone, or with the others of their outermost loop.

    A loop's actors stand in a row: its joiner first, and last the one that closes it.

    >>> from anabranch.sdf.flow import Actor, Channel, Rates
    >>> actors = tuple(Actor(name, Rates(), None) for name in "abcd")
    >>> rings_of(Flow(actors, (Channel(2, 0, 1, 0, back=True),)))
    [[0], [1, 2], [3]]
    """
    ends = dict(sorted((c.target, c.source) for c in flow.channels if c.back))
    rings, actor = [], 0
    while actor < len(flow.actors):
        last = ends.get(actor, actor)
        rings.append(list(range(actor, last + 1)))
        actor = last + 1
    return rings
