"""Runs a plan on Spark: slices in, a DataFrame or a job, and the sinks in order.

A program that its language cuts into pieces, which need nothing of each other, is computed piece by
piece: see `ir.whole_program`.

PySpark is imported only when a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from anabranch.batch.failure import ReportLate
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.spark.session.computation import all_of, each
from anabranch.io.rows import BadRows
from anabranch.ir.graph import Graph
from anabranch.ir.whole_program import whole_of
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.plan import Execution, overall
from anabranch.runtime.ends.binding import counted_items, opened_sinks
from anabranch.runtime.ends.emitting import Emit

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.job.driver import JobInput
    from anabranch.engine.spark.job.metrics import Timeline
    from anabranch.engine.spark.job.sinks import Folders


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
    from anabranch.engine.spark.gang.planner import Planner
    from anabranch.engine.spark.job.driver import run_job
    from anabranch.plan.physical.cost import rows_known
    from anabranch.plan.physical.spark.segments import Stages

    with ExitStack() as stack:
        context = context_of(stack, master, session)
        given = _driver_read(stack, context, plan.graph, items, limit, slice_size)
        planner = Planner(gangs, rows_known(plan.graph))
        stages = Stages.of(plan)
        stages, _ = stages.with_hot_keys_split(stages.in_rows, context.defaultParallelism)
        run_job(context, stages, given, emit, planner=planner, late=late)


def run_files(plan: Plan, options, report) -> bool:
    """Runs a program from its files to its files, as much of it on the executors as can be."""
    from anabranch.engine.spark.dataframe import run_frame
    from anabranch.engine.spark.job.metrics import Timeline
    from anabranch.engine.spark.job.sinks import opened_folders
    from anabranch.engine.spark.job.sources import check_readable
    from anabranch.plan.physical.spark.capabilities import refuse_endless
    from anabranch.plan.physical.spark.dataframe import frame_of
    from anabranch.plan.physical.spark.placement import executors_may_write
    from anabranch.plan.physical.spark.segments import Stages
    from anabranch.plan.physical.spark.tiers import kernels_of, tiers_of

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


def _run_slices(context: SparkContext, timeline: Timeline, given: JobInput, emit: Emit,
                seen: Callable, filled: Folders, report, late: ReportLate) -> None:
    from anabranch.engine.spark.job.driver import run_job
    from anabranch.plan.physical.spark.tiers import kernels_of

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
    from anabranch.plan.physical.spark.execution import execution as found

    return found(plan)


def context_of(stack: ExitStack, master: str | None, session: object | None) -> SparkContext:
    from anabranch.engine.spark.job.pickling import users_modules_by_value
    from anabranch.engine.spark.session.context import spark_context

    context = stack.enter_context(spark_context(master, session))
    stack.enter_context(users_modules_by_value())
    return context


def _inputs(stack: ExitStack, context: SparkContext, plan: Plan, options, rows: BadRows, report
            ) -> tuple[JobInput, Callable]:
    """The sources, and what is to be done with each slice that has come through."""
    from anabranch.engine.spark.job.driver import JobInput as Given
    from anabranch.engine.spark.job.pickling import dumped
    from anabranch.engine.spark.job.sources import TimesAcross, file_parts, seen_by_executors

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
                 limit: int | None, slice_size: int | None = None) -> JobInput:
    from anabranch.engine.spark.job.driver import JobInput as Given
    from anabranch.engine.spark.job.sources import slices, spooled

    read = slices(graph, items, limit, slice_size)
    local = context.master.startswith("local")
    data = stack.enter_context(spooled(read)) if local else list(read)
    return Given(data, [(0, n) for n in range(len(data))])


PIECES_PER_CORE = 3
NOT_SEEN = "the executors do not find the files at these paths: the driver reads them, in rows"


def spread_execution(plan: Plan) -> Execution | None:
    """How a program runs that is cut into pieces; None when it is not."""
    whole = whole_of(plan.program)
    if whole is None or not whole.is_spread():
        return None
    stages = whole.stages(plan.program)
    return Execution("spark", overall(stage.tier for stage in stages), stages)


def run_spread(plan: Plan, options, report) -> bool:
    """Computes the pieces on the executors and writes them in order; False, with nothing done, when
    the program has none."""
    whole = whole_of(plan.program)
    if whole is None or not whole.pieces(plan.program, options, 1):
        return False
    from anabranch.engine.spark.job.sources import seen_by_executors
    with ExitStack() as stack:
        context = context_of(stack, options.master, options.session)
        if not seen_by_executors(context, whole.files(plan.program)):
            report.note = NOT_SEEN
            return False
        emit = stack.enter_context(opened_sinks(plan.program, report.written))
        pieces = whole.pieces(plan.program, options, PIECES_PER_CORE * context.defaultParallelism)
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
    thread = Thread(target=_compile, args=(list(kernels.values()),), daemon=True)
    thread.start()
    yield
    thread.join()


def _compile(kernels: Sequence) -> None:
    for kernel in kernels:
        # If it fails, the first slice says so in its own way.
        with suppress(Exception):
            kernel.warm()
