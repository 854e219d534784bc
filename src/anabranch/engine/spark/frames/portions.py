"""Portions of sorted rows: all rows of a source tuple are in one of them.

A portion has the columns of its rows' stamps, and by queue the items, with the row of the portion
that each has its stamp from, and its path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.core.errors import DataError
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.engine.spark.frames.layout import (
    MARK,
    QUEUE,
    Layout,
    columns_out,
    items_in,
    same_as_before,
)
from anabranch.engine.spark.job.buckets import bucket_of_key
from anabranch.ir.operators import key_function


class Bundle(NamedTuple):
    """Items of one queue, in order: the row of each in the portion's stamps, and its path."""

    rows: np.ndarray
    path: np.ndarray
    items: Sequence

    def taken(self, places: np.ndarray) -> Bundle:
        items = self.items.taken(places) if hasattr(self.items, "taken") else \
            [self.items[place] for place in places.tolist()]
        return Bundle(self.rows[places], self.path[places], items)


@dataclass
class Portion:
    """`stamps` has the columns that say what rows come from, `bundles` the items by queue."""

    layout: Layout
    stamps: pa.RecordBatch
    bundles: dict[str, Bundle]

    @once
    def groups(self) -> np.ndarray:
        """For each row of the stamps the number of its source tuple, in order."""
        return groups_of(self.stamps, self.layout.group_names)

    def bundle(self, queue: str) -> Bundle:
        found = self.bundles.get(queue)
        return found if found is not None else Bundle(
            np.zeros(0, np.int64), np.zeros((0, self.layout.depth), np.int64), [])


def groups_of(batch: pa.RecordBatch, names: Iterable[str]) -> np.ndarray:
    """The number of the run of equal values that each row belongs to."""
    if not len(batch):
        return np.zeros(0, np.int64)
    same = np.ones(len(batch) - 1, bool)
    for name in names:
        same &= same_as_before(batch.column(name))
    return np.concatenate([[0], np.cumsum(~same)])


def in_groups(batches: Iterable[pa.RecordBatch], names: list[str]) -> Iterator[pa.RecordBatch]:
    """Sorted rows as batches that end where a source tuple does."""
    held: list[pa.RecordBatch] = []
    for batch in batches:
        if not len(batch):
            continue
        starts = np.flatnonzero(np.diff(groups_of(batch, names))) + 1
        joins = bool(held) and _continues(held[-1], batch, names)
        cut = int(starts[-1]) if len(starts) else 0
        if cut or not joins:
            if held and not joins:
                yield pa.concat_batches(held)
                held = []
            if cut:
                yield pa.concat_batches([*held, batch.slice(0, cut)])
                held = []
        held.append(batch.slice(cut))
    if held:
        yield pa.concat_batches(held)


def _continues(before: pa.RecordBatch, batch: pa.RecordBatch, names: list[str]) -> bool:
    seam = pa.concat_batches([before.slice(len(before) - 1), batch.slice(0, 1)])
    return groups_of(seam, names)[-1] == 0


def portion_of(layout: Layout, queues: Sequence[str], batch: pa.RecordBatch, is_sorted: bool
             ) -> Portion:
    """A batch that has come, by queue."""
    stamps = batch.select(layout.group_names)
    rows, path = np.arange(len(batch)), path_of(layout, batch)
    portion = Portion(layout, stamps, {})
    if QUEUE not in batch.schema.names:
        portion.bundles[queues[0]] = Bundle(rows, path, items_in(layout, queues[0], batch))
    else:
        of = batch.column(QUEUE).to_numpy(zero_copy_only=False)
        for queue in queues:
            own = np.flatnonzero(of == layout.numbers[queue])
            if len(own):
                part = batch.take(pa.array(own))
                portion.bundles[queue] = Bundle(own, path[own], items_in(layout, queue, part))
    if is_sorted:
        portion.bundles = {q: _by_path(portion, bundle) for q, bundle in portion.bundles.items()}
    return portion


def path_of(layout: Layout, batch: pa.RecordBatch) -> np.ndarray:
    if not layout.depth:
        return np.zeros((len(batch), 0), np.int64)
    return np.column_stack([batch.column(name).fill_null(0).to_numpy()
                            for name in layout.path_names])


def _by_path(portion: Portion, bundle: Bundle) -> Bundle:
    """What comes of one source tuple in the order of the path: Spark has sorted source tuples."""
    groups = portion.groups[bundle.rows]
    if not bundle.path.shape[1] or not (np.diff(groups) == 0).any():
        return bundle
    return bundle.taken(in_order(groups, bundle.path))


def in_order(groups: np.ndarray, path: np.ndarray) -> np.ndarray:
    """The places of rows by group, then by path; what is equal stays as it was."""
    return np.lexsort([*path.T[::-1], groups])


