"""How this engine runs a plan, stage by stage: in which tier, behind which shuffle, with stamps or
without; and after a run, what each stage did."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from anabranch.engine.multicore.columns_wanted import columns_shown
from anabranch.engine.multicore.line import Step
from anabranch.engine.multicore.metrics import OperatorMetrics, StageMetrics, ends_of
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.multicore.tiers import Tier
from anabranch.engine.spark.frames import Frame, frame_of
from anabranch.engine.spark.kernels import kernels_of, tiers_of
from anabranch.engine.spark.pieces import Measured
from anabranch.engine.spark.program import Stages, wanted_of
from anabranch.engine.spark.segments import Route, Segment
from anabranch.engine.spark.sinks import executors_may_write
from anabranch.plan import Execution, Plan, StageTier, overall


def execution(plan: Plan) -> Execution:
    """What `explain` shows of a plan whose sources are bound."""
    stages = Stages.of(plan)
    if isinstance(frame := frame_of(stages.graph), Frame):
        return _as_frame(frame, stages)
    found = tiers_of(stages.graph, stages.segments)
    wanted = wanted_of(stages, kernels_of(found))
    shown = [StageTier(_names(stage), found[stage.index].name, found[stage.index].reason,
                       "; ".join(filter(None, [arrival(segment, stage),
                                               columns_shown(stages.graph, stage, wanted)])))
             for segment in stages.segments for stage in segment.stages]
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


def arrival(segment: Segment, stage: Stage) -> str:
    """How rows come to a stage, and what keeps their order."""
    if stage is not segment.stages[0] or segment.route is Route.SOURCE:
        return "no shuffle, no stamps: slices stay where they are, and keep their order"
    keys = ", ".join(dict.fromkeys(name for key in stage.keys for name in key))
    return {Route.BUCKETS: f"a shuffle by {keys}; stamps, because the rows of a slice part",
            Route.ONE: "a shuffle to one task, whole slices in order: it sees all rows",
            Route.PLAN: f"a shuffle by {f'{keys}, or by ' if keys else ''}the tags of a "
                        "synchronization plan, where a gang of tasks pays; stamps, because the "
                        "rows of a slice part",
            Route.PARTS: "a shuffle of whole slices to many tasks, in order"}[segment.route]


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
    return [_metrics(stage, tiers[stage.index], by_stage[stage.index]) for stage in stages.before]


def _metrics(stage: Stage, tier: Tier, measured: list[Measured]) -> StageMetrics:
    rows_in, rows_out, seconds, fast = (sum(each[n] for each in measured) for n in range(1, 5))
    by_tier = {name: rows for name, rows in ((tier.name, fast), ("rows", rows_in - fast)) if rows}
    why = tier.reason.text if tier.reason else ""
    steps = ends_of(_names(stage), rows_in, rows_out) if fast else _steps(measured)
    each = tuple(OperatorMetrics(*steps.get(name, (name, None, None, None)), 0, 0, 0, 0)
                 for name in _names(stage))
    return StageMetrics(operators=_names(stage), sharing=stage.sharing.value, rows_in=rows_in,
                        rows_out=rows_out, seconds=seconds, waiting=0, workers=0, each=each,
                        tier=tier.name if fast else "rows", reason=why, rows_by_tier=by_tier)


def _steps(measured: list[Measured]) -> dict[str, tuple]:
    found: dict[str, list[Step]] = defaultdict(list)
    for step in (step for each in measured for step in each.steps):
        found[step.operator].append(step)
    return {name: (name, *(sum(step[n] for step in own) for n in range(1, 4)))
            for name, own in found.items()}
