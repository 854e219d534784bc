"""Runs a plan on Spark: slices in, a job, and the sinks in order.

PySpark is imported only when a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from anabranch.engine.ends import counted_items, opened_sinks
from anabranch.engine.failure import ReportLate
from anabranch.engine.sequential import Emit
from anabranch.io.badrows import BadRows
from anabranch.ir.graph import Graph
from anabranch.plan import Execution, Plan, Reason, overall

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.program import Given
    from anabranch.engine.spark.sinks import Folders
    from anabranch.engine.spark.timeline import Timeline


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        master: str | None = None, session: object | None = None,
        slice_size: int | None = None, gangs: str = "auto",
        late: ReportLate = lambda row: None) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order.

    Spark is started on `master`, or a session that is already there is used. `gangs` says whether
    synchronization plans are used: always, never, or where it pays. A failing function stops the
    run with the error of the sequential engine.
    """
    from anabranch.engine.multicore.coming import rows_known
    from anabranch.engine.spark.program import Stages, run_job
    from anabranch.engine.spark.synchronization.planning import Planner

    with ExitStack() as stack:
        context = context_of(stack, master, session)
        given = _driver_read(stack, context, plan.graph, items, limit, slice_size)
        planner = Planner(gangs, rows_known(plan.graph))
        stages = Stages.of(plan)
        stages, _ = stages.with_hot_keys_split(stages.in_rows, context.defaultParallelism)
        run_job(context, stages, given, emit, planner=planner, late=late)


def run_files(plan: Plan, options, report) -> bool:
    """Runs a program from its files to its files, as much of it on the executors as can be."""
    from anabranch.engine.spark.files import check_readable
    from anabranch.engine.spark.frames import frame_of, run_frame
    from anabranch.engine.spark.intake import refuse_endless
    from anabranch.engine.spark.kernels import compiled_meanwhile, kernels_of, tiers_of
    from anabranch.engine.spark.program import Stages
    from anabranch.engine.spark.sinks import executors_may_write, opened_folders
    from anabranch.engine.spark.timeline import Timeline

    refuse_endless(plan.program, options.limit)
    stages = Stages.of(plan)
    frame = frame_of(stages.graph) if options.limit is None else None
    is_frame = frame is not None and not isinstance(frame, Reason) and not options.single_file
    tiers = {} if is_frame else tiers_of(stages.graph, stages.segments)
    folders = [op for op in stages.graph.sinks if not options.single_file
               and executors_may_write(stages.graph, stages.sinks, op)]
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        check_readable(plan.program)
        emit = stack.enter_context(opened_sinks(plan.program, report.written,
                                                {op.name for op in folders}))
        with compiled_meanwhile(kernels_of(tiers)):
            context = context_of(stack, options.master, options.session)
        filled = stack.enter_context(opened_folders(stages.graph, folders))
        if is_frame and run_frame(context, frame, filled, report):
            report.tier = "catalyst"
            return True
        given, seen = _inputs(stack, context, plan, options, rows, report)
        timeline = Timeline(*stages.with_hot_keys_split(
            tiers or tiers_of(stages.graph, stages.segments), context.defaultParallelism))
        if options.recording is not None:
            options.recording.watch_behind(timeline.at)
        _run_slices(context, timeline, given, emit, seen, filled, report, rows.report_late)
    report.bad_rows = rows.summary()
    return True


def _run_slices(context: SparkContext, timeline: Timeline, given: Given, emit: Emit,
                seen: Callable, filled: Folders, report, late: ReportLate) -> None:
    from anabranch.engine.spark.kernels import kernels_of
    from anabranch.engine.spark.program import run_job

    def noted(piece) -> None:
        seen(piece)
        filled.note(piece, report.written)
        timeline.note(piece)
    run_job(context, timeline.stages, given, emit, noted, filled.sinks, kernels_of(timeline.tiers),
            late=late)
    report.stages = timeline.metrics()
    report.tier = overall(stage.tier for stage in report.stages)


def execution(plan: Plan) -> Execution:
    """How the engine runs a plan whose sources are bound; `explain` shows it."""
    from anabranch.engine.spark.explaining import execution as found

    return found(plan)


def context_of(stack: ExitStack, master: str | None, session: object | None) -> SparkContext:
    from anabranch.engine.spark.session import spark_context
    from anabranch.engine.spark.travel import users_modules_by_value

    context = stack.enter_context(spark_context(master, session))
    stack.enter_context(users_modules_by_value())
    return context


def _inputs(stack: ExitStack, context: SparkContext, plan: Plan, options, rows: BadRows, report
            ) -> tuple[Given, Callable]:
    """The sources, and what is to be done with each slice that has come through."""
    from anabranch.engine.spark.files import TimesAcross, file_parts, seen_by_executors
    from anabranch.engine.spark.program import Given
    from anabranch.engine.spark.travel import dumped

    parts = file_parts(plan.graph, options, context.defaultParallelism)
    if parts is None or not seen_by_executors(
            context, {part.split.path for part in parts}):
        items = counted_items(plan.program, rows, report.read, options.progress)
        given = _driver_read(stack, context, plan.graph, items, options.limit)
        return given, lambda piece: None
    times = TimesAcross(parts)

    def seen(piece) -> None:
        times.check(piece)
        for source, count in piece.read:
            report.read[source] += count
        rows.counts.update(dict(piece.bad))
        if options.progress is not None:
            options.progress(report.read)
    return Given(list(map(dumped, parts)), [(p.number, 0) for p in parts]), seen


def _driver_read(stack: ExitStack, context: SparkContext, graph: Graph, items: dict,
                 limit: int | None, slice_size: int | None = None) -> Given:
    from anabranch.engine.spark.intake import slices
    from anabranch.engine.spark.program import Given
    from anabranch.engine.spark.spool import spooled

    read = slices(graph, items, limit, slice_size)
    local = context.master.startswith("local")
    data = stack.enter_context(spooled(read)) if local else list(read)
    return Given(data, [(0, n) for n in range(len(data))])
