"""The sequential engine as a run asks for it."""

from __future__ import annotations

from anabranch.batch.failure import ReportLate
from anabranch.engine.contract import DEFAULTS, Engine, no_spark
from anabranch.engine.one_loop import loop_told, run_one_loop
from anabranch.engine.sequential import run as sequential
from anabranch.engine.whole import long_execution, run_long
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions


def _run(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
         late: ReportLate) -> None:
    if options.recording is None:
        sequential.run(plan.program, items, emit, options.limit, late)
        return
    from anabranch.engine.sequential import watched

    watched.run(plan.program, items, emit, options.limit, options.recording, measured, late)


ENGINE = Engine(
    _run,
    refuses={"workers": "it uses one core", **no_spark("it runs in this process"),
             "tune": "it has no knobs", "rules": "it runs the program as it is written"},
    execution=lambda plan, options=DEFAULTS: (
        long_execution("sequential", plan) or loop_told("sequential", plan, options)
        or Execution("sequential", "rows")),
    from_files=lambda plan, options, report: (
        run_long(plan, options, report) or run_one_loop(plan, options, report)))
