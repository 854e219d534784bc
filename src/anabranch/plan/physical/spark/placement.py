"""How large splits are, how many tasks there are, what executors write."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from anabranch.io.files.sinks import FileSink
from anabranch.io.files.stores import is_remote
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import AnyOf
from anabranch.plan.physical.spark.segments import Exchange
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.stages import Stage

Number = tuple[int, int]
"""The number of a slice: two halves that grow."""


@dataclass(frozen=True)
class JobLayout:
    """How many buckets there are, and with which slice each part of the output begins.

    Buckets have a task each, unless `bucket_tasks` says how many tasks share them.
    """

    buckets: int
    firsts: tuple[Number, ...]
    bucket_tasks: int | None = None

    def part_of(self, number: Number) -> int:
        """
        >>> JobLayout(1, ((0, 0), (0, 5))).part_of((0, 7))
        1
        """
        return max(0, bisect_right(self.firsts, number) - 1)

    def tasks(self, route: Exchange) -> int:
        return {Exchange.BUCKETS: self.bucket_tasks or self.buckets, Exchange.ONE: 1,
                Exchange.PARTS: len(self.firsts)}[route]


def tasks_reading(elements: int, size: int, cores: int, knobs: SparkKnobs) -> int:
    """How many tasks the slices, or parts of the input, make: enough for all cores, none too large
    to be sent."""
    wanted = max(knobs.tasks_per_core * cores, size // knobs.bytes_of_a_task)
    return max(1, min(elements, wanted))


def batch_layout(numbers: Sequence[Number], tasks: int, cores: int) -> JobLayout:
    """The layout of a batch job; few slices are no work for many buckets.

    >>> batch_layout([(0, 0), (0, 1), (0, 2)], 2, 4)
    JobLayout(buckets=3, firsts=((0, 0), (0, 1)), bucket_tasks=None)
    """
    return JobLayout(max(1, min(2 * cores, len(numbers))), firsts_of(numbers, tasks))


def firsts_of(numbers: Sequence[Number], tasks: int) -> tuple[Number, ...]:
    """The first slice of each part of the output."""
    numbers = numbers or [(0, 0)]
    tasks = min(tasks, len(numbers))
    return tuple(numbers[len(numbers) * part // tasks] for part in range(tasks))


def split_size(size: int, cores: int, knobs: SparkKnobs | None = None) -> int:
    """How large the splits of so many bytes are: one for each core, or some, if they are large.

    >>> [(20 << 20) // split_size(20 << 20, cores) for cores in (1, 2, 4)]
    [2, 2, 4]
    >>> split_size(500, 2) == 1 << 20, split_size(1 << 30, 2) == 16 << 20
    (True, True)
    """
    knobs = knobs or SparkKnobs()
    for_each = min(max(1, size // (cores * knobs.worth_a_task)), knobs.tasks_per_core)
    return min(max(knobs.smallest_split, -(-size // (cores * for_each))), knobs.largest_split)


def executors_may_write(graph: Graph, sinks: Stage, op: Operator) -> bool:
    """Whether rows need not come to the driver for this sink.

    They must where other operators run among the sinks, and where the first item of all decides
    the columns.
    """
    spec = op.kind.spec
    if not (isinstance(spec, FileSink) and spec.in_parts) or is_remote(spec.path) or not all(
            each.is_sink for each in sinks.operators):
        return False
    return not (spec.writer.needs_type and isinstance(graph.input_types(op)[0], AnyOf))
