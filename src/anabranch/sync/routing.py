"""Which worker takes which event: by the event's tag, and by turns where a tag is divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from anabranch.sync.messages import END, NEVER, NOTHING, Ask, Events, Floor, Message, Run
from anabranch.sync.plan import Shard, Tree
from anabranch.sync.program import OTHER

Tagged = Mapping[object, Run]
"""The items of each tag, with their places instead of stamps."""

Addressed = tuple[int, Message]
ROOT = 0


class Router:
    """Deals events out to the workers of a plan, in the order of the operator's input.

    The events of a divided tag are dealt out in as many parts, each a piece of what is routed
    together. A tag that the plan does not know goes to the root, as one that everything depends
    on. `tagged` finds the tags of items.
    """

    def __init__(self, tree: Tree, tagged: Callable[[Sequence[object]], Tagged]):
        self.tagged = tagged
        self.worker_of = {s: n for n, node in enumerate(tree.nodes()) for s in node.shards}
        self.shards: dict[object, list[Shard]] = {}
        for shard in sorted(self.worker_of, key=lambda s: s.number or 0):
            self.shards.setdefault(shard.tag, []).append(shard)

    def routed(self, first: int, items: Sequence[object]) -> Iterator[Addressed]:
        """The messages to the workers. The items' stamps begin with `first`; also who has no event
        among them learns that there is none before the last one."""
        until = first + len(items)
        runs: dict[Shard, list[Run]] = {}
        for tag, run in self.tagged(items).items():
            for shard, part in self._dealt(tag, _stamped(run, first)):
                runs.setdefault(shard, []).append(part)
        yield ROOT, Floor(until)
        for shard, worker in self.worker_of.items():
            parts = in_order(runs.get(shard, ())) or [NOTHING]
            ends = [*(part.stamps[0] for part in parts[1:]), until]
            yield from ((worker, Events(shard, *part)) for part in zip(parts, ends))

    def ended(self) -> Iterator[Addressed]:
        """The messages that say that no more events come, and ask the root for its state."""
        yield from ((worker, Events(shard, NOTHING, NEVER))
                    for shard, worker in self.worker_of.items())
        yield ROOT, Ask(END)

    def _dealt(self, tag: object, run: Run) -> Iterator[tuple[Shard, Run]]:
        shards = self.shards.get(tag) or self.shards[OTHER]
        for n, shard in enumerate(shards):
            yield shard, run.cut(len(run) * n // len(shards), len(run) * (n + 1) // len(shards))


def by_calling(tag: Callable[[object], object]) -> Callable[[Sequence[object]], Tagged]:
    """Finds tags by calling the user's function for each item. One that has no tag, because the
    function fails, goes where it waits for everything else: what is wrong will show there.

    >>> by_calling(len)(["a", "bc", "d"])[1]
    Run(stamps=[0, 2], items=['a', 'd'])
    """
    def tagged(items: Sequence[object]) -> Tagged:
        runs: dict[object, Run] = {}
        for place, item in enumerate(items):
            run = _run_of(runs, tag, item)
            run.stamps.append(place)
            run.items.append(item)
        return runs
    return tagged


def _run_of(runs: dict[object, Run], tag: Callable[[object], object], item: object) -> Run:
    try:
        name = tag(item)
        return runs[name] if name in runs else runs.setdefault(name, Run([], []))
    except Exception:
        return runs.setdefault(OTHER, Run([], []))


def _stamped(run: Run, first: int) -> Run:
    if isinstance(run.stamps, list):
        return Run([first + place for place in run.stamps], run.items)
    return Run(run.stamps + first, run.items)


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Runs such that each stands wholly before the next: several unknown tags may interleave.

    >>> in_order([Run([0, 2], "ac"), Run([1], "b")])
    [Run(stamps=[0], items='a'), Run(stamps=[1], items='b'), Run(stamps=[2], items='c')]
    """
    waiting = [run for run in runs if len(run)]
    ordered = []
    while waiting:
        first = min(waiting, key=lambda run: run.stamps[0])
        others = [run for run in waiting if run is not first]
        before, after = first.parted(min((run.stamps[0] for run in others), default=END))
        ordered.append(before)
        waiting = [*others, *([after] if len(after) else [])]
    return ordered
