"""The columns in which rows travel: their stamp, the queue they are on, and the item.

Rows of several queues travel in one DataFrame; each has values in the columns of its own queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.batch.items import Columns
from anabranch.batch.record_batch import batch_of, schema_for
from anabranch.core.errors import RunError
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.engine.spark.frames.plain import PlainColumns
from anabranch.io.arrow.schema import INSTANT, WALL_CLOCK
from anabranch.io.columns import columns_of
from anabranch.ir.types import Type

QUEUE = "q"
MARK = -1
"""The number of no queue: of a row that is there so that a task runs."""


@dataclass(frozen=True)
class Layout:
    """All columns that rows of a program may have. `origin` are those that the source gave, with
    their Arrow types; `instants` says which columns of times hold instants, by the field's name,
    and `instant` whether others do; `plain` are the queues whose items Spark gives or takes."""

    ends: tuple[str, ...]
    origin: tuple[tuple[str, pa.DataType], ...]
    depth: int
    types: Mapping[str, Type]
    hashed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    instants: Mapping[str, bool] = field(default_factory=dict)
    instant: bool = True
    plain: Mapping[str, PlainColumns] = field(default_factory=dict)

    @once
    def numbers(self) -> dict[str, int]:
        return {queue: number for number, queue in enumerate(self.types)}

    @once
    def end_names(self) -> list[str]:
        return [f"e{n}" for n in range(len(self.ends))]

    @once
    def origin_names(self) -> list[str]:
        return [name for name, _ in self.origin]

    @once
    def path_names(self) -> list[str]:
        return [f"p{n}" for n in range(self.depth)]

    @property
    def group_names(self) -> list[str]:
        """The columns that are the same for all that comes of one source tuple, in their order."""
        return [*self.end_names, *self.origin_names]

    def item_names(self, queue: str) -> list[str]:
        return [f"v{self.numbers[queue]}_{n}" for n in range(len(columns_of(self.types[queue])))]

    def key_names(self, queue: str, key: Sequence[str]) -> list[str]:
        """The columns that tell the key."""
        if queue in self.hashed:
            return [self.hash_name(queue)]
        names = list(columns_of(self.types[queue]))
        return [self.item_names(queue)[names.index(attribute)] for attribute in key]

    def hash_name(self, queue: str) -> str:
        return f"h{self.numbers[queue]}"

    def item_fields(self, queue: str) -> list[pa.Field]:
        kinds = self.schema_of(queue)
        fields = [pa.field(name, own.type) for name, own in zip(self.item_names(queue), kinds)]
        hashes = [pa.field(self.hash_name(queue), pa.int64())] if queue in self.hashed else []
        return [*fields, *hashes]

    def schema_of(self, queue: str) -> pa.Schema:
        """The columns of the items by their own names."""
        schema = schema_for(self.types[queue])
        plain = self.plain[queue].types if queue in self.plain else {}
        return pa.schema([own.with_type(self._timed(plain.get(own.name, own.type), own.name))
                          for own in schema])

    def _timed(self, kind: pa.DataType, name: str) -> pa.DataType:
        """The type with times as instants, or as wall-clock times."""
        if pa.types.is_timestamp(kind):
            return INSTANT if self.instants.get(name, self.instant) else WALL_CLOCK
        if pa.types.is_list(kind):
            return pa.list_(kind.value_field.with_type(self._timed(kind.value_type, name)))
        if pa.types.is_map(kind):
            item = kind.item_field.with_type(self._timed(kind.item_type, name))
            return pa.map_(self._timed(kind.key_type, name), item)
        if pa.types.is_struct(kind):
            inner = map(kind.field, range(kind.num_fields))
            return pa.struct([own.with_type(self._timed(own.type, own.name)) for own in inner])
        return kind

    @once
    def stamp_fields(self) -> list[pa.Field]:
        whole = [pa.field(name, pa.int64()) for name in (*self.end_names, *self.path_names)]
        ends, path = whole[:len(self.ends)], whole[len(self.ends):]
        return [*ends, *(pa.field(name, kind) for name, kind in self.origin), *path]

    def schema(self, queues: Sequence[str], marked: bool = False) -> pa.Schema:
        """The columns of rows that are on one of these queues."""
        numbered = [pa.field(QUEUE, pa.int64())] if len(queues) != 1 or marked else []
        return pa.schema([*self.stamp_fields, *numbered,
                          *(own for queue in queues for own in self.item_fields(queue))])


def items_in(layout: Layout, queue: str, batch: pa.RecordBatch) -> Sequence:
    """The items of a batch whose rows are all on one queue."""
    schema = layout.schema_of(queue)
    arrays = [_as_held(batch.column(name), own.type)
              for name, own in zip(layout.item_names(queue), schema)]
    if queue in layout.plain:
        return layout.plain[queue].items(arrays, layout.types[queue])
    return Columns(pa.RecordBatch.from_arrays(arrays, schema=schema), layout.types[queue])


def _as_held(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """The column as Python's side holds it: instants are in UTC there."""
    return column if column.type == kind else column.cast(kind)


def columns_out(layout: Layout, queue: str, items: Sequence, where: Span | None) -> list[pa.Array]:
    """The columns of items that leave on a queue."""
    kind = layout.types[queue]
    if queue in layout.plain:
        schema = layout.schema_of(queue)
        return [_as_sent(column, own, where) for column, own in
                zip(layout.plain[queue].arrays(items, kind, where), schema)]
    batch = items.batch if isinstance(items, Columns) and items.type == kind else batch_of(
        items, kind, where)
    return [_as_sent(batch.column(own.name), own, where) for own in layout.schema_of(queue)]


def _as_sent(column: pa.Array, own: pa.Field, where: Span | None) -> pa.Array:
    if column.type == own.type:
        return column
    if _zones(column.type) != _zones(own.type) and column.null_count < len(column):
        kinds = {True: "times with a zone", False: "times without one"}
        raise RunError(f"the column '{own.name}' cannot hold these times", where,
                       expected=kinds[True in _zones(own.type)],
                       got=kinds[True in _zones(column.type)],
                       help="to_spark(times=...) says which a new column has: \"instants\" or "
                            "\"wall clock\"")
    return column.cast(own.type)


def _zones(kind: pa.DataType) -> set[bool]:
    """Whether times in it have a zone; of several, both."""
    if pa.types.is_timestamp(kind):
        return {kind.tz is not None}
    return {zone for n in range(kind.num_fields) for zone in _zones(kind.field(n).type)}


def same_as_before(column: pa.Array) -> np.ndarray:
    """For each row but the first, whether it has the value of the row before; nulls are equal, and
    so are NaNs, between which Spark's sort sees no difference.

    >>> same_as_before(pa.array([1, 1, None, None, 2])).tolist()
    [True, False, True, False]
    >>> same_as_before(pa.array([1.0, float("nan"), float("nan")])).tolist()
    [False, True]
    """
    here, before = column[1:], column[:-1]
    nulls = pc.and_(here.is_null(), before.is_null())
    same = pc.or_(pc.fill_null(pc.equal(here, before), False), nulls)
    if pa.types.is_floating(column.type):
        same = pc.or_(same, pc.fill_null(pc.and_(here.is_nan(), before.is_nan()), False))
    return same.to_numpy(zero_copy_only=False)
