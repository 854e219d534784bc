"""Programs that their language runs as a whole: see `plan.logical.whole`."""

from __future__ import annotations

from functools import partial

from anabranch.engine.contract import EnginePlan
from anabranch.io.rows import BadRows
from anabranch.ir.graph import Operator
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.whole import OperatorMeasure, Unfinished, WholeProgram, whole_of
from anabranch.plan.physical.plan import Execution, StageTier, overall
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics
from anabranch.runtime.options import RunOptions, RunReport


def whole_plan(engine: str, plan: Plan, options: RunOptions) -> EnginePlan | None:
    """The language's own way to run its program; None where it has none, or none for this run."""
    whole = whole_of(plan.program)
    if whole is None or not (whole.is_in_step and whole.runs_on(plan.program, options)):
        return None
    return EnginePlan(partial(_told, engine, plan, whole), partial(_run, plan, whole, options))


def is_long(plan: Plan) -> bool:
    """Whether even a single worker should run the program so."""
    found = whole_of(plan.program)
    return found is not None and found.is_long(plan.program)


def _told(engine: str, plan: Plan, whole: WholeProgram) -> Execution:
    stages = whole.stages(plan.program)
    return Execution(engine, overall(stage.tier for stage in stages), stages)


def _run(plan: Plan, whole: WholeProgram, options: RunOptions, report: RunReport) -> None:
    with opened_sinks(plan.program, report.written) as emit:
        if not _finished(whole, plan, emit, options, report):
            _from_the_start(plan, leaving_out(emit, report.written), options, report)


def _finished(whole: WholeProgram, plan: Plan, emit: Emit, options: RunOptions,
              report: RunReport) -> bool:
    try:
        measured = whole.run(plan.program, emit, options, report) or ()
    except Unfinished:
        return False
    told = {stage.operators: stage for stage in whole.stages(plan.program)}
    report.stages.extend(_stage(found, told.get((found.name,))) for found in measured)
    report.tier = overall(stage.tier for stage in told.values())
    return True


def _stage(found: OperatorMeasure, told: StageTier | None) -> StageMetrics:
    did = found.rows_in, found.rows_out, found.seconds
    return StageMetrics((found.name,), found.sharing, *did, tier=found.tier,
                        reason=told.reason.text if told and told.reason else "",
                        each=(OperatorMetrics(found.name, *did),))


def _from_the_start(plan: Plan, emit: Emit, options: RunOptions, report: RunReport) -> None:
    from anabranch.engine import multicore

    report.read.update(dict.fromkeys(report.read, 0))
    with BadRows.parse(options.on_error) as rows:
        items = counted_items(plan.program, rows, report.read, options.progress)
        multicore.run(plan, items, emit, options.limit, workers=options.workers,
                      report=report.stages.extend, recording=options.recording)
    report.tier = overall(stage.tier for stage in report.stages if stage.tier)
    report.bad_rows = rows.summary()


def leaving_out(emit: Emit, written: dict[str, int]) -> Emit:
    """Gives items on, except for the first ones of each sink, as many as have been written."""
    left = dict(written)

    def others(op: Operator, item: object) -> None:
        if left[op.name]:
            left[op.name] -= 1
        else:
            emit(op, item)
    return others
