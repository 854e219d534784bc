"""Parquet files: items are collected into groups of rows, which are written at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pyarrow as pa
from pyarrow import parquet

from anabranch.errors import RunError
from anabranch.io.columns_writer import ColumnsWriter
from anabranch.io.output import cannot_write
from anabranch.io.writer import DECLARE

GROUP, GROUP_BYTES = 1 << 18, 1 << 26
"""A group of rows is written when it has so many rows, or takes so much memory."""


def options(schema: pa.Schema) -> dict:
    """How a writer is to write columns: whole numbers and times as differences, floats byte by
    byte. A dictionary takes twice the time and room of the first, and of floats that are nearly
    all different ten times the time of the second.

    >>> options(pa.schema({"n": pa.int64(), "s": pa.string()}))
    {'use_dictionary': ['s'], 'column_encoding': {'n': 'DELTA_BINARY_PACKED'}}
    """
    if any(pa.types.is_nested(field.type) for field in schema):
        return {}
    encodings = {f.name: found for f in schema if (found := _encoding(f.type))}
    return {"use_dictionary": [name for name in schema.names if name not in encodings],
            "column_encoding": encodings}


def _encoding(kind: pa.DataType) -> str | None:
    if pa.types.is_int64(kind) or pa.types.is_timestamp(kind):
        return "DELTA_BINARY_PACKED"
    return "BYTE_STREAM_SPLIT" if pa.types.is_float64(kind) else None


class ParquetWriter(ColumnsWriter):
    """Collects batches into groups of rows."""

    place = "a parquet file"
    writer: parquet.ParquetWriter | None = None
    rows = bytes = 0

    def begin(self, item_type):
        self.batches: list[pa.RecordBatch] = []
        return super().begin(item_type)

    def add(self, batch):
        self.batches.append(batch)
        self.rows, self.bytes = self.rows + len(batch), self.bytes + batch.nbytes
        if self.rows >= GROUP or self.bytes >= GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        """Writes what is there as one group of rows; small groups would be slow to read."""
        self._open()
        with self._reported():
            self.writer.write_table(
                pa.Table.from_batches(map(self.fitted, self.batches), self.schema))
        self.batches, self.rows, self.bytes = [], 0, 0

    def _open(self) -> None:
        """Begins the file: what its columns hold, the first group of rows tells."""
        if self.writer is None:
            with self._reported():
                self.writer = parquet.ParquetWriter(self.out.stream, self.schema,
                                                    **options(self.schema))
        elif not self.writer.schema.equals(self.schema):
            raise RunError(f"cannot write '{self.out.path}': instants come in a column that was "
                           "begun as one of wall-clock times", self.where,
                           help="its first rows have no time that tells")

    def commit(self):
        if self.schema is None:
            self.abort()
            raise RunError(f"cannot write '{self.out.path}': a Parquet file needs a schema, and "
                           "there is neither a type nor an item", self.where, help=DECLARE)
        self.flush_rows()
        if self.batches:
            self._flush()
        self._open()
        with self._reported():
            self.writer.close()
        super().commit()

    def abort(self):
        with suppress(pa.ArrowException, OSError, ValueError):
            if self.writer is not None:
                self.writer.close()
        super().abort()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise cannot_write(self.out.path, str(error), self.where) from error
