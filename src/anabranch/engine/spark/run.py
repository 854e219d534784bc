"""Runs a plan on Spark: slices in, a DataFrame or a job, and the sinks in order.

What runs is a `SparkPlan`, made from the logical plan and the options; `explain` prints it. It is
made before there is a session, for the cores that the master names, and once more if the session
turns out to have others.

A program that its language cuts into pieces, which need nothing of each other, is computed piece by
piece: see `plan.logical.whole`.

PySpark is imported only when a program runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import AnabranchError, RunError
from anabranch.core.threads import start_thread
from anabranch.engine.spark.session.computation import all_of, each, tasks_of
from anabranch.io.rows import BadRows
from anabranch.io.text.places import LineBlocks
from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.logical.whole import whole_of
from anabranch.plan.physical.plan import Execution, overall
from anabranch.plan.physical.spark.capabilities import refuse_endless
from anabranch.plan.physical.spark.cluster import Cluster
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.tiers import warm_forms
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.options import RunOptions, RunReport
from anabranch.runtime.progress import Counted

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.job.driver import JobInput
    from anabranch.engine.spark.job.metrics import Timeline
    from anabranch.engine.spark.job.pieces import SlicePiece
    from anabranch.engine.spark.job.sinks import Folders
    from anabranch.engine.spark.session.connect import ConnectContext
    from anabranch.plan.physical.spark.plan import SparkPlan


def planned(plan: Plan, options: RunOptions) -> SparkPlan:
    """The plan that a run executes and `explain` shows, as far as the master tells its cores."""
    from anabranch.plan.physical.spark.plan import spark_plan
    from anabranch.plan.physical.spark.reading import Asked

    asked = Asked(options.limit, options.on_error, options.single_file, options.stream)
    return spark_plan(plan, SparkKnobs.read(options.tune or {}), _cluster_ahead(options.master),
                      asked)


def _cluster_ahead(master: str | None) -> Cluster:
    """The cluster of the session that is there, or what is known of one that would be started."""
    from anabranch.engine.spark.session.context import active_context, user_settings

    context = active_context()
    if context is not None and master in (None, context.master):
        return cluster_of(context)
    return Cluster.named(master or user_settings().get("spark.master"))


def execution(plan: Plan, options: RunOptions) -> Execution:
    """How the engine runs a plan whose sources are bound; `explain` shows it."""
    from anabranch.engine.spark.stream.settings import check
    from anabranch.plan.physical.spark.execution import execution as found

    if options.stream:
        check(plan.program)
    refuse_endless(plan.program, options.limit)
    return found(planned(plan, options))


def cluster_of(context: SparkContext | ConnectContext) -> Cluster:
    """The cluster of a session."""
    from anabranch.engine.spark.session.connect import ConnectContext

    return Cluster(context.defaultParallelism, context.master.startswith("local"),
                   isinstance(context, ConnectContext))


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        master: str | None = None, session: object | None = None,
        tune: Mapping[str, object] | None = None,
        late: ReportLate = lambda row: None) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order.

    Spark is started on `master`, or a session that is already there is used. A failing function
    stops the run with the error of the sequential engine.
    """
    from anabranch.engine.spark.job.driver import run_job
    from anabranch.plan.physical.spark.plan import spark_plan
    from anabranch.plan.physical.spark.reading import Asked

    with ExitStack() as stack:
        context = context_of(stack, master, session)
        physical = spark_plan(plan, SparkKnobs.read(tune or {}), cluster_of(context),
                              Asked(limit, items=True))
        run_job(context, physical, _driver_read(stack, physical, items), emit, late=late)


