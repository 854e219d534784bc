"""What all engines share: their names, and how a plan runs from sources to sinks.

An engine that is not there is refused by name; nothing is replaced by another engine silently.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError
from anabranch.engine import multicore, spark
from anabranch.engine.options import RunOptions, RunReport
from anabranch.engine.sequential import run as sequential
from anabranch.engine.sequential import watched
from anabranch.engine.spark import frames
from anabranch.engine.spark.run import run_spread, spread_execution
from anabranch.engine.spark.stream import run_stream
from anabranch.engine.whole import long_execution, run_long, run_whole, whole_execution
from anabranch.io.rows import BadRows
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.ends import writing
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.plan import Execution, overall
from anabranch.runtime.ends.binding import bound_graph, check_sources, counted_items, opened_sinks
from anabranch.runtime.ends.collisions import check_places
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.recording import recorded


@dataclass(frozen=True)
class Engine:
    """An engine: `run(plan, items, emit, options, measured, late)`, which may add to the list
    `measured` what each stage did and gives late items to `late`; and the options that mean nothing
    to it.

    `from_files(plan, options, report)` reads or writes the program's files in a better way than row
    by row in this process, if the engine has one; it gives False, with nothing done, when it has
    not. So many `threads` of this process may encode what is written.
    """

    run: Callable
    refuses: dict[str, str]
    execution: Callable[[Plan, RunOptions], Execution]
    from_files: Callable = lambda plan, options, report: False
    threads: Callable[[RunOptions], int] = lambda options: 1


def _no_spark(why: str) -> dict[str, str]:
    return {"master": why, "session": why}


def _on_cores(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
              late: ReportLate) -> None:
    multicore.execute(_on_multicore(plan, options), items, emit, options.limit, measured.extend,
                      options.recording, late)


def _on_multicore(plan: Plan, options: RunOptions) -> MulticorePlan:
    """The plan that `run` executes and `explain` shows."""
    tuning = multicore.tuning_of(options.workers, **multicore.Knobs.read(options.tune or {}))
    return multicore.multicore_plan(plan, tuning, options.limit, writing(plan.graph))


DEFAULTS = RunOptions()
UNTUNED = {"tune": "only the multicore engine has knobs"}


def _in_sequence(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
                 late: ReportLate) -> None:
    if options.recording is None:
        sequential.run(plan.program, items, emit, options.limit, late)
    else:
        watched.run(plan.program, items, emit, options.limit, options.recording, measured, late)


ENGINES = {
    "sequential": Engine(
        _in_sequence,
        refuses={"workers": "it uses one core", **_no_spark("it runs in this process"), **UNTUNED},
        execution=lambda plan, options=DEFAULTS: long_execution("sequential", plan) or Execution(
            "sequential", "rows"),
        from_files=run_long),
    "multicore": Engine(
        _on_cores,
        refuses=_no_spark("it runs on this machine"),
        execution=lambda plan, options=DEFAULTS: (
            whole_execution("multicore", plan)
            or multicore.execution(_on_multicore(plan, options))),
        # A language that runs its program as a whole has none of these knobs.
        from_files=lambda plan, options, report: not options.tune and run_whole(
            plan, options, report),
        threads=lambda options: multicore.tuning_of(options.workers).workers),
    "spark": Engine(
        lambda plan, items, emit, options, measured, late: spark.run(
            plan, items, emit, options.limit, master=options.master, session=options.session,
            late=late),
        refuses={**spark.REFUSES, **UNTUNED},
        execution=lambda plan, options=DEFAULTS: (
            frames.execution(plan) or spread_execution(plan) or spark.execution(plan)),
        from_files=lambda plan, options, report: (
            run_stream(plan, options, report) if options.stream else
            run_spread(plan, options, report) or spark.run_files(plan, options, report))),
}


def engine(name: str) -> Engine:
    """The engine of this name; a `UsageError` when it is not there."""
    if name in ENGINES:
        return ENGINES[name]
    raise UsageError(f"no engine is called '{name}'", help=f"there is: {', '.join(ENGINES)}")


def check_options(options: RunOptions) -> None:
    """Refuses options that mean nothing to the engine."""
    for option, why in engine(options.engine).refuses.items():
        if getattr(options, option) is not None:
            raise UsageError(f"the {options.engine} engine takes no --{option}: {why}")


def explained(plan: Plan, options: RunOptions) -> Execution:
    """How the engine runs a plan with these options; nothing is run."""
    check_options(options)
    return engine(options.engine).execution(bound_graph(plan, options), options)


def execute(plan: Plan, options: RunOptions) -> RunReport:
    """Runs a plan from its sources to its sinks. Sinks are committed together, at the end."""
    chosen = engine(options.engine)
    check_options(options)
    _check_stream(options)
    plan = bound_graph(plan, replace(options, part_files=True) if options.stream else options)
    if not options.stream:
        check_sources(plan.program)
    check_places(plan.program, options)
    report = RunReport({op.name: 0 for op in plan.program.sources},
                       {op.name: 0 for op in plan.program.sinks})
    began = time.perf_counter()
    with recorded(plan, options, report) as recording:
        options = replace(options, recording=recording)
        if not chosen.from_files(plan, options, report):
            _run_rows(chosen, plan, options, report)
        report.seconds = time.perf_counter() - began
    return report


STREAMS = ("checkpoint", "trigger", "until_idle", "files_per_batch", "start_over")


def _check_stream(options: RunOptions) -> None:
    if options.stream and options.engine != "spark":
        raise UsageError(f"the {options.engine} engine takes no --stream: it runs bounded inputs",
                         help="--engine spark runs streams")
    given = [name for name in STREAMS if getattr(options, name)]
    if given and not options.stream:
        raise UsageError(f"--{given[0].replace('_', '-')} is for a stream", help="give --stream")


def _run_rows(chosen: Engine, plan: Plan, options: RunOptions, report: RunReport) -> None:
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        emit = stack.enter_context(opened_sinks(plan.program, report.written,
                                                threads=chosen.threads(options)))
        items = counted_items(plan.program, rows, report.read, options.progress)
        chosen.run(plan, items, emit, options, report.stages, rows.report_late)
    report.tier = overall(stage.tier for stage in report.stages if stage.tier)
    report.bad_rows = rows.summary()
