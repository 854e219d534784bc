"""What an optimizer is given, and the model by which plans are compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from anabranch.core.once import once
from anabranch.plan.sync.plan import Shard, Tree
from anabranch.plan.sync.program import Program


@dataclass(frozen=True)
class Costs:
    """Seconds for an update, for a fork, for a join, and for a message to another worker."""

    update: float = 1e-6
    fork: float = 5e-6
    join: float = 5e-6
    message: float = 5e-5

    @property
    def synchronization(self) -> float:
        """One level of the tree joined and forked again: to ask, to answer, to give back."""
        return self.fork + self.join + 3 * self.message


@dataclass(frozen=True)
class Problem:
    """A program, the rate of each tag (events, in any unit), and how many workers there are."""

    program: Program
    rates: Mapping[object, float]
    workers: int
    costs: Costs = field(default_factory=Costs)

    @once
    def shards(self) -> tuple[Shard, ...]:
        """Events of a tag that do not depend on each other can be dealt out to all workers."""
        return tuple(shard for tag in self.rates for shard in self._of(tag))

    def _of(self, tag: object) -> Iterable[Shard]:
        if self.workers == 1 or self.program.depends(tag, tag):
            return [Shard(tag)]
        return [Shard(tag, number) for number in range(self.program.pieces(self.workers))]

    def rate(self, shards: Iterable[Shard]) -> float:
        pieces = self.program.pieces(self.workers)
        return sum(self.rates.get(s.tag, 0.0) / (pieces if s.number is not None else 1)
                   for s in shards)

    def busy(self, tree: Tree) -> float:
        """Seconds of work on the critical path for each unit of time: less is better.

        An event of a worker with others below it stops all of these, level after level.
        """
        return self.busy_above(tree, max(map(self.busy, tree.children), default=0.0))

    def busy_above(self, tree: Tree, below: float) -> float:
        """The same, where it is known how busy the busier of the two below is."""
        synchronized = (tree.depth - 1) * self.costs.synchronization
        return self.rate(tree.shards) * (self.costs.update + synchronized) + below

    def components(self, shards: Iterable[Shard]) -> list[frozenset[Shard]]:
        """The shards in groups that do not depend on each other, the first ones first."""
        of_tag: dict[object, list[Shard]] = {}
        for shard in shards:
            of_tag.setdefault(shard.tag, []).append(shard)
        groups: list[frozenset[Shard]] = []
        for tags in self._connected(list(of_tag)):
            together = [s for tag in tags for s in of_tag[tag]]
            # The shards of a tag depend on each other only through other tags.
            groups += [frozenset(together)] if len(tags) > 1 else [frozenset({s}) for s in together]
        return groups

    def _connected(self, waiting: list[object]) -> Iterator[list[object]]:
        """The tags in groups such that tags of different groups are independent."""
        while waiting:
            group, edge, waiting = [], waiting[:1], waiting[1:]
            while edge:
                group.append(edge.pop())
                near = [tag for tag in waiting if self.program.depends(tag, group[-1])]
                waiting = [tag for tag in waiting if tag not in near] if near else waiting
                edge += near
            yield group


@dataclass(frozen=True)
class Planned:
    """A plan, who made it, and the estimate of its cost."""

    tree: Tree
    by: str
    busy: float

    def speedup(self, problem: Problem) -> float:
        """How much more than one worker alone can do, by the model."""
        alone = problem.rate(problem.shards) * problem.costs.update
        return alone / self.busy if self.busy else 1.0
