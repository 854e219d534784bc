"""What serves a stage on an executor: a kernel over columns where there is one, or plain rows."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anabranch.engine.multicore.double_check import Doubts
from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.slices import Failure
from anabranch.engine.multicore.stages import Stage, finishes
from anabranch.engine.spark.measured import Measured
from anabranch.engine.spark.stamps import taken
from anabranch.ir.graph import Graph
from anabranch.ir.operators import Keyed


def line_of(graph: Graph, stage: Stage, kernels: Mapping | None, buckets: bool = False,
            doubts: Doubts | None = None):
    """A line for a stage, or for one bucket of it; a kernel is beyond all `doubts`."""
    kernel = (kernels or {}).get(stage.index)
    if kernel is None:
        return Line(graph, stage.operators, buckets, doubts)
    # Numba takes half a second to import.
    from anabranch.engine.multicore.kernel_line import KernelLine

    return KernelLine(graph, stage.operators, kernel, buckets)


def notes_keys(stage: Stage) -> bool:
    """Whether it is remembered when keys came first: they are told of the end in that order."""
    return any(isinstance(op.kind, Keyed) and op.kind.stateful and finishes(op)
               for op in stage.operators)


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


class Meter:
    """Measures what a line does with one slice after another."""

    def __init__(self, stage: Stage, line):
        self.stage, self.line, self.fast = stage.index, line, 0

    def measured(self, rows: int, outcome: Outcome) -> tuple[Measured, ...]:
        """The slice that has just gone through."""
        done = sum(n for tier, n in getattr(self.line, "done", {}).items() if tier != "rows")
        fast, self.fast = done - self.fast, done
        made, now = sum(len(flow.items) for flow in outcome.outputs), time.time()
        return (Measured(self.stage, rows, made, outcome.seconds, fast, tuple(outcome.steps),
                         now - outcome.seconds, now),)
