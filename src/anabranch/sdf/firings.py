"""How often actors have fired, told from how often the starts have: nothing has to run for that.

>>> from anabranch.sdf.flow import Actor, Channel, Flow, Rates
>>> flow = Flow((Actor("a", Rates((), (), (2,)), None), Actor("b", Rates((4,), (3,), ()), None)),
...             (Channel(0, 0, 1, 0),))
>>> firings(flow, {0: np.array([1, 2, 3])})[1].tolist()
[0, 1, 1]
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from anabranch.sdf.flow import Actor, Flow
from anabranch.sdf.ranges import ENDLESS


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
