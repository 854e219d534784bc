"""When messages arrive, in terms of the items that flow between sender and receiver.

A message that is sent in firing n with latency l meets the items of firing n + l of its sender:
downstream it comes before the first firing that they can reach, upstream after the last firing
that they depend on. (Thies et al., "Teleport messaging for distributed stream programs", 2005.)
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from anabranch.sdf.demand import Counting
from anabranch.sdf.flow import Flow
from anabranch.sdf.parts import uncut


class Dependence:
    """How often one actor must have fired for another, downstream, to fire so often.

    >>> from anabranch.sdf.flow import Actor, Channel, Rates
    >>> flow = Flow((Actor("a", Rates((), (), (2,)), None), Actor("b", Rates((3,), (3,), ()),
    ...             None)), (Channel(0, 0, 1, 0),))
    >>> [Dependence(flow, 0, 1)(n) for n in range(4)], Dependence(flow, 0, 1).first(3)
    ([0, 2, 3, 5], 2)
    """

    def __init__(self, flow: Flow, upstream: int, downstream: int):
        self.counting, self.upstream, self.downstream = Counting(flow), upstream, downstream
        self.found = [0]

    def __call__(self, firings: int) -> int:
        while len(self.found) <= firings:
            self._grow()
        return self.found[max(firings, 0)]

    def first(self, firing: int) -> int:
        """The first firing downstream that needs this one upstream."""
        while self.found[-1] < firing:
            self._grow()
        return max(1, bisect_left(self.found, firing))

    def _grow(self) -> None:
        self.counting.advance(self.downstream, len(self.found))
        self.found.append(self.counting.fired[self.upstream])


@dataclass(frozen=True)
class Downstream:
    """Messages from a sender to a receiver behind it."""

    sender: int
    dependence: Dependence
    latency: int

    def due(self, firing: int) -> int:
        """Before which firing of the receiver a message comes that is sent in this one."""
        return self.dependence.first(firing + self.latency)

    def before(self, firing: int) -> int:
        return self.dependence(firing) - self.latency


@dataclass(frozen=True)
class Upstream:
    """Messages from a sender to a receiver before it."""

    sender: int
    dependence: Dependence
    latency: int

    def due(self, firing: int) -> int:
        return self.dependence(firing + self.latency) + 1

    def before(self, firing: int) -> int:
        return self.dependence.first(firing) - 1 - self.latency


def rule(flow: Flow, sender: int, receiver: int, latency: int) -> Downstream | Upstream | None:
    """When messages between two actors arrive; None when no items go from one to the other, at
    rates that are known."""
    flow = uncut(flow)
    if reaches(flow, sender, receiver):
        return Downstream(sender, Dependence(flow, sender, receiver), latency)
    if reaches(flow, receiver, sender):
        return Upstream(sender, Dependence(flow, receiver, sender), latency)
    return None


def reaches(flow: Flow, start: int, end: int) -> bool:
    """Whether items go from one actor forward to another."""
    reached = {start}
    for channel in sorted(flow.channels, key=lambda c: c.source):
        if (channel.source in reached and not channel.back
                and flow.actors[channel.target].rates.pops[channel.into]):
            reached.add(channel.target)
    return end in reached and start != end
