"""What writers of columns have in common: items are collected until they are worth a batch."""

from __future__ import annotations

from typing import ClassVar

import pyarrow as pa

from anabranch.errors import RunError
from anabranch.io.arrow import schema_of
from anabranch.io.columns import check_columns, columns_encoder, columns_of
from anabranch.io.encoding import Encoder, native_encoder
from anabranch.io.writer import DECLARE, Writer
from anabranch.ir.types import Type

BATCH = 8192


class ColumnsWriter(Writer):
    """Makes batches of single items; without any item and without a type there is no schema.

    A subclass says in `add` where batches go.
    """

    place: ClassVar[str]
    schema: pa.Schema | None = None

    def begin(self, item_type: Type) -> Encoder:
        check_columns(item_type, self.place, self.where)
        self.schema = self._schema(item_type)
        self.held: list[list] = []
        return columns_encoder(item_type, native_encoder)

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes a batch of the schema."""
        raise NotImplementedError

    def put(self, encoded: list) -> None:
        self.held.append(encoded)
        if len(self.held) == BATCH:
            self.flush_rows()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Rows that are in columns already."""
        self.flush_rows()
        self.add(batch if batch.schema.equals(self.schema) else batch.cast(self.schema))

    def flush_rows(self) -> None:
        if self.held:
            arrays = [pa.array(values, field.type)
                      for values, field in zip(zip(*self.held), self.schema)]
            self.held = []
            self.add(pa.RecordBatch.from_arrays(arrays, schema=self.schema))

    def _schema(self, item_type: Type) -> pa.Schema:
        try:
            return schema_of(columns_of(item_type))
        except RunError as error:
            error.where, error.help = self.where, DECLARE
            raise
