"""How this engine runs a plan, stage by stage: in which tier, behind which shuffle, with stamps or
without; and after a run, what each stage did."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from anabranch.engine.multicore.columns_wanted import columns_shown
from anabranch.engine.multicore.hot_keys import InParts
from anabranch.engine.multicore.metrics import OperatorMetrics, StageMetrics, ends_of
from anabranch.engine.multicore.splitting import windows_told
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.tiers import Tier
from anabranch.engine.spark.frames import Frame, frame_of
from anabranch.engine.spark.kernels import kernels_of, tiers_of
from anabranch.engine.spark.measured import Measured, added
from anabranch.engine.spark.program import Stages, wanted_of
from anabranch.engine.spark.segments import Route, Segment
from anabranch.engine.spark.sinks import executors_may_write
from anabranch.ir.graph import Graph
from anabranch.plan import Execution, Plan, StageTier, overall


def execution(plan: Plan) -> Execution:
    """What `explain` shows of a plan whose sources are bound."""
    stages = Stages.of(plan)
    if isinstance(frame := frame_of(stages.graph), Frame):
        return _as_frame(frame, stages)
    stages, found = stages.with_hot_keys_split(tiers_of(stages.graph, stages.segments),
                                               os.cpu_count() or 2)
    wanted = wanted_of(stages, kernels_of(found))
    shown = [StageTier(_names(stage), tier.name, tier.reason, "; ".join(filter(None, [
                arrival(stages.graph, segment, stage), columns_shown(stages.graph, stage, wanted),
                windows_told(stages.graph, stage, tier), _in_batches(stage)])))
             for segment in stages.segments for stage in segment.stages
             for tier in [found[stage.index]]]
    sinks = [StageTier((op.name,), "parts" if executors_may_write(stages.graph, stages.sinks, op)
                       else "driver", None, _last(stages.segments[-1]))
             for op in stages.sinks.operators if op.is_sink]
    return Execution("spark", overall(stage.tier for stage in shown), (*shown, *sinks))


def _as_frame(frame: Frame, stages: Stages) -> Execution:
    inner = tuple(name for stage in stages.before for name in _names(stage))
    shown = StageTier(inner, "catalyst", None,
                      "no shuffle, no stamps: tasks read splits, and write parts in their order")
    return Execution("spark", "catalyst", (shown, StageTier((frame.sink.name,), "parts")))


def _names(stage: Stage) -> tuple[str, ...]:
    return tuple(op.name for op in stage.operators)


def arrival(graph: Graph, segment: Segment, stage: Stage) -> str:
    """How rows come to a stage, and what keeps their order."""
    if stage is not segment.stages[0] or segment.route is Route.SOURCE:
        return "no shuffle, no stamps: slices stay where they are, and keep their order"
    keys = ", ".join(dict.fromkeys(name for key in stage.keys for name in key))
    return {Route.BUCKETS: f"a shuffle by {keys}; stamps, because the rows of a slice part",
            Route.ONE: f"a shuffle to one task, whole slices in order: {_why_one(graph, stage)}",
            Route.PLAN: f"a shuffle by {f'{keys}, or by ' if keys else ''}the tags of a "
                        "synchronization plan, where a gang of tasks pays; stamps, because the "
                        "rows of a slice part",
            Route.PARTS: "a shuffle of whole slices to many tasks, in order"}[segment.route]


def _in_batches(stage: Stage) -> str:
    is_parts = isinstance(stage.operators[0].kind, InParts)
    return "in batches: a stream has no such stage, and keeps keys whole" if is_parts else ""


def _why_one(graph: Graph, stage: Stage) -> str:
    if any(op.name in graph.looping for op in stage.operators):
        return ("the loop goes round in it, since a round shared by several tasks would be a job "
                "of its own, which takes longer than most rounds")
    return "it sees all rows"


def _last(segment: Segment) -> str:
    if segment.route is Route.PARTS and not segment.stages:
        return "a shuffle back into slices, by their stamps"
    return "no shuffle, no stamps: slices come in order"


def metrics_of(stages: Stages, tiers: Mapping[int, Tier], measured: Iterable[Measured]
               ) -> list[StageMetrics]:
    """What every stage did, of all its slices together."""
    by_stage: dict[int, list[Measured]] = defaultdict(list)
    for each in measured:
        by_stage[each.stage].append(each)
    return [_metrics(stage, tiers.get(stage.index, Tier(None)), by_stage[stage.index])
            for stage in stages.before]


def _metrics(stage: Stage, tier: Tier, measured: list[Measured]) -> StageMetrics:
    rows_in, rows_out, seconds, fast = (sum(each[n] for each in measured) for n in range(1, 5))
    by_tier = {name: rows for name, rows in ((tier.name, fast), ("rows", rows_in - fast)) if rows}
    why = tier.reason.text if tier.reason else ""
    each = tuple(OperatorMetrics(*step) for step in _steps(_names(stage), measured, fast))
    return StageMetrics(operators=_names(stage), sharing=stage.sharing.value, rows_in=rows_in,
                        rows_out=rows_out, seconds=seconds, each=each,
                        tier=tier.name if fast else "rows", reason=why, rows_by_tier=by_tier)


def _steps(names: tuple[str, ...], measured: list[Measured], fast: int) -> Iterator[tuple]:
    """What is known of each operator: of those in a kernel together what came to the first and left
    the last, of one alone all."""
    rows_in, rows_out, seconds = (sum(each[n] for each in measured) for n in range(1, 4))
    known = {step.operator: step for step in added(s for each in measured for s in each.steps)}
    if len(names) == 1:
        known = {names[0]: (names[0], rows_in, rows_out, seconds)}
    elif fast:
        known = ends_of(names, rows_in, rows_out)
    return (known.get(name, (name, None, None, None)) for name in names)
