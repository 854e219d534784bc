"""Pools: events that several workers may take, of which each takes the next ones when it is free.

The events of a divided tag do not depend on each other, nor on anything else that its workers take,
so it does not matter who takes which. If they are dealt out before, all wait for the slowest at the
next event for which they meet; from a pool, who is slower takes fewer.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import MutableSequence, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

from anabranch.sync.messages import Run
from anabranch.sync.plan import Tree

LEAST, LEAST_BEFORE_A_MEETING = 0.002, 0.001
"""So many seconds of work are taken at once: to take some more costs a twentieth of that. Less
where all others will wait for who is the last."""


class Pool(NamedTuple):
    """The workers that share the events of some tags."""

    number: int
    workers: tuple[int, ...]
    tags: frozenset


def pools_of(tree: Tree, most: int) -> tuple[Pool, ...]:
    """The pools of a plan, `most` of them: tags that come to the same workers are in one, as far as
    all of these have none below them.

    >>> from anabranch.sync.plan import Shard, leaf
    >>> left, right = (leaf(Shard("view", number)) for number in range(2))
    >>> pools_of(Tree(frozenset({Shard("update")}), (left, right)), most=8)
    (Pool(number=0, workers=(1, 2), tags=frozenset({'view'})),)
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
    return tuple(Pool(number, own, frozenset(tags[own]))
                 for number, own in enumerate(sorted(tags)[:most]))


class Claims:
    """Before which stamp the events of each pool have been taken; all workers see the same. Each
    process has its own of these, which knows how many seconds its events take."""

    def __init__(self, pools: Sequence[Pool], taken: MutableSequence[int],
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
        >>> claims = Claims([Pool(0, (1, 2), frozenset())], [0], nullcontext())
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
