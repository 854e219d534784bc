"""Several sources merged by their times, in columns: ties go by the order of the sources.

Of every source some rows are held. All that is not later than the earliest of their last times can
go; of later sources, only what is earlier than it, as more may come with the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns, has_columns
from anabranch.engine.merging import in_time_order
from anabranch.engine.multicore.slices import Batch
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, fields_of

Merged = dict[str, Batch]


class Held:
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
    kinds = {(fields_of(graph.output_types(op)[0]) or {}).get(op.kind.time) for op in timed}
    return (len(kinds) == 1 and kinds <= {INT, FLOAT, TIMESTAMP}
            and all(getattr(sources[op.name], "has_columns", False) for op in timed)
            and all(has_columns(graph.output_types(op)[0]) for op in timed))


def merged_columns(timed: Sequence[Operator], sources: dict) -> Iterator[Merged | tuple]:
    """Batches by queue, whose origins are the places among all their rows; when some source has
    no more columns, the pairs of a source and an item."""
    held = [Held(op, sources[op.name].pieces()) for op in timed]
    while all(h.fill() for h in held):
        if all(h.ended for h in held):
            return
        if len({h.kind for h in held} - {None}) > 1:
            # Only Python says that it does not compare wall-clock times with instants.
            break
        yield _released(held)
    yield from _one_by_one(held)


def _released(held: list[Held]) -> Merged:
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


def _one_by_one(held: list[Held]) -> Iterator[tuple[Operator, object]]:
    return in_time_order(map(_with_time, held))


def _with_time(held: Held) -> Iterator[tuple]:
    time = attrgetter(held.op.kind.time)
    return ((time(item), held.op, item) for item in held.rest())


def _times(columns: Columns | None, attribute: str) -> np.ndarray:
    return np.zeros(0) if columns is None else columns.column(attribute).to_numpy()
