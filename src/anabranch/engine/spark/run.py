"""Runs a plan on Spark: slices in, a job, and the sinks written in order by the driver.

PySpark is imported only when a program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace

from anabranch.engine.ends import opened_sinks
from anabranch.engine.multicore.rounds import Emission, Rounds
from anabranch.engine.multicore.stages import Stage, formed
from anabranch.engine.multicore.unfused import unfused
from anabranch.engine.sequential import Emit
from anabranch.errors import UsageError
from anabranch.io.badrows import BadRows
from anabranch.ir.graph import Graph
from anabranch.plan import Plan


def run(plan: Plan, items: dict[str, Iterable[object]], emit: Emit, limit: int | None = None, *,
        master: str | None = None, slice_size: int | None = None) -> None:
    """Runs the plan over the items of its sources; `emit` is given what the sequential engine
    would give it, in the same order.

    Spark is started on `master`, or a session that is already there is used. A failing function
    stops the run with the error of the sequential engine.
    """
    from anabranch.engine.spark.intake import slices

    with ExitStack() as stack:
        context = _context(stack, master)
        read = list(slices(plan.graph, items, limit, slice_size))
        _run(context, plan, read, [(0, n) for n in range(len(read))], emit)


def run_files(graph: Graph, options, report) -> bool:
    """Runs a program whose files the executors can read; False, with nothing done, if not so."""
    from anabranch.engine.spark.files import check_readable, file_parts
    from anabranch.engine.spark.travel import dumped

    parts = file_parts(graph, options)
    if parts is None:
        return False
    from anabranch.compile import compile_graph

    plan = compile_graph(graph)
    with ExitStack() as stack:
        rows = stack.enter_context(BadRows.parse(options.on_error))
        check_readable(graph)
        emit = stack.enter_context(opened_sinks(graph, report.written))
        context = _context(stack, options.master)

        def seen(piece) -> None:
            for source, count in piece.read:
                report.read[source] += count
            rows.counts.update(dict(piece.bad))
            if options.progress is not None:
                options.progress(report.read)
        _run(context, plan, list(map(dumped, parts)), [(p.number, 0) for p in parts], emit, seen)
    report.bad_rows = rows.summary()
    return True


def _context(stack: ExitStack, master: str | None):
    if master is not None and master.startswith("sc://"):
        raise UsageError("the spark engine does not run on Spark Connect",
                         got=f"master {master}", help="give the cluster's own master")
    from anabranch.engine.spark.session import spark_context
    from anabranch.engine.spark.travel import users_modules_by_value

    context = stack.enter_context(spark_context(master))
    stack.enter_context(users_modules_by_value())
    return context


def _run(context, plan: Plan, read: list[bytes], numbers: Sequence[tuple[int, int]], emit: Emit,
         seen: Callable = lambda piece: None) -> None:
    """`read` are slices or files, and `numbers` the number of the first slice of each."""
    from anabranch.engine.spark.intake import ends
    from anabranch.engine.spark.job import parts, slices_out
    from anabranch.engine.spark.segments import segments_of
    from anabranch.engine.spark.tasks import Layout, Program

    graph, stages = unfused(plan).graph, formed(unfused(plan))
    sinks = next(stage for stage in stages if stage.is_sink)
    given = [*read, *ends(graph)]
    count = parts(context, given)
    firsts = tuple(numbers[len(numbers) * part // count] for part in range(count if numbers else 0))
    program = Program(_bare(graph), segments_of([s for s in stages if s is not sinks], sinks),
                      Layout(2 * context.defaultParallelism, firsts or ((0, 0),)))
    _emit(graph, sinks, slices_out(context, program, given), emit, seen)


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