def merged(portion: Portion, queues: Sequence[str]) -> tuple[Bundle, list[int] | None]:
    """What comes to the ports of a stage, in order, and the port of each item: of one source tuple
    the first port goes first."""
    bundles = [portion.bundle(queue) for queue in queues]
    if len(bundles) == 1:
        return bundles[0], None
    rows = np.concatenate([bundle.rows for bundle in bundles])
    ports = np.repeat(np.arange(len(bundles)), [len(bundle.rows) for bundle in bundles])
    path = np.concatenate([bundle.path for bundle in bundles])
    # Where ports meet a path has room for one number more.
    path = np.column_stack([ports, path[:, :-1]]).astype(np.int64)
    places = in_order(portion.groups[rows], path)
    items = [item for bundle in bundles for item in bundle.items]
    whole = Bundle(rows, path, items).taken(places)
    return whole, ports[places].tolist()


def batches_out(portion: Portion, queues: Sequence[str], where: Mapping[str, Span | None]
                ) -> Iterator[pa.RecordBatch]:
    """The rows that leave, queue by queue."""
    layout = portion.layout
    schema = layout.schema(queues)
    for queue in queues:
        bundle = portion.bundle(queue)
        count = len(bundle.rows)
        if not count:
            continue
        known = dict(zip(layout.path_names, map(pa.array, bundle.path.T)))
        known |= zip(layout.group_names, _stamps(portion.stamps, bundle.rows).columns)
        items = columns_out(layout, queue, bundle.items, where.get(queue))
        known |= zip(layout.item_names(queue), items)
        known[QUEUE] = pa.array(np.full(count, layout.numbers[queue]))
        if queue in layout.hashed:
            known[layout.hash_name(queue)] = _hashes(layout.hashed[queue], bundle.items)
        yield pa.RecordBatch.from_arrays(
            [known.get(own.name, _none(own, count)) for own in schema], schema=schema)


def _none(own: pa.Field, count: int) -> pa.Array:
    return pa.nulls(count, own.type)


def _stamps(stamps: pa.RecordBatch, rows: np.ndarray) -> pa.RecordBatch:
    if len(rows) == len(stamps) and (not len(rows) or (np.diff(rows) == 1).all()):
        return stamps
    return stamps.take(pa.array(rows))


HASHES = 1 << 31


def _hashes(key: Sequence[str], items: Sequence) -> pa.Array:
    """Numbers that are equal where keys are, for keys of any type."""
    key_of = key_function(key)

    def hashed(item: object) -> int:
        try:
            return bucket_of_key(key_of(item), HASHES)
        except Exception:
            # Of an item without the key the operator will say better what is wrong with it.
            return 0
    return pa.array([hashed(item) for item in items], pa.int64())


def check_apart(portion: Portion, queue: str, batch: pa.RecordBatch, keys: Sequence[str],
                order: Sequence[str], where: Span | None) -> None:
    """Refuses rows of one key that the order does not tell apart."""
    bundle = portion.bundle(queue)
    groups = portion.groups[bundle.rows]
    same = (np.diff(groups) == 0) & (np.diff(bundle.path, axis=0) == 0).all(axis=1)
    if not same.any():
        return
    runs = np.concatenate([[0], np.cumsum(~same)])
    alike = np.concatenate([same, [False]]) | np.concatenate([[False], same])
    places = np.flatnonzero(alike)
    rows = batch.select(list(keys)).take(pa.array(bundle.rows[places]))
    codes = [runs[places], *(_codes(column) for column in rows.columns)]
    _, firsts, counts = np.unique(np.column_stack(codes), axis=0, return_index=True,
                                  return_counts=True)
    if (counts > 1).any():
        first = int(places[firsts[counts > 1].min()])
        raise same_place(portion, bundle, first, order, where)


def _codes(column: pa.Array) -> np.ndarray:
    return column.dictionary_encode("encode").indices.to_numpy()


def same_place(portion: Portion, bundle: Bundle, first: int, order: Sequence[str],
               where: Span | None) -> DataError:
    row = int(bundle.rows[first])
    values = [portion.stamps.column(name)[row].as_py() for name in portion.layout.origin_names]
    shown = ", ".join(str(value) for value in values if value is not None)
    return DataError("several rows have the same place in the order, and one state sees them",
                     where, expected=f"rows that ({', '.join(order)}) tells apart",
                     got=f"({shown}), as of {bundle.items[first]!r}",
                     help="give order= one column more, by which they differ")


def without_marks(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch without the rows that are on no queue."""
    if QUEUE not in batch.schema.names:
        return batch
    return batch.filter(pc.not_equal(batch.column(QUEUE), MARK))
