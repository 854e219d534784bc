"""The feed: all source tuples in the program's order, in columns where their sources give columns.

It gives pairs (source, item), and in their place, where many tuples are there at once, `Chunk`s.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from anabranch.engine.items import Columns, joined
from anabranch.engine.merging import Together, by_arrival, by_time, merged, turns
from anabranch.engine.multicore.by_time import can_merge, merged_columns
from anabranch.engine.multicore.inherited import Inherited
from anabranch.engine.multicore.slices import Batch
from anabranch.engine.reading import Many
from anabranch.ir.graph import Graph, Operator

Tuple = tuple[Operator, object]


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
        if stop - start == self.rows:
            return self
        return Chunk({queue: _between(batch, start, stop) for queue, batch in self.batches.items()},
                     stop - start)


def _between(batch: Batch, start: int, stop: int) -> Batch:
    if isinstance(batch.origins, range):
        return Batch(range(stop - start), batch.items[start:stop])
    first, last = np.searchsorted(batch.origins, [start, stop]).tolist()
    return Batch(batch.origins[first:last] - start, batch.items[first:last])


def in_one(chunks: Sequence[Chunk]) -> Chunk:
    """Several that follow each other as one.

    >>> one, other = Chunk({"a": Batch(range(1), "x")}, 1), Chunk({"b": Batch(range(1), "y")}, 1)
    >>> {queue: list(batch.origins) for queue, batch in in_one([one, other]).batches.items()}
    {'a': [0], 'b': [1]}
    """
    if len(chunks) == 1:
        return chunks[0]
    parts: dict[str, list[tuple[int, Batch]]] = {}
    rows = 0
    for chunk in chunks:
        for queue, batch in chunk.batches.items():
            parts.setdefault(queue, []).append((rows, batch))
        rows += chunk.rows
    return Chunk({queue: _followed(own, rows) for queue, own in parts.items()}, rows)


def _followed(parts: list[tuple[int, Batch]], rows: int) -> Batch:
    """Batches of chunks that begin at these places, of so many rows in all."""
    items = joined([batch.items for _, batch in parts]) if len(parts) > 1 else parts[0][1].items
    if len(items) == rows:
        return Batch(range(rows), items)
    origins = np.concatenate([begin + np.asarray(batch.origins, np.int64)
                              for begin, batch in parts])
    return Batch(origins if isinstance(items, Columns) else origins.tolist(), items)


def fed(graph: Graph, sources: dict[str, Iterable[object]], limit: int | None = None,
        lists: Mapping[str, list] = MappingProxyType({})) -> Iterator[Tuple | Chunk]:
    """The tuples of all sources, at most `limit` of them; those of sources that give these `lists`
    by their places."""
    if not any(getattr(given, "in_bulk", isinstance(given, list))
               for given in sources.values()):
        yield from merged(graph, sources, limit)
        return
    readings = {op.outputs[0]: sources[op.name] for op in graph.sources}
    yield from _counted(_limited(_in_turn(graph, sources, limit is None, lists), limit), readings)


def _counted(tuples: Iterator[Tuple | Chunk], readings: dict) -> Iterator[Tuple | Chunk]:
    for given in tuples:
        if isinstance(given, Chunk):
            for queue, batch in given.batches.items():
                if not isinstance(readings[queue], list):
                    readings[queue].took(len(batch.items))
        yield given


def _in_turn(graph: Graph, sources: dict[str, Iterable[object]], together: bool,
             lists: Mapping[str, list]) -> Iterator[Tuple | Chunk]:
    """As `merged`: one turn after the other, a source that is alone as a whole."""
    for turn in turns(graph, sources):
        if len(turn) > 1:
            yield from by_arrival(turn, sources)
        elif len(turn[0]) == 1:
            op = turn[0][0]
            yield from _whole(op, sources[op.name], together, lists.get(op.name))
        else:
            yield from _by_time(graph, turn[0], sources)


def _whole(op: Operator, given: Iterable[object], together: bool, known: list | None
           ) -> Iterator[Tuple | Chunk]:
    done = 0
    for piece in _pieces(given, together):
        if not isinstance(piece, (Columns, Many)):
            yield op, piece
            continue
        done += len(piece)
        if known is not None and isinstance(piece, Many):
            # What reads a list gives all of it from the beginning.
            piece = Inherited(op.name, known, done - len(piece), done)
        yield Chunk({op.outputs[0]: Batch(range(len(piece)), piece)}, len(piece))


def _pieces(given: Iterable[object], together: bool) -> Iterable[object]:
    if isinstance(given, list):
        return [Many(given)]
    return given.pieces(together) if getattr(given, "in_bulk", False) else given


def _by_time(graph: Graph, timed: Together, sources: dict) -> Iterator[Tuple | Chunk]:
    if not can_merge(graph, timed, sources):
        yield from by_time(timed, sources)
        return
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