def run_files(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Runs a program from its files to its files, as much of it on the executors as can be."""
    from anabranch.engine.spark.dataframe import run_frame
    from anabranch.engine.spark.job.metrics import Timeline
    from anabranch.engine.spark.job.sinks import opened_folders
    from anabranch.engine.spark.job.sources import check_readable
    from anabranch.plan.physical.spark.dataframe import DataFramePlan

    refuse_endless(plan.program, options.limit)
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        check_readable(plan.program)
        physical = planned(plan, options)
        emit = stack.enter_context(opened_sinks(plan.program, report.written, physical.part_sinks))
        is_frame = isinstance(physical.frame, DataFramePlan)
        with compiled_meanwhile({} if is_frame else physical.kernels):
            _begins(options, "starting Spark")
            context = context_of(stack, options.master, options.session, report,
                                 bool(options.keep_spark))
            _begins(options, "compiling")
        physical = physical.on(cluster_of(context))
        filled = stack.enter_context(opened_folders(physical.graph, physical.part_sinks))
        if isinstance(physical.frame, DataFramePlan):
            _begins(options, "computing", tasks_of(context))
            why = run_frame(context, physical.frame, physical.tuning, filled, report)
            if why is None:
                timeline = Timeline(physical)
                report.tier, report.execution = "catalyst", timeline.recorded()
                return True
            physical = physical.without_frame(why)
        _begins(options, "reading")
        physical, given, seen = _inputs(stack, context, physical, plan, options, rows, report)
        timeline = Timeline(physical)
        if options.recording is not None:
            options.recording.watch_behind(timeline.at)
        _begins(options, "computing", tasks_of(context))
        _run_slices(context, timeline, given, emit, seen, filled, report, rows.report_late)
        _begins(options, "writing")
    report.bad_rows = rows.summary()
    return True


def _begins(options: RunOptions, phase: str, tasks: Counted | None = None) -> None:
    if options.progress is not None:
        options.progress.phase(phase, tasks)


def _run_slices(context: SparkContext, timeline: Timeline, given: JobInput, emit: Emit,
                seen: Callable[[SlicePiece], None], filled: Folders, report: RunReport,
                late: ReportLate) -> None:
    from anabranch.engine.spark.job.driver import run_job

    # Tasks find on the disk what is compiled here.
    warm_forms(timeline.physical.graph)

    def noted(piece: SlicePiece) -> None:
        seen(piece)
        filled.note(piece, report.written)
        timeline.note(piece)
    run_job(context, timeline.physical, given, emit, noted, filled.sinks, late=late)
    timeline.read_here(given.read_here, report.read)
    timeline.written_here(report.written)
    report.stages, report.execution = timeline.metrics(), timeline.recorded()
    report.tier = overall(stage.tier for stage in report.stages)


def context_of(stack: ExitStack, master: str | None, session: object | None,
               report: RunReport | None = None, keep: bool = False) -> SparkContext:
    from anabranch.engine.spark.job.pickling import users_modules_by_value
    from anabranch.engine.spark.session.context import active_context, spark_context

    is_there, began = session is not None or active_context() is not None, time.perf_counter()
    context = stack.enter_context(spark_context(master, session, keep))
    if report is not None and not is_there:
        report.started = time.perf_counter() - began
    stack.enter_context(users_modules_by_value())
    return context


def _inputs(stack: ExitStack, context: SparkContext, physical: SparkPlan, plan: Plan,
            options: RunOptions, rows: BadRows, report: RunReport
            ) -> tuple[SparkPlan, JobInput, Callable[[SlicePiece], None]]:
    """The plan where the files are found, the sources, and what is to be done with each slice that
    has come through."""
    from anabranch.engine.spark.job.driver import JobInput as Given
    from anabranch.engine.spark.job.pickling import dumped
    from anabranch.engine.spark.job.sources import TimesAcross, file_parts, seen_by_executors

    splits = physical.reading.splits
    if physical.reading.by_driver is None and not seen_by_executors(
            context, {each.split.path for each in splits}):
        physical = physical.read_by_driver(Reason(NOT_FOUND))
    if physical.reading.by_driver is not None:
        graph = _blocks_where_found(context, plan.program, report)
        items = counted_items(graph, rows, report.read, options.progress)
        return physical, _driver_read(stack, physical, items), lambda piece: None
    parts = file_parts(splits, options.on_error, physical.tuning)
    times = TimesAcross(parts)

    def seen(piece: SlicePiece) -> None:
        times.check(piece)
        for source, count, _ in piece.read:
            report.read[source] += count
        rows.counts.update(dict(piece.bad))
        if options.progress is not None:
            options.progress(report.read)
    return physical, Given(list(map(dumped, parts)), [(p.number, 0) for p in parts]), seen


def _blocks_where_found(context: SparkContext, graph: Graph, report: RunReport) -> Graph:
    """Blocks are places in files, unless executors do not find these: then they hold what they are.
    """
    from anabranch.engine.spark.job.sources import seen_by_executors

    read = [op for op in graph.sources if isinstance(op.kind.spec, LineBlocks)]
    if not read or seen_by_executors(context, [f for op in read for f in op.kind.spec.places()]):
        return graph
    report.note = NOT_SEEN
    return graph.with_operators(replace(op, kind=replace(
        op.kind, spec=op.kind.spec.holding())) if op in read else op for op in graph)


def _driver_read(stack: ExitStack, physical: SparkPlan, items: dict[str, Iterable[object]]
                 ) -> JobInput:
    from anabranch.engine.spark.job.driver import JobInput as Given
    from anabranch.engine.spark.job.sources import slices, spooled

    read = slices(physical.graph, items, physical.asked.limit, physical.tuning)
    data = stack.enter_context(spooled(read)) if physical.cluster.local else list(read)
    return Given(data, [(0, n) for n in range(len(data))], read_here=True)


NOT_FOUND = "the executors do not find the files at these paths"
NOT_SEEN = "the executors do not find the files at these paths: the driver reads them, in rows"


def spread_execution(plan: Plan, options: RunOptions) -> Execution | None:
    """How a program runs that is cut into pieces; None when it is not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.is_spread() or not whole.runs_on(plan.program, options):
        return None
    stages = whole.stages(plan.program)
    return Execution("spark", overall(stage.tier for stage in stages), stages)


def run_spread(plan: Plan, options: RunOptions, report: RunReport) -> bool:
    """Computes the pieces on the executors and writes them in order; False, with nothing done, when
    the program has none."""
    whole = whole_of(plan.program)
    if whole is None or not whole.pieces(plan.program, options, 1):
        return False
    from anabranch.engine.spark.job.sources import seen_by_executors
    with ExitStack() as stack:
        _begins(options, "starting Spark")
        context = context_of(stack, options.master, options.session, report,
                             bool(options.keep_spark))
        _begins(options, "computing", tasks_of(context))
        if not seen_by_executors(context, whole.files(plan.program)):
            report.note = NOT_SEEN
            return False
        emit = stack.enter_context(opened_sinks(plan.program, report.written))
        each_core = SparkKnobs.read(options.tune or {}).pieces_per_core
        pieces = whole.pieces(plan.program, options, each_core * context.defaultParallelism)
        results = (all_of if whole.at_once else each)(
            context, partial(_attempted, whole.compute), pieces)
        report.read.update(whole.take(plan.program, emit, map(_checked, results)))
    report.tier = overall(stage.tier for stage in whole.stages(plan.program))
    return True


def _checked(result: object) -> object:
    if isinstance(result, AnabranchError):
        raise result
    return result


def _attempted(compute: Callable, piece: object) -> object:
    """What a piece gives, or our error, which Spark would wrap into its own."""
    try:
        return compute(piece)
    except AnabranchError as error:
        return error
    except OSError as error:
        return RunError(f"an executor cannot read its piece: {error}",
                        help="put the file where every executor finds it")


@contextmanager
def compiled_meanwhile(kernels: Mapping[int, object]) -> Iterator[None]:
    """Compiles the kernels while the block runs, so that tasks find them compiled."""
    compiling = start_thread(_compile, list(kernels.values()), name="compiler")
    yield
    compiling.join()


def _compile(kernels: Sequence) -> None:
    for kernel in kernels:
        # If it fails, the first slice says so in its own way.
        with suppress(Exception):
            kernel.warm()
