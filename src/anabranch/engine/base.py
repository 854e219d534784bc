"""What all engines share: their names, what a run is asked for, and its report.

An engine that is not there is refused by name; nothing is replaced by another engine silently.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from anabranch.engine import multicore, sequential, spark, watched
from anabranch.engine.collisions import check_places
from anabranch.engine.ends import bound_graph, check_sources, counted_items, opened_sinks
from anabranch.engine.failure import ReportLate
from anabranch.engine.long import long_execution, run_long
from anabranch.engine.sequential import Emit
from anabranch.engine.spark.spread import run_spread, spread_execution
from anabranch.engine.spark.streaming import run_stream
from anabranch.engine.whole import run_whole, whole_execution
from anabranch.errors import UsageError
from anabranch.io.badrows import BadRows
from anabranch.plan import Execution, Plan, overall
from anabranch.report.recorded import recorded
from anabranch.report.recording import Recording

DEFAULT_ENGINE = "spark"


@dataclass(frozen=True)
class RunOptions:
    """What the user asked for. `progress` is given the rows read so far, per source, and for a
    stream the batches done.

    With `part_files` every file that is written is a folder of part files; with `single_file` such
    a folder has one part. `session` is the Spark session to run on.

    With `stream` the sources are read as they grow. `checkpoint` is the folder from which a stream
    goes on, unless it is to `start_over`; `trigger` says when a batch is made, and
    `files_per_batch` of how much at most. `until_idle` ends the input when nothing comes for so
    many seconds; otherwise the operators are not told of its end.

    `tune` turns knobs of the multicore engine, which change its speed and never its output.

    `report` is the file for a page about the run, for which a `recording` is made.
    """

    engine: str = DEFAULT_ENGINE
    workers: int | None = None
    master: str | None = None
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    limit: int | None = None
    on_error: str = "stop"
    single_file: bool = False
    part_files: bool = False
    session: object | None = None
    stream: bool = False
    checkpoint: str | None = None
    trigger: str | None = None
    until_idle: float | None = None
    files_per_batch: int | None = None
    start_over: bool = False
    progress: Callable[..., None] | None = None
    report: str | None = None
    recording: Recording | None = None
    tune: dict[str, object] | None = None


@dataclass
class RunReport:
    """What a run did, in which tier (rows, or a kernel over columns), and what was measured of
    each stage by an engine that has stages."""

    read: dict[str, int]
    written: dict[str, int]
    tier: str = "rows"
    stages: list = field(default_factory=list)
    bad_rows: str = ""
    seconds: float = 0.0
    batches: int = 0
    note: str = ""


@dataclass(frozen=True)
class Engine:
    """An engine: `run(plan, items, emit, options, measured, late)`, which may add to the list
    `measured` what each stage did and gives late items to `late`; and the options that mean nothing
    to it.

    `from_files(plan, options, report)` reads or writes the program's files in a better way than row
    by row in this process, if the engine has one; it gives False, with nothing done, when it has
    not.
    """

    run: Callable
    refuses: dict[str, str]
    execution: Callable[[Plan], Execution]
    from_files: Callable = lambda plan, options, report: False


def _no_spark(why: str) -> dict[str, str]:
    return {"master": why, "session": why}


def _on_cores(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
              late: ReportLate) -> None:
    multicore.run(plan, items, emit, options.limit, workers=options.workers,
                  report=measured.extend, recording=options.recording, late=late,
                  **multicore.Knobs.read(options.tune or {}))


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
        execution=lambda plan: long_execution("sequential", plan) or Execution(
            "sequential", "rows"),
        from_files=run_long),
    "multicore": Engine(
        _on_cores,
        refuses=_no_spark("it runs on this machine"),
        execution=lambda plan: whole_execution("multicore", plan) or multicore.execution(plan),
        # A language that runs its program as a whole has none of these knobs.
        from_files=lambda plan, options, report: not options.tune and run_whole(
            plan, options, report)),
    "spark": Engine(
        lambda plan, items, emit, options, measured, late: spark.run(
            plan, items, emit, options.limit, master=options.master, session=options.session,
            late=late),
        refuses={**spark.REFUSES, **UNTUNED},
        execution=lambda plan: spread_execution(plan) or spark.execution(plan),
        from_files=lambda plan, options, report: (
            run_stream(plan, options, report) if options.stream else
            run_spread(plan, options, report) or spark.run_files(plan, options, report))),
}


def engine(name: str) -> Engine:
    """The engine of this name; a `UsageError` when it is not there."""
    if name in ENGINES:
        return ENGINES[name]
    raise UsageError(f"no engine is called '{name}'", help=f"there is: {', '.join(ENGINES)}")


def execute(plan: Plan, options: RunOptions) -> RunReport:
    """Runs a plan from its sources to its sinks. Sinks are committed together, at the end."""
    chosen = engine(options.engine)
    for option, why in chosen.refuses.items():
        if getattr(options, option) is not None:
            raise UsageError(f"the {options.engine} engine takes no --{option}: {why}")
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
        emit = stack.enter_context(opened_sinks(plan.program, report.written))
        items = counted_items(plan.program, rows, report.read, options.progress)
        chosen.run(plan, items, emit, options, report.stages, rows.report_late)
    report.tier = overall(stage.tier for stage in report.stages if stage.tier)
    report.bad_rows = rows.summary()
