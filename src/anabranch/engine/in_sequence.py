"""The sequential engine as a run asks for it."""

from __future__ import annotations

from anabranch.batch.failure import ReportLate
from anabranch.engine.contract import DEFAULTS, Engine, no_spark
from anabranch.engine.one_loop import loop_told, run_one_loop
from anabranch.engine.sequential import run as sequential
from anabranch.engine.sequential.straight import is_straight
from anabranch.engine.whole import long_execution, run_long
from anabranch.io.files.sinks import FileSink
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.cost import rows_known
from anabranch.plan.physical.ends import Form, reading, writing
from anabranch.plan.physical.plan import Execution
from anabranch.runtime.ends.emitting import Emit, rows_worth_columns
from anabranch.runtime.options import RunOptions


def _run(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
         late: ReportLate) -> None:
    if options.recording is None:
        sequential.run(plan.program, items, emit, options.limit, late)
        return
    from anabranch.engine.sequential import watched

    watched.run(plan.program, items, emit, options.limit, options.recording, measured, late)


def _row_by_row(plan: Plan) -> Execution:
    """In rows, which come from columns and go into columns where there are many of them."""
    graph = plan.program
    straight, many = is_straight(graph), rows_known(graph) >= rows_worth_columns()
    reads = {op.name: reading(op) if straight and many and len(graph.sources) == 1 else Form.ROWS
             for op in graph.sources}
    appears_whole = straight and many and len(graph.sinks) == 1 and isinstance(
        graph.sinks[0].kind.spec, FileSink)
    writes = {name: Form.COLUMNS if appears_whole and form is not Form.ROWS else Form.ROWS
              for name, form in writing(graph).items()}
    return Execution("sequential", "rows", reads={name: f.value for name, f in reads.items()},
                     writes={name: f.value for name, f in writes.items()})


ENGINE = Engine(
    _run,
    refuses={"workers": "it uses one core", **no_spark("it runs in this process"),
             "tune": "it has no knobs", "rules": "it runs the program as it is written"},
    execution=lambda plan, options=DEFAULTS: (
        long_execution("sequential", plan) or loop_told("sequential", plan, options)
        or _row_by_row(plan)),
    from_files=lambda plan, options, report: (
        run_long(plan, options, report) or run_one_loop(plan, options, report)))
