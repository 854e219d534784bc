"""Segments as RDDs, and their result as slices in order, some parts at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING
from uuid import uuid4

from anabranch.engine.spark.computing import computed
from anabranch.engine.spark.connect import Connected
from anabranch.engine.spark.pieces import Piece, decoded
from anabranch.engine.spark.segments import Route, with_gangs
from anabranch.engine.spark.synchronization.planning import Planner
from anabranch.engine.spark.tasks import Program, work, work_alone
from anabranch.engine.spark.travel import dumped_program

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

BYTES_OF_A_TASK = 16 << 20
PARTS_PER_CORE = 4


def slices_out(context: SparkContext, program: Program, given: Sequence[bytes],
               at_once: bool = False, planner: Planner | None = None) -> Iterator[Piece]:
    """The slices that reach the sinks, in order. Closing it ends the job.

    With `at_once` a single task does everything: for little input that is the fastest way. The
    planner decides which synchronized stages have a gang.
    """
    if isinstance(context, Connected):
        elements = context.elements(program, given, parts(context, given))
    else:
        elements = _in_windows(context, _one_task(context, program, given) if at_once else
                               _rdd(context, program, given, planner or Planner()))
    with closing(elements):
        yield from map(decoded, elements)


def parts(context: SparkContext, given: Sequence[bytes]) -> int:
    """How many tasks the slices make: enough for all cores, none too large to be sent."""
    wanted = max(PARTS_PER_CORE * context.defaultParallelism,
                 sum(map(len, given)) // BYTES_OF_A_TASK)
    return max(1, min(len(given), wanted))


def _rdd(context: SparkContext, program: Program, given: Sequence[bytes], planner: Planner) -> RDD:
    rdd, index = context.parallelize(given, parts(context, given)), 0
    # Their number changes when a stage has no gang.
    while index < len(program.segments):
        segment = program.segments[index]
        if segment.route is not Route.SOURCE:
            rdd = rdd.repartitionAndSortWithinPartitions(program.tasks(segment), itemgetter(0))
        program = planner.planned(context, program, index, rdd, len(given))
        data = dumped_program(program, list(program.graph))
        # The tasks of a gang run at the same time, or not at all.
        together = rdd.barrier() if segment.route is Route.PLAN else rdd
        rdd, index = together.mapPartitions(partial(work, data, index)), index + 1
    return rdd


def _one_task(context: SparkContext, program: Program, given: Sequence[bytes]) -> RDD:
    alone = program._replace(segments=with_gangs(program.segments, ()))
    data = dumped_program(alone, list(program.graph))
    return context.parallelize(given, 1).mapPartitions(partial(work_alone, data))


def _in_windows(context: SparkContext, rdd: RDD) -> Iterator[bytes]:
    """The elements in order. While some parts are written, the next ones are computed."""
    group = f"anabranch-{uuid4()}"
    count, window = rdd.getNumPartitions(), PARTS_PER_CORE * context.defaultParallelism
    chosen = [range(first, min(first + window, count)) for first in range(0, count, window)]
    with ThreadPoolExecutor(1) as ahead:
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
