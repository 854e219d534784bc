"""Stages that follow each other as kernels become one stage with one kernel.

Then a row passes all of them in one loop, and no column is made in between. A stage that may be
shared and whose functions have loops stays apart from others: it is worth sharing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import pairwise

from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.columns import columns_shown, columns_wanted
from anabranch.plan.physical.cost import Prospect, has_loop, prospect
from anabranch.plan.physical.cut import LINES, cut_stages
from anabranch.plan.physical.hot_keys import hot_keys_told, split, why_not_split
from anabranch.plan.physical.loops import computed_ahead
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.physical.stages import Sharing, Stage, formed
from anabranch.plan.physical.tiers import Tier, tier_here, tier_of, tiers, unwanted
from anabranch.plan.physical.turns import overlapping
from anabranch.plan.physical.unfused import unfused


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
    return all(s.sharing is Sharing.ANY for s in both) or not any(
        s.sharing is not Sharing.ONE and t.has_loops for s, t in zip(both, tiers_of_both))


def _both(graph: Graph, stage: Stage, behind: Stage) -> tuple[Stage, Tier] | None:
    both = _one_behind_the_other(stage, behind)
    tier = tier_of(graph, both)
    return (both, tier) if tier.name == "native" else None


def _one_behind_the_other(stage: Stage, behind: Stage) -> Stage:
    same = stage.sharing is behind.sharing is Sharing.ANY
    return replace(stage, operators=(*stage.operators, *behind.operators), outputs=behind.outputs,
                   sharing=Sharing.ANY if same else Sharing.ONE, keys=())


def staged(plan: Plan, kernels: str = "where it pays", several_buckets: bool = False,
           ahead: Prospect | None = None) -> tuple[list[Stage], dict[int, Tier]]:
    """The stages of a plan whose operators are unfused, and the tier of each but the sinks'.

    With `several_buckets` kernels keep their keys apart, and so stay apart themselves. What is
    `ahead` of a run may make kernels not worth compiling.
    """
    stages, why = formed(plan), unwanted(plan.graph, kernels, ahead or prospect(plan.graph))
    if not (several_buckets or why) and (in_one := _in_one_kernel(plan.graph, stages)) is not None:
        return in_one
    found = tiers(plan.graph, stages, why, tier_here)
    stages = [_by_buckets(plan.graph, stage, found.get(stage.index)) for stage in stages]
    if several_buckets or why:
        return stages, found
    return fused(plan.graph, *cut_stages(plan.graph, stages, found))


def _in_one_kernel(graph: Graph, stages: Sequence[Stage]) -> tuple[list[Stage], dict] | None:
    """A line of stages as one with its kernel, if they have one together: as most programs do, it
    is asked for before that of each."""
    *line, sinks = stages
    if len(line) < 2 or not all(_follows(graph, a, b) for a, b in pairwise(line)) or not all(
            stage.sharing in LINES and not any(map(has_loop, stage.operators)) for stage in line):
        return None
    whole = reduce(_one_behind_the_other, line)
    tier = tier_of(graph, whole)
    return ([whole, replace(sinks, index=1)], {0: tier}) if tier.name == "native" else None


def _by_buckets(graph: Graph, stage: Stage, tier: Tier | None) -> Stage:
    """No plan splits the keys of most compiled updates: to take columns apart by keys takes longer,
    if they have no loops."""
    compiled = tier is not None and tier.kernel is not None
    by_key = stage.sharing is Sharing.PLAN and stage.keys
    if not (by_key and compiled) or (tier.has_loops and why_not_split(graph, stage) is None):
        return stage
    return replace(stage, sharing=Sharing.BUCKETS)


def execution(plan: Plan) -> Execution:
    """How the engine runs a plan whose sources are bound; `explain` shows it."""
    whole = unfused(plan)
    stages, found = staged(whole)
    found = {index: _told(whole.graph, stages[index], tier) for index, tier in found.items()}
    graph, stages, found = split(whole.graph, stages, found, os.cpu_count() or 2)
    wanted = columns_wanted(graph, stages, found)
    shown = tuple(StageTier(tuple(op.name for op in stages[index].operators), tier.name,
                            tier.reason, "; ".join(filter(None, (
                                columns_shown(graph, stages[index], wanted),
                                _ahead(whole, stages[index]), _in_turns(whole, stages[index]),
                                hot_keys_told(graph, stages[index], tier)))))
                  for index, tier in found.items())
    return Execution("multicore", overall(stage.tier for stage in shown), shown)


def _told(graph: Graph, stage: Stage, tier: Tier) -> Tier:
    """The tier, with the reason that would hold for any number of rows, where there is one."""
    if tier.name != "rows":
        return tier
    whatever_comes = tier_here(graph, stage)
    return whatever_comes if whatever_comes.name == "rows" else tier


def _ahead(plan: Plan, stage: Stage) -> str:
    """Which operators of a loop need not wait for their turn."""
    names = [op.name for op in computed_ahead(plan, stage)]
    return f"computed ahead in processes where it pays: {', '.join(names)}" if names else ""


def _in_turns(plan: Plan, stage: Stage) -> str:
    """Which operators that share variables with others need not wait for each other."""
    pairs = [f"{one.name} and {other.name}" for one, other in overlapping(plan, stage)]
    return f"at the same time where they wait: {', '.join(pairs)}" if pairs else ""
