"""The source tuples in the program's order, in lists where many are there at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from anabranch.batch.items import Columns
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.ends import rows_worth_columns
from anabranch.runtime.ends.merging import by_arrival, by_time, turns
from anabranch.runtime.ends.reading import Many, Reading

MOST = 4096
"""So many tuples come together at most: their results are held as long."""

Bulk = tuple[Operator, list]


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
