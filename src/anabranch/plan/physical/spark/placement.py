"""How large splits are, how many tasks there are, what executors write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anabranch.io.files.sinks import FileSink
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import AnyOf
from anabranch.plan.physical.stages import Stage

if TYPE_CHECKING:
    from pyspark import SparkContext


BYTES_OF_A_TASK = 16 << 20
PARTS_PER_CORE = 4


def parts(context: SparkContext, given: Sequence[bytes]) -> int:
    """How many tasks the slices make: enough for all cores, none too large to be sent."""
    wanted = max(PARTS_PER_CORE * context.defaultParallelism,
                 sum(map(len, given)) // BYTES_OF_A_TASK)
    return max(1, min(len(given), wanted))


SMALLEST_SPLIT, LARGEST_SPLIT = 1 << 20, 16 << 20
"""How many bytes a split may have."""

WORTH_A_TASK = 8 << 20
"""How many bytes are worth a task more than each core has: to begin one costs as much as a kernel
takes for some of them."""


def split_size(size: int, cores: int) -> int:
    """How large the splits of so many bytes are: one for each core, or some, if they are large.

    >>> [(20 << 20) // split_size(20 << 20, cores) for cores in (1, 2, 4)]
    [2, 2, 4]
    >>> split_size(500, 2) == SMALLEST_SPLIT, split_size(1 << 30, 2) == LARGEST_SPLIT
    (True, True)
    """
    for_each = min(max(1, size // (cores * WORTH_A_TASK)), PARTS_PER_CORE)
    return min(max(SMALLEST_SPLIT, -(-size // (cores * for_each))), LARGEST_SPLIT)


def executors_may_write(graph: Graph, sinks: Stage, op: Operator) -> bool:
    """Whether rows need not come to the driver for this sink.

    They must where other operators run among the sinks, and where the first item of all decides
    the columns.
    """
    spec = op.kind.spec
    if not (isinstance(spec, FileSink) and spec.in_parts) or not all(
            each.is_sink for each in sinks.operators):
        return False
    return not (spec.writer.needs_type and isinstance(graph.input_types(op)[0], AnyOf))
