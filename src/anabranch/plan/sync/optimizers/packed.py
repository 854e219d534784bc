"""Leaves with equal shares: what is independent, in as many leaves as workers.

What would tie too much together is left to the workers above.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from anabranch.plan.sync.optimizers.problem import Problem
from anabranch.plan.sync.plan import Shard, Tree, leaf


def evenly(problem: Problem, groups: Iterable[frozenset[Shard]], sides: int) -> list[list[Shard]]:
    """The heaviest group first, each to the side that has the least so far."""
    found: list[list[Shard]] = [[] for _ in range(sides)]
    loads = [0.0] * sides
    rated = ((problem.rate(group), sorted(group, key=str)) for group in groups)
    for rate, group in sorted(rated, key=lambda pair: (-pair[0], str(pair[1][0]))):
        # With rates of zero everything would land on one side.
        lightest = min(range(sides), key=lambda side: (loads[side], len(found[side])))
        found[lightest] += group
        loads[lightest] += rate
    return found


Group = frozenset[Shard]


def packed(problem: Problem) -> Tree:
    """Leaves that never wait for each other, below a root that takes what they would wait for."""
    own, groups = _loosened(problem)
    if len(groups) < 2 or problem.workers < 2:
        return leaf(*problem.shards)
    shares = evenly(problem, groups, min(problem.workers, len(groups)))
    return Tree(frozenset(own), _above([leaf(*share) for share in shares]).children)


def _loosened(problem: Problem) -> tuple[list[Shard], list[Group]]:
    """What goes to the root, and groups of which none has more than a worker's share, if that can
    be: the rarest tag of a group that has more is taken out of it."""
    most = problem.rate(problem.shards) / problem.workers
    own: list[Shard] = []
    fitting: list[Group] = []
    waiting = problem.components(problem.shards)
    while waiting:
        group = waiting.pop()
        if len(group) == 1 or problem.rate(group) <= most:
            fitting.append(group)
            continue
        rarest = min((s.tag for s in group), key=lambda tag: (problem.rates[tag], str(tag)))
        own += [s for s in group if s.tag == rarest]
        waiting += problem.components(sorted((s for s in group if s.tag != rarest), key=str))
    return own, fitting


def _above(leaves: Sequence[Tree]) -> Tree:
    """A tree as flat as it can be."""
    if len(leaves) == 1:
        return leaves[0]
    half = len(leaves) // 2
    return Tree(frozenset(), (_above(leaves[:half]), _above(leaves[half:])))
