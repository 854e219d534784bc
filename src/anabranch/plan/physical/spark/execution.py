"""What `explain` shows of a plan on Spark: tier, exchange and order by stage."""

from __future__ import annotations

import os

from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.columns import columns_shown
from anabranch.plan.physical.hot_keys import InParts, windows_told
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.plan.physical.spark.dataframe import DataFramePlan, frame_of
from anabranch.plan.physical.spark.placement import executors_may_write
from anabranch.plan.physical.spark.segments import Exchange, Segment, Stages
from anabranch.plan.physical.spark.tiers import kernels_of, tiers_of, wanted_of
from anabranch.plan.physical.stages import Stage


def execution(plan: Plan) -> Execution:
    """What `explain` shows of a plan whose sources are bound."""
    stages = Stages.of(plan)
    if isinstance(frame := frame_of(stages.graph), DataFramePlan):
        return _as_frame(frame, stages)
    stages, found = stages.with_hot_keys_split(tiers_of(stages.graph, stages.segments),
                                               os.cpu_count() or 2)
    wanted = wanted_of(stages, kernels_of(found))
    shown = [StageTier(operator_names(stage), tier.name, tier.reason, "; ".join(filter(None, [
                arrival(stages.graph, segment, stage), columns_shown(stages.graph, stage, wanted),
                windows_told(stages.graph, stage, tier), _in_batches(stage)])))
             for segment in stages.segments for stage in segment.stages
             for tier in [found[stage.index]]]
    sinks = [StageTier((op.name,), "parts" if executors_may_write(stages.graph, stages.sinks, op)
                       else "driver", None, _last(stages.segments[-1]))
             for op in stages.sinks.operators if op.is_sink]
    return Execution("spark", overall(stage.tier for stage in shown), (*shown, *sinks))


def _as_frame(frame: DataFramePlan, stages: Stages) -> Execution:
    inner = tuple(name for stage in stages.before for name in operator_names(stage))
    shown = StageTier(inner, "catalyst", None,
                      "no shuffle, no stamps: tasks read splits, and write parts in their order")
    return Execution("spark", "catalyst", (shown, StageTier((frame.sink.name,), "parts")))


def operator_names(stage: Stage) -> tuple[str, ...]:
    return tuple(op.name for op in stage.operators)


def arrival(graph: Graph, segment: Segment, stage: Stage) -> str:
    """How rows come to a stage, and what keeps their order."""
    if stage is not segment.stages[0] or segment.route is Exchange.SOURCE:
        return "no shuffle, no stamps: slices stay where they are, and keep their order"
    keys = ", ".join(dict.fromkeys(name for key in stage.keys for name in key))
    return {Exchange.BUCKETS: f"a shuffle by {keys}; stamps, because the rows of a slice part",
            Exchange.ONE: f"a shuffle to one task, whole slices in order: {_why_one(graph, stage)}",
            Exchange.PLAN: f"a shuffle by {f'{keys}, or by ' if keys else ''}the tags of a "
                        "synchronization plan, where a gang of tasks pays; stamps, because the "
                        "rows of a slice part",
            Exchange.PARTS: "a shuffle of whole slices to many tasks, in order"}[segment.route]


def _in_batches(stage: Stage) -> str:
    is_parts = isinstance(stage.operators[0].kind, InParts)
    return "in batches: a stream has no such stage, and keeps keys whole" if is_parts else ""


def _why_one(graph: Graph, stage: Stage) -> str:
    if any(op.name in graph.looping for op in stage.operators):
        return ("the loop goes round in it, since a round shared by several tasks would be a job "
                "of its own, which takes longer than most rounds")
    return "it sees all rows"


def _last(segment: Segment) -> str:
    if segment.route is Exchange.PARTS and not segment.stages:
        return "a shuffle back into slices, by their stamps"
    return "no shuffle, no stamps: slices come in order"
