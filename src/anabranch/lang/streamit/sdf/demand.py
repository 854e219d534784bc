"""Actors that fire when they are asked to, and when messages between them arrive.

Actors that fire when they are asked to: each first asks for what it needs itself.

What an actor needs are items from others, and, where there are messages, that their senders have
come so far. Nothing fires earlier than somebody needs it.

When messages arrive, in terms of the items that flow between sender and receiver.

A message that is sent in firing n with latency l meets the items of firing n + l of its sender:
downstream it comes before the first firing that they can reach, upstream after the last firing
that they depend on. (Thies et al., "Teleport messaging for distributed stream programs", 2005.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from anabranch.lang.streamit.sdf.flow import Flow, Range
from anabranch.lang.streamit.sdf.schedule import uncut


class Ended(Exception):
    """A source has nothing more to give."""


class Stuck(Exception):
    """An actor can fire only after it has fired itself."""

    def __init__(self, actor: int):
        super().__init__(actor)
        self.actor = actor


class Rule(Protocol):
    """A firing of one actor comes after so many of another."""

    sender: int

    def before(self, firing: int) -> int:
        """How often the sender must have fired before this firing."""


class Demand:
    """Lets actors fire: `held(channel)` tells how many items there are, `fire(actor)` does it.

    `rules` has what must have happened before an actor fires, besides that its items are there.
    """

    def __init__(self, flow: Flow, held: Callable[[int], int], fire: Callable[[int], None],
                 rules: dict[int, list[Rule]] | None = None):
        self.flow, self.held, self.fire, self.rules = flow, held, fire, rules or {}
        self.fired = [0] * len(flow.actors)
        self.waiting: set[int] = set()

    def advance(self, actor: int, count: int) -> None:
        """Sees to it that an actor has fired so often."""
        goals: list[tuple[int, int]] = []
        try:
            self._ask(goals, actor, count)
            while goals:
                actor, count = goals[-1]
                if self.fired[actor] >= count:
                    self.waiting.discard(goals.pop()[0])
                elif (missing := self._missing(actor)) is not None:
                    self._ask(goals, *missing)
                else:
                    self.fire(actor)
                    self.fired[actor] += 1
        finally:
            self.waiting.difference_update(each for each, _ in goals)

    def _ask(self, goals: list[tuple[int, int]], actor: int, count: int) -> None:
        if self.fired[actor] >= count:
            return
        if actor in self.waiting:
            raise Stuck(actor)
        self.waiting.add(actor)
        goals.append((actor, count))

    def _missing(self, actor: int) -> tuple[int, int] | None:
        """Who must have fired how often before this actor can fire; None when it can."""
        rates, fired = self.flow.actors[actor].upcoming(self.fired[actor]), self.fired
        for index, channel in self.flow.inputs(actor):
            need = rates.peeks[channel.into]
            if not isinstance(need, Range) and self.held(index) < need:
                return channel.source, fired[channel.source] + 1
        for rule in self.rules.get(actor, ()):
            if fired[rule.sender] < (count := rule.before(fired[actor] + 1)):
                return rule.sender, count
        return None


class Counting(Demand):
    """Firings that are only counted: no items, but how many there are."""

    def __init__(self, flow: Flow, rules: dict[int, list[Rule]] | None = None):
        super().__init__(flow, self._held, self._count, rules)
        self.items = [len(channel.initial) for channel in flow.channels]

    def _held(self, channel: int) -> int:
        return self.items[channel]

    def _count(self, actor: int) -> None:
        rates = self.flow.actors[actor].upcoming(self.fired[actor])
        for index, channel in self.flow.inputs(actor):
            self.items[index] -= rates.pops[channel.into]
        for index, channel in self.flow.outputs(actor):
            self.items[index] += rates.pushes[channel.out]


class Dependence:
    """How often one actor must have fired for another, downstream, to fire so often.

    >>> from anabranch.lang.streamit.sdf.flow import Actor, Channel, Rates
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
