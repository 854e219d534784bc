"""Groups of shards on several sides, such that each side has about as much to do."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.sync.optimizers.problem import Problem
from anabranch.sync.plan import Shard


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
