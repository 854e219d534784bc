"""Stages that follow each other as kernels become one stage with one kernel.

Then a row passes all of them in one loop, and no column is made in between. A stage that may be
shared and whose functions have loops stays apart from others: it is worth sharing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise

from anabranch.ir.graph import Graph
from anabranch.plan.physical.cost import has_loop
from anabranch.plan.physical.cut import LINES
from anabranch.plan.physical.stages import Sharing, Stage, is_wished_parallel
from anabranch.plan.physical.tiers import Tier, tier_of


def fused(graph: Graph, stages: Sequence[Stage], known: dict[int, Tier]
           ) -> tuple[list[Stage], dict[int, Tier]]:
    """The stages and their tiers, with every line of kernels as one stage."""
    found = [(stage, known.get(stage.index)) for stage in stages]
    while (pair := _next_pair(graph, found)) is not None:
        place, after, both = pair
        found[place] = both
        del found[after]
    found = [(replace(stage, index=index), tier) for index, (stage, tier) in enumerate(found)]
    return [stage for stage, _ in found], {s.index: tier for s, tier in found if tier is not None}


Found = list[tuple[Stage, Tier | None]]


def _next_pair(graph: Graph, found: Found) -> tuple[int, int, tuple[Stage, Tier]] | None:
    for place, (stage, tier) in enumerate(found):
        for after, (behind, following) in enumerate(found):
            if _follows(graph, stage, behind) and _alike(stage, tier, behind, following):
                both = _both(graph, stage, behind)
                if both is not None:
                    return after, place, both
    return None


def _follows(graph: Graph, stage: Stage, behind: Stage) -> bool:
    """Whether all that one stage gives goes to the other, which gets nothing else."""
    return (stage.outputs == behind.inputs and len(stage.outputs) == 1
            and graph.readers(stage.outputs[0]) == (behind.operators[0],))


def _alike(stage: Stage, tier: Tier | None, behind: Stage, following: Tier | None) -> bool:
    if not all(t is not None and t.name == "native" for t in (tier, following)):
        return False
    if stage.sharing not in LINES or behind.sharing not in LINES:
        return False
    both, tiers_of_both = (stage, behind), (tier, following)
    if all(s.sharing is Sharing.ANY for s in both):
        return True
    return not any(is_wished_parallel(op) for s in both for op in s.operators) and not any(
        s.sharing is not Sharing.ONE and t.has_loops for s, t in zip(both, tiers_of_both))


def _both(graph: Graph, stage: Stage, behind: Stage) -> tuple[Stage, Tier] | None:
    both = _one_behind_the_other(stage, behind)
    tier = tier_of(graph, both)
    return (both, tier) if tier.name == "native" else None


def _one_behind_the_other(stage: Stage, behind: Stage) -> Stage:
    same = stage.sharing is behind.sharing is Sharing.ANY
    return replace(stage, operators=(*stage.operators, *behind.operators), outputs=behind.outputs,
                   sharing=Sharing.ANY if same else Sharing.ONE, keys=())


def in_one_kernel(graph: Graph, stages: Sequence[Stage]) -> tuple[list[Stage], dict] | None:
    """A line of stages as one with its kernel, if they have one together: as most programs do, it
    is asked for before that of each."""
    *line, sinks = stages
    if len(line) < 2 or not all(_follows(graph, a, b) for a, b in pairwise(line)) or not all(
            stage.sharing in LINES and not any(
                has_loop(op) or is_wished_parallel(op) for op in stage.operators)
            for stage in line):
        return None
    whole = reduce(_one_behind_the_other, line)
    tier = tier_of(graph, whole)
    return ([whole, replace(sinks, index=1)], {0: tier}) if tier.name == "native" else None
