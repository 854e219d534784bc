"""The driver's side of a job: what tasks are told, segments as RDDs, ordered output."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.batch.failure import ReportLate
from anabranch.batch.slices import late_before
from anabranch.core.threads import thread_pool
from anabranch.engine.spark.gang.planner import Planner
from anabranch.engine.spark.job.pickling import dumped_program
from anabranch.engine.spark.job.pieces import SlicePiece, decoded
from anabranch.engine.spark.job.sinks import PartSink
from anabranch.engine.spark.job.sources import ends
from anabranch.engine.spark.job.tasks import (
    Fresh,
    States,
    TaskProgram,
    in_rounds,
    work,
    work_alone,
)
from anabranch.engine.spark.session.computation import computed
from anabranch.engine.spark.session.connect import ConnectContext
from anabranch.ir.graph import Graph
from anabranch.plan.physical.cost import rows_known
from anabranch.plan.physical.spark.placement import JobLayout
from anabranch.plan.physical.spark.plan import SparkPlan
from anabranch.plan.physical.spark.segments import Exchange, Stages
from anabranch.plan.physical.spark.tiers import wanted_of
from anabranch.plan.physical.stages import Stage
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.rounds import Emission, Rounds

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

    from anabranch.engine.spark.job.pieces import SlicePiece


@dataclass(frozen=True)
class JobInput:
    """The input: slices, or where they are, each with the number of its first slice; the driver has
    `read_here` or the tasks will read."""

    data: list[bytes]
    numbers: list[tuple[int, int]]
    read_here: bool = False


def run_job(context: SparkContext, physical: SparkPlan, given: JobInput, emit: Emit,
            seen: Callable[[SlicePiece], None] = lambda piece: None, parts: Sequence[PartSink] = (),
            late: ReportLate = lambda row: None) -> None:
    """Runs the plan over all of the input. `seen` is given every slice of the output, in order,
    `emit` the items of the sinks that are not in `parts`, and `late` what came too late."""
    size = sum(map(len, given.data))
    program = program_of(physical, physical.layout(given.numbers, size), parts, physical.kernels)
    alone = physical.is_alone(len(given.numbers), size)
    slices = slices_out(context, physical, program, [*given.data, *ends(physical.told_of_end)],
                        alone, Planner(physical.tuning, rows_known(physical.graph)))
    emitted(physical.stages, parts, slices, emit, seen, late=late)


def program_of(physical: SparkPlan, layout: JobLayout, parts: Sequence[PartSink] = (),
               kernels: Mapping[int, object] | None = None, states: States | None = None
               ) -> TaskProgram:
    """What the tasks are told."""
    stages = physical.stages
    return TaskProgram(_bare(stages.graph), physical.segments, layout, tuple(parts), kernels,
                       states or Fresh(), wanted_of(stages, kernels or {}),
                       doubts=Doubts(stages.plan) if stages.plan else None)


def emitted(stages: Stages, parts: Sequence[PartSink], slices: Generator[SlicePiece], emit: Emit,
            seen: Callable[[SlicePiece], None], states: States | None = None,
            late: ReportLate = lambda row: None) -> None:
    """Gives the items of the slices to the sinks that are not in `parts`, up to the first failure,
    which is raised."""
    states, sinks = states or Fresh(), _others(stages.sinks, {sink.name for sink in parts})
    plain = all(op.is_sink for op in sinks.operators)

    def make() -> Emission | Rounds:
        return (Emission if plain else Rounds)(stages.graph, sinks, emit, lambda: False)
    emission = make() if plain else states.opened(sinks, 0, make)
    with closing(slices):
        for piece in slices:
            seen(piece)
            done = in_rounds(emission, sinks, piece)
            for row in late_before(done.late, done.failure):
                late(row)
            if done.failure is not None:
                raise done.failure.error
    if not plain:
        states.closed(sinks, 0, emission)


def _others(sinks: Stage, written: set[str]) -> Stage:
    if not written:
        return sinks
    operators = tuple(op for op in sinks.operators if op.name not in written)
    return replace(sinks, operators=operators,
                   inputs=tuple(dict.fromkeys(op.inputs[0] for op in operators)))


def _bare(graph: Graph) -> Graph:
    """The graph without what it reads and writes, which stays here."""
    return graph.with_operators(
        replace(op, kind=replace(op.kind, spec=None)) if op.is_source or op.is_sink else op
        for op in graph)


def slices_out(context: SparkContext, physical: SparkPlan, program: TaskProgram,
               given: Sequence[bytes], alone: bool, planner: Planner) -> Iterator[SlicePiece]:
    """The slices that reach the sinks, in order. Closing it ends the job.

    What is `alone` is done by a single task. The planner decides which synchronized stages have a
    gang.
    """
    if isinstance(context, ConnectContext):
        elements = context.elements(program, given, _reading(physical, given))
    else:
        rdd = _one_task(context, physical, program, given) if alone else \
            _rdd(context, program, given, _reading(physical, given), planner)
        elements = _in_windows(context, rdd, physical.tuning.tasks_per_core)
    with closing(elements):
        yield from map(decoded, elements)


def _reading(physical: SparkPlan, given: Sequence[bytes]) -> int:
    """How many tasks read what is given."""
    return physical.reading_tasks(len(given), sum(map(len, given)))


def _rdd(context: SparkContext, program: TaskProgram, given: Sequence[bytes], tasks: int,
         planner: Planner) -> RDD:
    rdd, index = context.parallelize(given, tasks), 0
    # Their number changes when a stage has no gang.
    while index < len(program.segments):
        segment = program.segments[index]
        if segment.route is not Exchange.SOURCE:
            rdd = rdd.repartitionAndSortWithinPartitions(program.tasks(segment), itemgetter(0))
        program = planner.planned(context, program, index, rdd, len(given))
        data = dumped_program(program, list(program.graph))
        # The tasks of a gang run at the same time, or not at all.
        together = rdd.barrier() if segment.route is Exchange.PLAN else rdd
        rdd, index = together.mapPartitions(partial(work, data, index)), index + 1
    return rdd


def _one_task(context: SparkContext, physical: SparkPlan, program: TaskProgram,
              given: Sequence[bytes]) -> RDD:
    data = dumped_program(program._replace(segments=physical.segments_alone), list(program.graph))
    return context.parallelize(given, 1).mapPartitions(partial(work_alone, data))


def _in_windows(context: SparkContext, rdd: RDD, per_core: int) -> Iterator[bytes]:
    """The elements in order. While some parts are written, the next ones are computed."""
    group = f"anabranch-{uuid4()}"
    count, window = rdd.getNumPartitions(), per_core * context.defaultParallelism
    chosen = [range(first, min(first + window, count)) for first in range(0, count, window)]
    with thread_pool(1, "next tasks") as ahead:
        coming = deque(ahead.submit(_computed, context, rdd, group, own) for own in chosen[:1])
        try:
            for following in (*chosen[1:], None):
                elements = coming.popleft().result()
                if following is not None:
                    coming.append(ahead.submit(_computed, context, rdd, group, following))
                yield from elements
        except BaseException:
            context.cancelJobGroup(group)
            raise


def _computed(context: SparkContext, rdd: RDD, group: str, chosen: range) -> list[bytes]:
    context.setJobGroup(group, "anabranch", interruptOnCancel=True)
    return computed(rdd, list, chosen)
