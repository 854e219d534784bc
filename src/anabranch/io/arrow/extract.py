"""Rows of a source in columns, of which only some may have been read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pyarrow as pa

from anabranch.io.arrow.schema import batch_like, schema_of
from anabranch.io.columns import columns_of
from anabranch.ir.types import Type

Names = frozenset[str]


@dataclass(frozen=True)
class Extract:
    """Some rows: a batch whose columns in `read` hold their values, the others nothing. What is in
    those is well formed all the same, and `whole` reads it."""

    batch: pa.RecordBatch
    read: Names
    whole: Callable[[], pa.RecordBatch]

    @staticmethod
    def complete(batch: pa.RecordBatch) -> Extract:
        """Rows of which all was read."""
        return Extract(batch, frozenset(batch.schema.names), lambda: batch)


def with_nulls(arrays: Iterable[pa.Array | None], rows: int, item: Type) -> pa.RecordBatch:
    """A batch of these columns of a type, with nulls in those that are not there.

    >>> from anabranch.ir.types import INT
    >>> with_nulls([None], 2, INT).to_pydict()
    {'value': [None, None]}
    """
    schema = schema_of(columns_of(item))
    return batch_like(schema, [_nulls(rows, field.type) if array is None else array
                               for array, field in zip(arrays, schema)])


_nothing: dict[pa.DataType, pa.Array] = {}


def _nulls(rows: int, kind: pa.DataType) -> pa.Array:
    """So many nulls: of all batches the same, as it takes longer to make new ones than to read some
    columns."""
    found = _nothing.get(kind)
    if found is None or len(found) < rows:
        # Another thread may do the same, and forget this one.
        found = _nothing[kind] = pa.nulls(rows, kind)
    return found.slice(0, rows)
