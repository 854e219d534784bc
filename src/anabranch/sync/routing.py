"""Which worker takes which event, and the outputs of all workers back in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter

from anabranch.sync.messages import END, NOTHING, Done, Events, Run
from anabranch.sync.plan import Shard, Tree
from anabranch.sync.program import OTHER
from anabranch.sync.updates import Failed


class Router:
    """Deals events out to the workers of a plan, in the order of the operator's input.

    The events of a divided tag are dealt out in as many parts, each a piece of what is routed
    together. A tag that the plan does not know goes to the root, as one that everything depends on.
    """

    def __init__(self, tree: Tree, tag: Callable[[object], object]):
        self.tag = tag
        self.worker_of = {s: n for n, node in enumerate(tree.nodes()) for s in node.shards}
        self.shards: dict[object, list[Shard]] = {}
        for shard in sorted(self.worker_of, key=lambda s: s.number or 0):
            self.shards.setdefault(shard.tag, []).append(shard)

    def routed(self, first: int, items: Sequence[object]) -> dict[int, list[Events]]:
        """The messages for each worker. The items' stamps begin with `first`; also the workers
        without an event learn that there is none before the last one."""
        until = first + len(items)
        messages: dict[int, list[Events]] = {}
        runs = self._dealt(self._by_tag(first, items))
        for shard, worker in self.worker_of.items():
            run = runs.get(shard, NOTHING)
            messages.setdefault(worker, []).append(Events(shard, run, until))
        return messages

    def ended(self) -> dict[int, list[Events]]:
        """The messages that say that no more events come."""
        messages: dict[int, list[Events]] = {}
        for shard, worker in self.worker_of.items():
            messages.setdefault(worker, []).append(Events(shard, NOTHING, END))
        return messages

    def _by_tag(self, first: int, items: Sequence[object]) -> dict[object, Run]:
        runs: dict[object, Run] = {tag: Run([], []) for tag in self.shards}
        other, tag_of = runs[OTHER], self.tag
        for stamp, item in enumerate(items, first):
            run = runs.get(tag_of(item), other)
            run.stamps.append(stamp)
            run.items.append(item)
        return runs

    def _dealt(self, runs: dict[object, Run]) -> dict[Shard, Run]:
        dealt = {}
        for tag, run in runs.items():
            shards = self.shards[tag]
            count, rows = len(shards), len(run.stamps)
            for n, shard in enumerate(shards if rows else ()):
                dealt[shard] = run.cut(rows * n // count, rows * (n + 1) // count)
        return dealt


class Collector:
    """Outputs of all workers in the order of their stamps, as far as they are complete."""

    def __init__(self, workers: int):
        self.until = [0] * workers
        self.pending: list[tuple[int, object]] = []
        self.failures: list[Failed] = []

    def add(self, done: Done) -> None:
        self.until[done.worker] = done.until
        self.pending.extend(zip(done.outputs.stamps, done.outputs.items))
        if done.failure is not None:
            self.failures.append(done.failure)

    @property
    def complete(self) -> int:
        """Before this stamp, all outputs are here; a failure ends them."""
        return min(self.until)

    def taken(self, until: int) -> list[tuple[int, object]]:
        """The outputs before a stamp up to which they are complete, in order."""
        # The sort is stable, so the outputs of one event keep their order.
        self.pending.sort(key=itemgetter(0))
        count = next((n for n, (stamp, _) in enumerate(self.pending) if stamp >= until),
                     len(self.pending))
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    @property
    def failure(self) -> Failed | None:
        """The first failure, once it is certain that none comes before it."""
        first = min(self.failures, key=lambda f: f.stamp, default=None)
        return first if first is not None and self.complete >= first.stamp else None
