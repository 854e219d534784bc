"""The sequential engine: the definition of what a program means.

Take the next source tuple, push it through the graph to completion; then the next. Graphs without
loops run as one generated loop that gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing

from anabranch.batch.failure import ReportLate
from anabranch.engine.sequential.bulk import in_bulk
from anabranch.engine.sequential.straight import Straight, is_straight
from anabranch.ir.graph import Graph, Operator
from anabranch.runtime.ends.emitting import Emit, is_full
from anabranch.runtime.ends.merging import merged
from anabranch.runtime.machine import Machine


def run(graph: Graph, sources: dict[str, Iterable[object]], emit: Emit,
        limit: int | None = None, late: ReportLate = lambda row: None) -> None:
    """Runs the graph over the items of its sources and gives each sink's items to `emit`, and late
    items that are no errors to `late`."""
    machine = (Straight if is_straight(graph) else Machine)(graph, emit, late)
    tuples = in_bulk(graph, sources, limit) if is_straight(graph) else merged(graph, sources, limit)
    if is_full(emit):
        return
    with closing(tuples):
        for source, items in tuples:
            push(machine, source, items, emit)
            if is_full(emit):
                return
    machine.finish()


def push(machine: Machine | Straight, source: Operator, items: object, emit: Emit) -> None:
    """What fails behind the last item that is wanted has not been asked for."""
    try:
        machine.push(source, items)
    except (Exception, SystemExit):
        if not is_full(emit):
            raise
