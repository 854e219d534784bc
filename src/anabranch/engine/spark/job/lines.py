"""What serves a stage on an executor, a kernel or rows, and the notes of its work.

The notes travel to the driver with the output.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from anabranch.batch.slices import Failure, Flow, Outcome, Step
from anabranch.engine.spark.job.stamps import taken
from anabranch.ir.graph import Graph
from anabranch.plan.physical.stages import Stage
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.rows import Line


class TaskMeasurement(NamedTuple):
    """What a stage did with some rows, and from when to when, in seconds of the epoch; its kernel
    had `fast` of them, and `steps` has what each operator did with the others. One with an
    `exchange` says by which one rows came to a `task`, and whether that was `alone`."""

    stage: int
    rows_in: int
    rows_out: int
    seconds: float
    fast: int
    steps: tuple[Step, ...] = ()
    began: float = 0.0
    ended: float = 0.0
    exchange: str = ""
    task: int = 0
    alone: bool = False


def together(one: TaskMeasurement, other: TaskMeasurement) -> TaskMeasurement:
    """What a stage did with the rows of both."""
    sums = (mine + its for mine, its in zip(one[1:5], other[1:5]))
    return TaskMeasurement(one.stage, *sums, added((*one.steps, *other.steps)),
                    min(one.began, other.began), max(one.ended, other.ended))


def added(steps: Iterable[Step]) -> tuple[Step, ...]:
    """One step for each operator.

    >>> added([Step("map", 2, 1, 0.5), Step("map", 3, 3, 0.25)])
    (Step(operator='map', rows_in=5, rows_out=4, seconds=0.75),)
    """
    sums: dict[str, Step] = {}
    for step in steps:
        known = sums.get(step.operator, Step(step.operator, 0, 0, 0.0))
        sums[step.operator] = Step(step.operator, *map(sum, zip(known[1:], step[1:])))
    return tuple(sums.values())


def line_of(graph: Graph, stage: Stage, kernels: Mapping | None, buckets: bool = False,
            doubts: Doubts | None = None):
    """A line for a stage, or for one bucket of it; a kernel is beyond all `doubts`."""
    kernel = (kernels or {}).get(stage.index)
    if kernel is None:
        return Line(graph, stage.operators, buckets, doubts)
    # Numba takes half a second to import.
    from anabranch.runtime.stage.kernel import KernelLine

    return KernelLine(graph, stage.operators, kernel, buckets)


def run_line(line, number: object, flow: Flow, rows: np.ndarray | None = None) -> Outcome:
    """Takes a flow through a line. The line sees rows by their numbers, and its outcome has the
    stamps that these rows have."""
    stamps, seen = flow.rows, range(len(flow.items)) if rows is None else rows.tolist()
    outcome = line.run(number, Flow(seen, flow.items, flow.ports))

    def stamped(own: Sequence) -> Sequence:
        places = own if isinstance(own, range) else np.asarray(own, np.int64)
        return taken(stamps, places if rows is None else np.searchsorted(rows, places))
    outputs = [Flow(stamped(out.rows), out.items) for out in outcome.outputs]
    failures = [Failure((position, stamped([row])[0]), error)
                for (position, row), error in outcome.failures]
    return replace(outcome, outputs=outputs, failures=failures)


class LineMeter:
    """Measures what a line does with one slice after another."""

    def __init__(self, stage: Stage, line):
        self.stage, self.line, self.fast = stage.index, line, 0

    def measured(self, rows: int, outcome: Outcome) -> tuple[TaskMeasurement, ...]:
        """The slice that has just gone through."""
        done = sum(n for tier, n in getattr(self.line, "done", {}).items() if tier != "rows")
        fast, self.fast = done - self.fast, done
        made, now = sum(len(flow.items) for flow in outcome.outputs), time.time()
        return (TaskMeasurement(self.stage, rows, made, outcome.seconds, fast, tuple(outcome.steps),
                         now - outcome.seconds, now),)
