"""Which stages run as kernels over columns on executors, and why not others.

Kernels are made on the driver, where the user's text is, and travel with the program. What they
compile to is kept in the cache folder of the user, where the next process finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from anabranch.ir.graph import Graph
from anabranch.ir.operators import Keyed
from anabranch.plan.logical.plan import Reason
from anabranch.plan.physical.columns import Names, columns_wanted
from anabranch.plan.physical.cost import rows_known
from anabranch.plan.physical.spark.segments import Exchange, Segment, Stages
from anabranch.plan.physical.stages import Stage, finishes
from anabranch.plan.physical.tiers import Tier, form_tier, tiers


def tiers_of(graph: Graph, segments: Sequence[Segment], worth_compiling: int) -> dict[int, Tier]:
    """The tier of each stage, by its index. Unless so many rows are known to come, no task waits
    for a compiler."""
    stages = [stage for segment in segments for stage in segment.stages]
    if worth_compiling and rows_known(graph) < worth_compiling:
        few = Reason("too few rows are known to come to be worth compiling", graph.sources[0].span)
        return {stage.index: form_tier(stage) or Tier(None, few) for stage in stages}
    unknown = {stage.index: reason for before, segment in pairwise(segments)
               for stage in segment.stages[:1]
               if (reason := _keys_unknown(graph, before, segment, stage))}
    found = tiers(graph, [s for s in stages if s.index not in unknown])
    return found | {index: Tier(None, reason) for index, reason in unknown.items()}


def kernels_of(found: Mapping[int, Tier]) -> dict[int, object]:
    """What the executors are given."""
    return {index: tier.kernel for index, tier in found.items() if tier.kernel is not None}


def _keys_unknown(graph: Graph, before: Segment, segment: Segment, stage: Stage) -> Reason | None:
    """Why a kernel cannot number the rows with which keys come first, where that is asked."""
    if segment.route is not Exchange.BUCKETS or not notes_keys(stage):
        return None
    first = stage.operators[0]
    if before.route.parts_slices:
        return Reason("its keys are told of the end, and its rows come from several tasks",
                      first.span)
    if any(finishes(graph[name]) for name in _upstream(graph, stage)):
        return Reason("its keys are told of the end, and some come only then", first.span)
    return None


def _upstream(graph: Graph, stage: Stage) -> set[str]:
    """The operators before a stage, without sources."""
    found: set[str] = set()
    waiting = [op for q in stage.inputs for op in [graph.writer(q)]]
    while waiting:
        op = waiting.pop()
        if op.name not in found and not op.is_source:
            found.add(op.name)
            waiting += graph.predecessors(op)
    return found


def notes_keys(stage: Stage) -> bool:
    """Whether it is remembered when keys came first: they are told of the end in that order."""
    return any(isinstance(op.kind, Keyed) and op.kind.stateful and finishes(op)
               for op in stage.operators)


def wanted_of(stages: Stages, kernels: Mapping[int, object]) -> dict[str, Names]:
    """By source, for those that are not needed wholly, the columns that are needed."""
    tiers = {index: Tier(kernel, None) for index, kernel in kernels.items()}
    return columns_wanted(stages.graph, [*stages.before, stages.sinks], tiers)
