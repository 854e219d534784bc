"""How often actors fire in each period, and how periods are cut into blocks.

How often actors have fired, told from how often the starts have: nothing has to run for that.

>>> from anabranch.lang.streamit.sdf.flow import Actor, Channel, Flow, Rates
>>> flow = Flow((Actor("a", Rates((), (), (2,)), None), Actor("b", Rates((4,), (3,), ()), None)),
...             (Channel(0, 0, 1, 0),))
>>> firings(flow, {0: np.array([1, 2, 3])})[1].tolist()
[0, 1, 1]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anabranch.lang.streamit.sdf.flow import ENDLESS, Actor, Flow
from anabranch.lang.streamit.sdf.schedule import Schedule


@dataclass(frozen=True)
class Blocks:
    """`periods` in all, `size` of them in a block; block 0 has what happens before them. Without
    `capped` a file decides when the run ends."""

    periods: int
    size: int
    capped: bool

    def first(self, block: int) -> int:
        """The number of periods before a block."""
        return max(0, block - 1) * self.size

    def count(self, block: int) -> int:
        return min(self.size, self.periods - self.first(block)) if block else 0

    @property
    def number(self) -> int:
        return 1 + -(-self.periods // self.size)


def to_the_end(schedule: Schedule, lengths: dict[str, int]) -> int:
    """How many periods the longest of the files needs."""
    most = 0
    for index, actor in enumerate(schedule.flow.actors):
        if actor.name in lengths:
            rest = lengths[actor.name] - schedule.before[index]
            most = max(most, -(-rest // schedule.period[index]))
    return most


def shares_of(schedule: Schedule, blocks: Blocks, lengths: dict[str, int],
              block: int) -> dict[int, np.ndarray]:
    """How often each actor fires in each period of a block, when the files have these lengths."""
    first = blocks.first(block)
    done = np.arange(first, first + blocks.count(block) + 1)
    flow, starts = schedule.flow, {}
    for index, actor in enumerate(flow.actors):
        if flow.is_start(index):
            told = schedule.before[index] + done * schedule.period[index]
            starts[index] = np.minimum(told, lengths.get(actor.name, told))
    most = {index: schedule.most(index, blocks.periods)
            for index in range(len(flow.actors))} if blocks.capped else {}
    found = firings(flow, starts, most=most)
    return {index: counts if block == 0 else np.diff(counts) for index, counts in found.items()}


def firings(flow: Flow, fired: dict[int, np.ndarray], members: Iterable[int] | None = None,
            supplied: dict[int, np.ndarray] | None = None,
            most: dict[int, int] | None = None) -> dict[int, np.ndarray]:
    """How often each member has fired when everything fires that can.

    `fired` has the starts, `supplied` how many items the channels have had that come from outside
    of the members, `most` how often an actor may fire. No channel may go back.
    """
    found, items, most = dict(fired), dict(supplied or {}), most or {}
    for index in range(len(flow.actors)) if members is None else members:
        actor, inputs = flow.actors[index], flow.inputs(index)
        if index not in found:
            limit = np.int64(most.get(index, ENDLESS))
            counts = [_possible(actor, channel.into, items[i]) for i, channel in inputs]
            found[index] = np.minimum.reduce([np.full_like(counts[0], limit), *counts])
        for i, channel in flow.outputs(index):
            items[i] = pushed(actor, channel.out, found[index])
    return found


def _possible(actor: Actor, port: int, items: np.ndarray) -> np.ndarray:
    """How often an actor can have fired when an input has had so many items."""
    rates, first = actor.rates, actor.first
    taken = 0 if first is None else first.pops[port]
    pop, need = rates.pops[port], max(rates.peeks[port], rates.pops[port])
    later = np.where(items - taken >= need, (items - taken - need) // max(pop, 1) + 1, 0)
    later = np.where(later > 0, ENDLESS, 0) if pop == 0 else later
    if first is None:
        return later
    begun = items >= max(first.peeks[port], first.pops[port])
    return np.where(begun, later + 1, 0)


def pushed(actor: Actor, port: int, fired: np.ndarray) -> np.ndarray:
    """How many items an actor has given to an output when it has fired so often."""
    if actor.first is None:
        return fired * actor.rates.pushes[port]
    later = np.maximum(fired - 1, 0) * actor.rates.pushes[port]
    return np.where(fired > 0, actor.first.pushes[port] + later, 0)
