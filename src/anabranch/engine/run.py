"""What all engines share: their names, and how a plan runs from sources to sinks.

An engine that is not there is refused by name; nothing is replaced by another engine silently.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import UsageError, did_you_mean
from anabranch.engine import multicore, spark
from anabranch.engine.directives import check_on_spark, check_stages, with_directives
from anabranch.engine.options import RunOptions, RunReport
from anabranch.engine.sequential import run as sequential
from anabranch.engine.sequential import watched
from anabranch.engine.spark import frames
from anabranch.engine.spark.run import run_spread, spread_execution
from anabranch.engine.spark.stream import run_stream
from anabranch.engine.whole import long_execution, run_long, run_whole, whole_execution
from anabranch.io.rows import BadRows
from anabranch.ir.graph import Graph
from anabranch.ir.windows import AggregateWindow
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.ends import writing
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.plan import Execution, overall
from anabranch.plan.physical.spark.reading import is_pipe
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.stages import Sharing
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
    not. So many `threads` of this process may encode what is written. `tuned(options)` refuses
    knobs that there are not.
    """

    run: Callable
    refuses: dict[str, str]
    execution: Callable[[Plan, RunOptions], Execution]
    from_files: Callable = lambda plan, options, report: False
    threads: Callable[[RunOptions], int] = lambda options: 1
    tuned: Callable[[RunOptions], object] = lambda options: None


def _no_spark(why: str) -> dict[str, str]:
    return {"master": why, "session": why}


def _on_cores(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
              late: ReportLate) -> None:
    multicore.execute(_on_multicore(plan, options), items, emit, options.limit, measured.extend,
                      options.recording, late)


def _on_multicore(plan: Plan, options: RunOptions) -> MulticorePlan:
    """The plan that `run` executes and `explain` shows."""
    physical = multicore.multicore_plan(plan, _tuning(options), options.limit,
                                        writing(plan.graph))
    check_stages(plan, physical.stages, "the multicore engine")
    _check_queue(physical, options)
    return physical


def _tuning(options: RunOptions) -> multicore.Knobs:
    return multicore.tuning_of(options.workers, **multicore.Knobs.read(options.tune or {}))


def _check_queue(physical: MulticorePlan, options: RunOptions) -> None:
    """Worker processes have a queue each: no other is used where they may serve all keyed stages.
    """
    keyed = [stage for stage in physical.stages if stage.sharing is Sharing.BUCKETS]
    if "queue" in (options.tune or {}) and keyed and all(map(physical.in_processes, keyed)):
        raise UsageError(f"queue={options.tune['queue']} changes nothing here: {keyed[0].name} may "
                         "be served by worker processes, each of which has a queue of its own",
                         keyed[0].operators[0].span,
                         help="turn processes=never too: then threads serve it")


DEFAULTS = RunOptions()
UNTUNED = {"tune": "it has no knobs"}


def _in_sequence(plan: Plan, items: dict, emit: Emit, options: RunOptions, measured: list,
                 late: ReportLate) -> None:
    if options.recording is None:
        sequential.run(plan.program, items, emit, options.limit, late)
    else:
        watched.run(plan.program, items, emit, options.limit, options.recording, measured, late)


ENGINES = {
    "sequential": Engine(
        _in_sequence,
        refuses={"workers": "it uses one core", **_no_spark("it runs in this process"), **UNTUNED,
                 "rules": "it runs the program as it is written"},
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
        threads=lambda options: multicore.tuning_of(options.workers).workers,
        tuned=_tuning),
    "spark": Engine(
        lambda plan, items, emit, options, measured, late: spark.run(
            plan, items, emit, options.limit, master=options.master, session=options.session,
            tune=options.tune, late=late),
        refuses=spark.REFUSES,
        execution=lambda plan, options=DEFAULTS: (
            frames.execution(plan) or (not options.stream and spread_execution(plan))
            or spark.execution(plan, options)),
        from_files=lambda plan, options, report: (
            run_stream(plan, options, report) if options.stream else
            run_spread(plan, options, report) or spark.run_files(plan, options, report)),
        tuned=lambda options: SparkKnobs.read(options.tune or {})),
}


def engine(name: str) -> Engine:
    """The engine of this name; a `UsageError` when it is not there."""
    if name in ENGINES:
        return ENGINES[name]
    raise UsageError(f"no engine is called '{name}'", help=did_you_mean(name, ENGINES))


def check_options(options: RunOptions) -> None:
    """Refuses options that mean nothing to the engine, and knobs that there are not."""
    chosen = engine(options.engine)
    for option, why in chosen.refuses.items():
        if getattr(options, option) is not None:
            raise UsageError(f"the {options.engine} engine takes no --{option}: {why}")
    chosen.tuned(options)


def explained(plan: Plan, options: RunOptions) -> Execution:
    """How the engine runs a plan with these options; nothing is run."""
    check_options(options)
    _check_stream(options)
    plan = bound_graph(plan, _as_asked(options))
    _check_directives(plan, options)
    execution = engine(options.engine).execution(plan, options)
    return with_directives(plan, execution) if options.engine == "spark" else execution


def _check_directives(plan: Plan, options: RunOptions) -> None:
    """On cores the plan itself is looked at."""
    if options.engine == "spark":
        check_on_spark(plan, options.session is None and (
            options.master or "local").startswith("local"))


def execute(plan: Plan, options: RunOptions) -> RunReport:
    """Runs a plan from its sources to its sinks. Sinks are committed together, at the end."""
    chosen = engine(options.engine)
    check_options(options)
    _check_stream(options)
    plan = bound_graph(plan, _as_asked(options))
    if not options.stream:
        check_sources(plan.program)
    check_ends(plan.program, options)
    check_places(plan.program, options)
    _check_directives(plan, options)
    report = RunReport({op.name: 0 for op in plan.program.sources},
                       {op.name: 0 for op in plan.program.sinks})
    began = time.perf_counter()
    with recorded(plan, options, report) as recording:
        options = replace(options, recording=recording)
        if not chosen.from_files(plan, options, report):
            _run_rows(chosen, plan, options, report)
        report.seconds = time.perf_counter() - began
    return report


def _as_asked(options: RunOptions) -> RunOptions:
    """A stream writes part files."""
    return replace(options, part_files=True) if options.stream else options


def check_ends(graph: Graph, options: RunOptions) -> None:
    """Refuses to wait for the results of all of an input that has no end."""
    if options.limit is not None or options.until_idle is not None:
        return
    waiting = next((op for op in graph if isinstance(op.kind, AggregateWindow)
                    and op.kind.window.whole), None)
    endless = options.stream or any(getattr(s.kind.spec, "endless", False) for s in graph.sources)
    if waiting is None or not endless or any(is_pipe(s.kind.spec) for s in graph.sources):
        return
    ends = "--until-idle SECONDS or --limit N ends" if options.stream else "--limit N ends"
    raise UsageError(f"{waiting.name} gives its results at the end of the input, which has none",
                     waiting.span, help=f"{ends} it; windows, as in aggregate(ab.tumbling(...)), "
                                        "give results as it goes on")


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
