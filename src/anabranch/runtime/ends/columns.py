"""All source tuples in the program's order, in columns where sources give them.

Sources that are merged by their times stay in columns, too: ties go by the order of the sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from anabranch.batch.fields import Unseen
from anabranch.batch.items import Columns, joined_later
from anabranch.batch.slices import Batch
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.ends import are_merged_in_columns
from anabranch.runtime.ends.merging import (
    Together,
    by_arrival,
    by_time,
    in_time_order,
    merged,
    turns,
)
from anabranch.runtime.ends.reading import Many, Reading


class Inherited(Unseen):
    """The items of the list of a source from one place to another.

    >>> items = Inherited("numbers", [7, 8, 9])
    >>> items[1:].place, list(items[1:])
    (('numbers', 1, 3), [8, 9])
    """

    def __init__(self, source: str, whole: list, start: int = 0, stop: int | None = None):
        self.source, self.whole, self.start = source, whole, start
        self.stop = len(whole) if stop is None else stop
        self.length = self.stop - self.start

    @property
    def place(self) -> tuple[str, int, int]:
        return self.source, self.start, self.stop

    def _made(self) -> list:
        return self.whole[self.start:self.stop]

    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, step = index.indices(self.length)
            if step == 1:
                return Inherited(self.source, self.whole, self.start + start,
                                 self.start + max(start, stop))
        return self.items[index]


def lists_of(items: Mapping[str, Iterable], sources: Iterable[str]) -> dict[str, list]:
    """The lists that some of these sources give, themselves or what reads them."""
    found = {name: getattr(getattr(items[name], "spec", None), "iterable", items[name])
             for name in sources}
    return {name: given for name, given in found.items() if type(given) is list}


Merged = dict[str, Batch]


class HeldColumns:
    """What is held of one source: columns that came and have not gone on yet."""

    def __init__(self, op: Operator, pieces: Iterator):
        self.op, self.pieces, self.item = op, pieces, None
        self.columns: Columns | None = None
        self.times = np.zeros(0)
        self.ended = False

    def fill(self) -> bool:
        """Gets columns if there are none; False when a single item came instead."""
        while not len(self.times) and not self.ended:
            piece = next(self.pieces, None)
            if piece is not None and not isinstance(piece, Columns):
                self.item = piece
                return False
            self.ended = piece is None
            self.columns = piece
            self.times = _times(piece, self.op.kind.time)
        return True

    @property
    def kind(self) -> pa.DataType | None:
        """What the times are that it holds; None if there are none."""
        return self.columns.schema.field(self.op.kind.time).type if len(self.times) else None

    def taken(self, count: int) -> Columns:
        gone = self.columns[:count]
        self.columns, self.times = self.columns[count:], self.times[count:]
        return gone

    def rest(self) -> Iterator[object]:
        """All that is still to come, one by one."""
        first = [] if self.item is None else [self.item]
        held = self.columns if len(self.times) else []
        return chain(held, first, chain.from_iterable(
            p if isinstance(p, Columns) else (p,) for p in self.pieces))


def can_merge(graph: Graph, timed: Sequence[Operator], sources: dict[str, Iterable]) -> bool:
    """Whether all sources give columns, with times that are numbers of one kind."""
    given = [sources[op.name] for op in timed]
    return are_merged_in_columns(graph, timed) and (
        all(isinstance(each, Reading) and each.has_columns for each in given))


def merged_columns(timed: Sequence[Operator], sources: dict) -> Iterator[Merged | tuple]:
    """Batches by queue, whose origins are the places among all their rows; when some source has
    no more columns, the pairs of a source and an item."""
    held = [HeldColumns(op, sources[op.name].pieces()) for op in timed]
    while all(h.fill() for h in held):
        if all(h.ended for h in held):
            return
        if len({h.kind for h in held} - {None}) > 1:
            # Only Python says that it does not compare wall-clock times with instants.
            break
        yield _released(held)
    yield from _one_by_one(held)


def _released(held: list[HeldColumns]) -> Merged:
    coming = [n for n, h in enumerate(held) if not h.ended]
    first = min(coming, key=lambda n: held[n].times[-1])
    horizon = held[first].times[-1]
    counts = [len(h.times) if n == first else
              int(np.searchsorted(h.times, horizon, "right" if n < first else "left"))
              for n, h in enumerate(held)]
    order = np.argsort(np.concatenate([h.times[:count] for h, count in zip(held, counts)
                                       if count]), kind="stable")
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    ends = np.cumsum(counts)
    return {h.op.outputs[0]: Batch(places[end - count:end], h.taken(count))
            for h, count, end in zip(held, counts, ends) if count}


def _one_by_one(held: list[HeldColumns]) -> Iterator[tuple[Operator, object]]:
    return in_time_order(map(_with_time, held))


def _with_time(held: HeldColumns) -> Iterator[tuple]:
    time = attrgetter(held.op.kind.time)
    return ((time(item), held.op, item) for item in held.rest())


def _times(columns: Columns | None, attribute: str) -> np.ndarray:
    return np.zeros(0) if columns is None else columns.column(attribute).to_numpy()


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
    given = [batch.items for _, batch in parts]
    items = joined_later(given) if len(parts) > 1 else given[0]
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
