"""Trees for forks into different types: each side takes tags of its type."""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.plan.sync.optimizers.problem import Problem
from anabranch.plan.sync.plan import Shard, Tree, leaf
from anabranch.plan.sync.program import Program


def fitted(program: Program, tree: Tree, state: type | None = None) -> Tree | None:
    """The tree with its branches on the sides whose states can take their tags, if it can be."""
    state = state or program.kind.state
    if not all(program.handles(state, shard.tag) for shard in tree.shards):
        return None
    if not tree.children:
        return tree
    if not program.can_fork(state):
        return None
    parts = program.fork_of(state).parts
    for children in (tree.children, tree.children[::-1]):
        found = [fitted(program, child, part) for child, part in zip(children, parts)]
        if None not in found:
            return Tree(tree.shards, tuple(found))
    return None


def typed(problem: Problem) -> Tree:
    """A tree by the types alone: what no part of a state can take is taken above."""
    return _tree(problem, problem.program.kind.state, problem.shards, problem.workers)


def _tree(problem: Problem, state: type, shards: Sequence[Shard], workers: int) -> Tree:
    program = problem.program
    if workers < 2 or not program.can_fork(state):
        return leaf(*shards)
    parts = program.fork_of(state).parts
    sides = _dealt(problem, parts, shards)
    if not all(sides):
        return leaf(*shards)
    below = {shard for side in sides for shard in side}
    share = problem.rate(sides[0]) / (problem.rate(below) or 1.0)
    for_left = min(max(1, round(workers * share)), workers - 1)
    return Tree(frozenset(shards) - below, tuple(
        _tree(problem, part, side, count) for part, side, count in zip(
            parts, sides, (for_left, workers - for_left))))


def _dealt(problem: Problem, parts: tuple[type, type], shards: Sequence[Shard]
           ) -> tuple[list[Shard], list[Shard]]:
    """The groups of shards that one of two states can take, each with the one that has less to do;
    those that both can take go last, so that neither side has them all."""
    def takers(group: frozenset[Shard]) -> list[int]:
        return [side for side, part in enumerate(parts)
                if all(problem.program.handles(part, shard.tag) for shard in group)]
    sides: tuple[list[Shard], list[Shard]] = [], []
    either = [s for s in shards if takers(frozenset({s}))]
    groups = sorted(problem.components(either), key=lambda g: (len(takers(g)), -problem.rate(g)))
    for group in groups:
        if able := takers(group):
            least = min(able, key=lambda side: (problem.rate(sides[side]), len(sides[side])))
            sides[least].extend(sorted(group, key=str))
    return sides
