"""Programs that their language runs as a whole: see `ir.whole_program`."""

from __future__ import annotations

from dataclasses import replace

from anabranch.io.rows import BadRows
from anabranch.ir.graph import Operator
from anabranch.ir.whole_program import OperatorMeasure, Unfinished, whole_of
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution, overall
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics
from anabranch.runtime.options import RunOptions, RunReport


def run_whole(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Lets the language run its program; False, with nothing done, when it does not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.runs_on(plan.program, options):
        return False
    with opened_sinks(plan.program, report.written) as emit:
        if not _finished(whole, plan, emit, options, report):
            _from_the_start(plan, leaving_out(emit, report.written), options, report)
    return True


def _finished(whole: object, plan: Plan, emit: Emit, options: RunOptions,
              report: RunReport) -> bool:
    try:
        report.stages.extend(map(_stage, whole.run(plan.program, emit, options, report) or ()))
    except Unfinished:
        return False
    return True


def _stage(found: OperatorMeasure) -> StageMetrics:
    did = found.rows_in, found.rows_out, found.seconds
    return StageMetrics((found.name,), found.sharing, *did, tier=found.tier,
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


def whole_execution(engine: str, plan: Plan) -> Execution | None:
    """How the program runs as a whole; None when it does not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.is_in_step:
        return None
    stages = whole.stages(plan.program)
    return Execution(engine, overall(stage.tier for stage in stages), stages)


def run_long(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Lets the language run its program; False, with nothing done, when it is short."""
    return _is_long(plan) and run_whole(plan, replace(options, workers=1), report)


def long_execution(engine: str, plan: Plan) -> Execution | None:
    """How the program runs then; None when it runs tuple by tuple."""
    return whole_execution(engine, plan) if _is_long(plan) else None


def _is_long(plan: Plan) -> bool:
    """Whether the language says so; one that does not tell has programs that are fast enough."""
    is_long = getattr(whole_of(plan.program), "is_long", None)
    return is_long is not None and is_long(plan.program)
