"""Actors that fire when they are asked to: each first asks for what it needs itself.

What an actor needs are items from others, and, where there are messages, that their senders have
come so far. Nothing fires earlier than somebody needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from anabranch.sdf.flow import Flow
from anabranch.sdf.ranges import Range


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
