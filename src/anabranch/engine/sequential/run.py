"""The sequential engine: the definition of what a program means.

Take the next source tuple, push it through the graph to completion; then the next. Graphs without
loops run as one generated loop that gives the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing

from anabranch.batch.failure import ReportLate
from anabranch.batch.items import Columns
from anabranch.engine.sequential.straight import Straight, is_straight
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.ends import rows_worth_columns
from anabranch.runtime.ends.emitting import Emit, is_full
from anabranch.runtime.ends.merging import by_arrival, by_time, merged, turns
from anabranch.runtime.ends.reading import Many, Reading
from anabranch.runtime.machine import Machine

MOST = 4096
"""So many tuples come together at most: their results are held as long."""

Bulk = tuple[Operator, list]


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


def in_bulk(graph: Graph, sources: dict[str, Iterable[object]], limit: int | None = None
            ) -> Iterator[Bulk]:
    """All source tuples, at most `limit` of them: consecutive ones of a source in lists."""
    left = float("inf") if limit is None else limit
    for op, items in _in_turn(graph, sources, limit is None) if left > 0 else ():
        taken = items if len(items) <= left else items[:left]
        if isinstance(items, Many):
            sources[op.name].took(len(taken))
        yield op, taken
        left -= len(taken)
        if left <= 0:
            return


def _in_turn(graph: Graph, sources: dict[str, Iterable[object]], whole: bool) -> Iterator[Bulk]:
    """As `merged`: one turn after the other, in lists where a source is alone."""
    for turn in turns(graph, sources):
        if len(turn) > 1:
            yield from ((op, [item]) for op, item in by_arrival(turn, sources))
        elif len(turn[0]) == 1 and turn[0][0].kind.heartbeats is None:
            op = turn[0][0]
            yield from ((op, items) for items in _lists(sources[op.name], whole))
        else:
            yield from ((op, [item]) for op, item in by_time(turn[0], sources))


def _lists(given: Iterable[object], whole: bool) -> Iterator[list]:
    if isinstance(given, Reading) and given.in_bulk:
        for piece in given.pieces(together=whole, least=rows_worth_columns()):
            yield from _parts(piece) if isinstance(piece, (Columns, Many)) else ([piece],)
    elif isinstance(given, list):
        yield from (given[start:start + MOST] for start in range(0, len(given), MOST))
    else:
        yield from ([item] for item in given)


def _parts(piece: Columns | Many) -> Iterator[Many]:
    return (Many(piece[start:start + MOST]) for start in range(0, len(piece), MOST))
