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
from anabranch.ir.graph import Graph
from anabranch.runtime.ends.emitting import Emit
from anabranch.runtime.ends.merging import merged
from anabranch.runtime.machine import Machine


def run(graph: Graph, sources: dict[str, Iterable[object]], emit: Emit,
        limit: int | None = None, late: ReportLate = lambda row: None) -> None:
    """Runs the graph over the items of its sources and gives each sink's items to `emit`, and late
    items that are no errors to `late`."""
    machine = (Straight if is_straight(graph) else Machine)(graph, emit, late)
    tuples = in_bulk(graph, sources, limit) if is_straight(graph) else merged(graph, sources, limit)
    with closing(tuples):
        for source, items in tuples:
            machine.push(source, items)
    machine.finish()
