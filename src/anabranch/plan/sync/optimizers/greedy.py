"""Takes out the rarest tags until the rest falls apart, and goes on with each half."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.plan.sync.optimizers.packed import evenly
from anabranch.plan.sync.optimizers.problem import Problem
from anabranch.plan.sync.plan import Shard, Tree, leaf


def greedy(problem: Problem) -> Tree:
    """A tree whose inner workers take the rarest tags, and whose leaves are as many as workers."""
    return _tree(problem, problem.shards, problem.workers)


def _tree(problem: Problem, shards: Iterable[Shard], workers: int) -> Tree:
    shards = tuple(shards)
    own, groups = _parted(problem, shards)
    if workers < 2 or len(groups) < 2:
        return leaf(*shards)
    left, right = evenly(problem, groups, 2)
    share = problem.rate(left) / (problem.rate([*left, *right]) or 1.0)
    for_left = min(max(1, round(workers * share)), workers - 1)
    return Tree(frozenset(own), (_tree(problem, left, for_left),
                                 _tree(problem, right, workers - for_left)))


def _parted(problem: Problem, shards: tuple[Shard, ...]
            ) -> tuple[list[Shard], list[frozenset[Shard]]]:
    """What must be taken out, and the independent groups that remain."""
    own: list[Shard] = []
    by_rate = sorted(dict.fromkeys(s.tag for s in shards), key=lambda tag: problem.rates[tag])
    for tag in by_rate:
        rest = [s for s in shards if s not in own]
        groups = problem.components(rest)
        if len(groups) > 1:
            return own, groups
        own += [s for s in rest if s.tag == tag]
    return own, []
