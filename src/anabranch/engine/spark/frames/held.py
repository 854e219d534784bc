"""Rows that wait for others in Spark's store, by the names of their columns.

A program that has changed may have other columns, or the same ones in another order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from anabranch.core.errors import RunError
from anabranch.core.source import Span

ANEW = "give the query another checkpointLocation, which begins anew"


@dataclass(frozen=True)
class HeldRows:
    """`names` has what the columns are called outside, where they travel by numbers."""

    names: Mapping[str, str]
    span: Span | None = None

    def saved(self, batch: pa.RecordBatch) -> bytes:
        names = [self.names.get(name, name) for name in batch.schema.names]
        return bytes_of(batch.rename_columns(names))

    def read(self, data: bytes, schema: pa.Schema) -> pa.RecordBatch:
        """The rows with the columns of those that come now."""
        given = batch_in(data)
        if given.schema.names == schema.names:
            return given
        columns = [self._column(given, own) for own in schema]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def _column(self, given: pa.RecordBatch, own: pa.Field) -> pa.Array:
        name = self.names.get(own.name, own.name)
        place = given.schema.get_field_index(name)
        if place >= 0 and given.schema.field(place).type == own.type:
            return given.column(place)
        if place < 0 and own.name not in self.names:
            # A path or a place in it that only the program as it is now needs: nothing had parted.
            return pa.array([0] * len(given), own.type)
        came = "no such column" if place < 0 else str(given.schema.field(place).type)
        raise RunError(f"the stream's checkpoint has rows that wait for others, and their '{name}' "
                       "is another one", self.span, expected=str(own.type), got=came,
                       help=f"take the column out of the record, or {ANEW}")


def bytes_of(batch: pa.RecordBatch) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    return out.getvalue().to_pybytes()


def batch_in(data: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(data) as stream:
        return stream.read_next_batch()
