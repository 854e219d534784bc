"""Which worker takes which event: by its tag; those of a divided tag go in turn, or into pools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from anabranch.sync.messages import END, NEVER, NOTHING, Ask, Events, Floor, Message, Offer, Run
from anabranch.sync.plan import Shard, Tree
from anabranch.sync.pools import Pool
from anabranch.sync.program import OTHER

Tagged = Mapping[object, Sequence[int]]
"""The places of the items of each tag."""

Picked = Callable[[Sequence[object], Sequence[int]], Sequence[object]]
Addressed = tuple[int, Message]
ROOT = 0


class Router:
    """Deals events out to the workers of a plan, in the order of the operator's input.

    The events of a divided tag are dealt out one by one in turn, so that between any two others all
    its workers have about as much to do. A tag that the plan does not know goes to the root, as
    one that everything depends on. `tagged` finds the tags of items, `picked` those at some places.
    The events of `pools` may be left to whoever is free.
    """

    def __init__(self, tree: Tree, tagged: Callable[[Sequence[object]], Tagged],
                 picked: Picked = lambda items, places: [items[place] for place in places],
                 pools: Sequence[Pool] = ()):
        self.tagged, self.picked, self.pools = tagged, picked, pools
        self.pool_of = {tag: pool for pool in pools for tag in pool.tags}
        self.worker_of = {s: n for n, node in enumerate(tree.nodes()) for s in node.shards}
        self.lane_of = {s: lane for node in tree.nodes() for s, lane in node.lanes.items()}
        self.shards: dict[object, list[Shard]] = {}
        for shard in sorted(self.worker_of, key=lambda s: s.number or 0):
            self.shards.setdefault(shard.tag, []).append(shard)

    def routed(self, first: int, items: Sequence[object], pooled: bool = False
               ) -> Iterator[Addressed]:
        """The messages to the workers. The items' stamps begin with `first`; also who has no event
        among them learns that there is none before the last one. With `pooled`, events go into the
        pools that there are for them."""
        until = first + len(items)
        known = self._known(self.tagged(items))
        shared = {tag: own for tag, own in known.items() if pooled and tag in self.pool_of}
        dealt = self._dealt({tag: own for tag, own in known.items() if tag not in shared})
        yield ROOT, Floor(until)
        for lane, own in dealt.items():
            yield self.worker_of[lane], Events(lane, self._run(first, items, own), until)
        for pool in self.pools:
            own = _merged([shared[tag] for tag in pool.tags if tag in shared])
            run = self._run(first, items, own)
            yield from ((worker, Offer(pool.number, run, until)) for worker in pool.workers)

    def _run(self, first: int, items: Sequence[object], places: Sequence[int]) -> Run:
        return Run(_stamped(places, first), self.picked(items, places)) if len(places) else NOTHING

    def _dealt(self, known: Tagged) -> dict[Shard, Sequence[int]]:
        """The places of the events that come on each lane."""
        dealt: dict[Shard, list[Sequence[int]]] = {lane: [] for lane in self.lane_of.values()}
        for tag, places in known.items():
            shards = self.shards[tag]
            for n, shard in enumerate(shards):
                dealt[self.lane_of[shard]].append(places[n::len(shards)])
        return {lane: _merged(parts) for lane, parts in dealt.items()}

    def takers(self, tag: object) -> list[int]:
        """The workers that take the events of a tag, in turn."""
        return [self.worker_of[shard] for shard in self.shards.get(tag) or self.shards[OTHER]]

    def _known(self, tagged: Tagged) -> Tagged:
        """The places of each tag that the plan knows, those of all others together."""
        others = [places for tag, places in tagged.items() if tag not in self.shards]
        known = {tag: places for tag, places in tagged.items() if tag in self.shards}
        return known | {OTHER: _merged([known.get(OTHER, ()), *others])} if others else known

    def ended(self) -> Iterator[Addressed]:
        """The messages that say that no more events come, and ask the root for its state."""
        yield from ((self.worker_of[lane], Events(lane, NOTHING, NEVER))
                    for lane in dict.fromkeys(self.lane_of.values()))
        yield from ((worker, Offer(pool.number, NOTHING, NEVER))
                    for pool in self.pools for worker in pool.workers)
        yield ROOT, Ask(END)


def by_calling(tag: Callable[[object], object]) -> Callable[[Sequence[object]], Tagged]:
    """Finds tags by calling the user's function for each item. One that has no tag, because the
    function fails, goes where it waits for everything else: what is wrong will show there.

    >>> by_calling(len)(["a", "bc", "d"])
    {1: [0, 2], 2: [1]}
    """
    def tagged(items: Sequence[object]) -> Tagged:
        places: dict[object, list[int]] = {}
        for place, item in enumerate(items):
            _places_of(places, tag, item).append(place)
        return places
    return tagged


def _places_of(places: dict[object, list[int]], tag: Callable[[object], object], item: object
               ) -> list[int]:
    try:
        name = tag(item)
        return places[name] if name in places else places.setdefault(name, [])
    except Exception:
        return places.setdefault(OTHER, [])


def _merged(parts: Sequence[Sequence[int]]) -> Sequence[int]:
    """The places of several as one, sorted."""
    if len(parts) == 1:
        return parts[0]
    if parts and all(isinstance(part, np.ndarray) for part in parts):
        return np.sort(np.concatenate(parts))
    return sorted(chain(*parts))


def _stamped(places: Sequence[int], first: int) -> Sequence[int]:
    return [first + place for place in places] if isinstance(places, list) else places + first
