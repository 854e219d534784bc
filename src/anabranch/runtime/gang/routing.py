"""Which worker takes which event: by its tag; of a divided tag in turn, or in pools.

Of a pool each worker takes the next event when it is free.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager
from itertools import chain
from typing import NamedTuple

import numpy as np

from anabranch.plan.sync.plan import Shard, Tree
from anabranch.plan.sync.program import OTHER
from anabranch.runtime.gang.messages import (
    END,
    NEVER,
    NOTHING,
    Ask,
    Events,
    Floor,
    Message,
    Offer,
    Run,
)

LEAST, LEAST_BEFORE_A_MEETING = 0.002, 0.001
"""So many seconds of work are taken at once: to take some more costs a twentieth of that. Less
where all others will wait for who is the last."""


class TagPool(NamedTuple):
    """The workers that share the events of some tags."""

    number: int
    workers: tuple[int, ...]
    tags: frozenset


def pools_of(tree: Tree, most: int) -> tuple[TagPool, ...]:
    """The pools of a plan, `most` of them: tags that come to the same workers are in one, as far as
    all of these have none below them.

    >>> from anabranch.plan.sync.plan import Shard, leaf
    >>> left, right = (leaf(Shard("view", number)) for number in range(2))
    >>> pools_of(Tree(frozenset({Shard("update")}), (left, right)), most=8)
    (TagPool(number=0, workers=(1, 2), tags=frozenset({'view'})),)
    """
    nodes = list(tree.nodes())
    workers: dict[object, list[int]] = {}
    for number, node in enumerate(nodes):
        for tag in {shard.tag for shard in node.shards}:
            workers.setdefault(tag, []).append(number)
    tags: dict[tuple[int, ...], set] = {}
    for tag, own in workers.items():
        if len(own) > 1 and not any(nodes[number].children for number in own):
            tags.setdefault(tuple(own), set()).add(tag)
    return tuple(TagPool(number, own, frozenset(tags[own]))
                 for number, own in enumerate(sorted(tags)[:most]))


class Claims:
    """Before which stamp the events of each pool have been taken; all workers see the same. Each
    process has its own of these, which knows how many seconds its events take."""

    def __init__(self, pools: Sequence[TagPool], taken: MutableSequence[int],
                 lock: AbstractContextManager):
        self.pools, self.before, self.lock = pools, taken, lock
        self.seconds = 0.0

    def of(self, worker: int) -> list[int]:
        """The numbers of the pools of which a worker takes events."""
        return [pool.number for pool in self.pools if worker in pool.workers]

    def taken(self, pool: int, run: Run, meeting: bool) -> tuple[Run, Run]:
        """What the worker that asks takes of the run, and what it leaves behind that: less and
        less, the more so before a `meeting`, where the others will be waiting for it.

        >>> from contextlib import nullcontext
        >>> claims = Claims([TagPool(0, (1, 2), frozenset())], [0], nullcontext())
        >>> first, rest = claims.taken(0, Run(range(400), range(400)), meeting=True)
        >>> first.stamps, claims.taken(0, rest, meeting=True)[0].stamps
        (range(0, 100), range(100, 175))
        """
        with self.lock:
            begin = bisect_left(run.stamps, self.before[pool])
            end = min(len(run), begin + self._share(pool, len(run) - begin, meeting))
            if end > begin:
                self.before[pool] = int(run.stamps[end - 1]) + 1
        return run.cut(begin, end), run.cut(end, len(run))

    def _share(self, pool: int, events: int, meeting: bool) -> int:
        least = LEAST_BEFORE_A_MEETING if meeting else LEAST
        parts = len(self.pools[pool].workers) * (2 if meeting else 1)
        return max(events // parts, int(least / self.seconds) if self.seconds else 1, 1)

    def worked(self, events: int, seconds: float) -> None:
        """Some that were taken have been worked off."""
        self.seconds = seconds / events


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
                 pools: Sequence[TagPool] = ()):
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
