"""The feed: all source tuples in the program's order, in columns where their sources give columns.

It gives pairs (source, item), and in their place, where many tuples are there at once, `Chunk`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from anabranch.engine.items import Columns
from anabranch.engine.multicore.by_time import can_merge, merged_columns
from anabranch.engine.multicore.inherited import Inherited
from anabranch.engine.multicore.slices import Batch
from anabranch.engine.reading import Many
from anabranch.engine.sequential import merged
from anabranch.ir.graph import Graph, Operator

Tuple = tuple[Operator, object]
LISTS = (list, Inherited)


@dataclass(frozen=True)
class Chunk:
    """Consecutive source tuples, in columns or lists: a batch for each queue, and how many there
    are."""

    batches: dict[str, Batch]
    rows: int

    @property
    def in_columns(self) -> bool:
        return any(isinstance(batch.items, Columns) for batch in self.batches.values())

    def part(self, start: int, stop: int) -> Chunk:
        """The tuples from one place to another."""
        return Chunk({queue: _between(batch, start, stop) for queue, batch in self.batches.items()},
                     stop - start)


def _between(batch: Batch, start: int, stop: int) -> Batch:
    if isinstance(batch.origins, range):
        return Batch(range(stop - start), batch.items[start:stop])
    first, last = np.searchsorted(batch.origins, [start, stop]).tolist()
    return Batch(batch.origins[first:last] - start, batch.items[first:last])


def fed(graph: Graph, sources: dict[str, Iterable[object]],
        limit: int | None = None) -> Iterator[Tuple | Chunk]:
    """The tuples of all sources, at most `limit` of them."""
    if not any(getattr(given, "in_bulk", isinstance(given, LISTS))
               for given in sources.values()):
        return islice(merged(graph, sources), limit)
    readings = {op.outputs[0]: sources[op.name] for op in graph.sources}
    return _counted(_limited(_in_turn(graph, sources, limit is None), limit), readings)


def _counted(tuples: Iterator[Tuple | Chunk], readings: dict) -> Iterator[Tuple | Chunk]:
    for given in tuples:
        if isinstance(given, Chunk):
            for queue, batch in given.batches.items():
                if not isinstance(readings[queue], LISTS):
                    readings[queue].took(len(batch.items))
        yield given


def _in_turn(graph: Graph, sources: dict[str, Iterable[object]], together: bool
             ) -> Iterator[Tuple | Chunk]:
    """As `merged`: sources with a time take the place of the first of them, others come whole."""
    timed = [op for op in graph.sources if op.kind.time]
    for op in graph.sources:
        if not op.kind.time or len(timed) == 1:
            yield from _whole(op, sources[op.name], together)
        elif op is timed[0]:
            yield from _by_time(timed, sources) if can_merge(graph, timed, sources) else (
                merged(graph.with_operators(timed), sources))


def _whole(op: Operator, given: Iterable[object], together: bool) -> Iterator[Tuple | Chunk]:
    if isinstance(given, LISTS):
        yield Chunk({op.outputs[0]: Batch(range(len(given)), given)}, len(given))
        return
    pieces = given.pieces(together) if getattr(given, "in_bulk", False) else given
    for piece in pieces:
        if isinstance(piece, (Columns, Many)):
            yield Chunk({op.outputs[0]: Batch(range(len(piece)), piece)}, len(piece))
        else:
            yield op, piece


def _by_time(timed: list[Operator], sources: dict) -> Iterator[Tuple | Chunk]:
    for given in merged_columns(timed, sources):
        yield given if isinstance(given, tuple) else (
            Chunk(given, sum(len(batch.items) for batch in given.values())))


def _limited(tuples: Iterator[Tuple | Chunk], limit: int | None) -> Iterator[Tuple | Chunk]:
    left = float("inf") if limit is None else limit
    if left <= 0:
        return
    for given in tuples:
        rows = given.rows if isinstance(given, Chunk) else 1
        yield given if rows <= left else given.part(0, left)
        left -= rows
        if left <= 0:
            return
