"""Runs a plan on Spark: slices in, a job, and the sinks in order.

PySpark is imported only when a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.engine.ends import counted_items, opened_sinks
from anabranch.engine.multicore.rounds import Emission, Rounds
from anabranch.engine.multicore.stages import Stage, formed
from anabranch.engine.multicore.unfused import unfused
from anabranch.engine.sequential import Emit
from anabranch.io.badrows import BadRows
from anabranch.ir.graph import Graph, Operator
from anabranch.plan import Plan

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.sinks import PartSink


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        master: str | None = None, session: object | None = None,
        slice_size: int | None = None) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order.

    Spark is started on `master`, or a session that is already there is used. A failing function
    stops the run with the error of the sequential engine.
    """
    with ExitStack() as stack:
        context = _context(stack, master, session)
        given = _driver_read(stack, context, plan.graph, items, limit, slice_size)
        _run(context, _Stages.of(plan), given, emit)


def run_files(plan: Plan, options, report) -> bool:
    """Runs a program from its files to its files, as much of it on the executors as can be."""
    from anabranch.engine.spark.files import check_readable
    from anabranch.engine.spark.sinks import executors_may_write, opened_folders

    stages = _Stages.of(plan)
    folders = [op for op in stages.graph.sinks if not options.single_file
               and executors_may_write(stages.graph, stages.sinks, op)]
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        check_readable(plan.program)
        emit = stack.enter_context(opened_sinks(plan.program, report.written,
                                                {op.name for op in folders}))
        context = _context(stack, options.master, options.session)
        given, seen = _inputs(stack, context, plan, options, rows, report)
        filled = stack.enter_context(opened_folders(stages.graph, folders))

        def noted(piece) -> None:
            seen(piece)
            filled.note(piece, report.written)
        _run(context, stages, given, emit, noted, filled.sinks)
    report.bad_rows = rows.summary()
    return True


@dataclass(frozen=True)
class _Stages:
    """The plan as stages; the last of them is the sinks'."""

    graph: Graph
    before: list[Stage]
    sinks: Stage

    @staticmethod
    def of(plan: Plan) -> _Stages:
        plain = unfused(plan)
        stages = formed(plain)
        sinks = next(stage for stage in stages if stage.is_sink)
        return _Stages(plain.graph, [stage for stage in stages if stage is not sinks], sinks)


@dataclass(frozen=True)
class _Given:
    """The input: slices, or where they are, each with the number of its first slice."""

    data: list[bytes]
    numbers: list[tuple[int, int]]


def _context(stack: ExitStack, master: str | None, session: object | None) -> SparkContext:
    from anabranch.engine.spark.session import spark_context
    from anabranch.engine.spark.travel import users_modules_by_value

    context = stack.enter_context(spark_context(master, session))
    stack.enter_context(users_modules_by_value())
    return context


def _inputs(stack: ExitStack, context: SparkContext, plan: Plan, options, rows: BadRows, report
            ) -> tuple[_Given, Callable]:
    """The sources, and what is to be done with each slice that has come through."""
    from anabranch.engine.spark.files import TimesAcross, file_parts, seen_by_executors
    from anabranch.engine.spark.job import PARTS_PER_CORE
    from anabranch.engine.spark.travel import dumped

    parts = file_parts(plan.graph, options, PARTS_PER_CORE * context.defaultParallelism)
    if parts is None or not seen_by_executors(context, parts):
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
    return _Given(list(map(dumped, parts)), [(p.number, 0) for p in parts]), seen


def _driver_read(stack: ExitStack, context: SparkContext, graph: Graph, items: dict,
                 limit: int | None, slice_size: int | None = None) -> _Given:
    from anabranch.engine.spark.intake import slices
    from anabranch.engine.spark.spool import spooled

    read = slices(graph, items, limit, slice_size)
    local = context.master.startswith("local")
    data = stack.enter_context(spooled(read)) if local else list(read)
    return _Given(data, [(0, n) for n in range(len(data))])


def _run(context: SparkContext, stages: _Stages, given: _Given, emit: Emit,
         seen: Callable = lambda piece: None, parts: Sequence[PartSink] = ()) -> None:
    from anabranch.engine.spark.intake import ends
    from anabranch.engine.spark.job import slices_out
    from anabranch.engine.spark.segments import segments_of
    from anabranch.engine.spark.tasks import Program

    program = Program(_bare(stages.graph), segments_of(stages.before, stages.sinks),
                      _layout(context, given), tuple(parts))
    slices = slices_out(context, program, [*given.data, *ends(stages.graph)])
    written = {sink.name for sink in parts}
    others = [op for op in stages.sinks.operators if op.name not in written]
    _emit(stages.graph, _only(stages.sinks, others), slices, emit, seen)


def _layout(context: SparkContext, given: _Given):
    from anabranch.engine.spark.job import parts
    from anabranch.engine.spark.tasks import Layout

    numbers = given.numbers or [(0, 0)]
    count = min(parts(context, given.data), len(numbers))
    firsts = tuple(numbers[len(numbers) * part // count] for part in range(count))
    # Few slices are no work for many tasks.
    return Layout(min(2 * context.defaultParallelism, len(numbers)), firsts)


def _only(sinks: Stage, operators: Sequence[Operator]) -> Stage:
    if len(operators) == len(sinks.operators):
        return sinks
    inputs = tuple(dict.fromkeys(op.inputs[0] for op in operators))
    return replace(sinks, operators=tuple(operators), inputs=inputs)


def _emit(graph: Graph, sinks: Stage, written: Generator, emit: Emit, seen: Callable) -> None:
    from anabranch.engine.spark.tasks import in_rounds

    kind = Emission if all(op.is_sink for op in sinks.operators) else Rounds
    emission = kind(graph, sinks, emit, lambda: False)
    with closing(written):
        for piece in written:
            seen(piece)
            done = in_rounds(emission, sinks, piece)
            if done.failure is not None:
                raise done.failure.error


def _bare(graph: Graph) -> Graph:
    """The graph without what it reads and writes, which stays here."""
    return graph.with_operators(
        replace(op, kind=replace(op.kind, spec=None)) if op.is_source or op.is_sink else op
        for op in graph)
