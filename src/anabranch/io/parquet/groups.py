"""The row groups of a file that is written: several threads encode them, in order."""

from __future__ import annotations

from contextlib import suppress
from typing import BinaryIO

import pyarrow as pa

from anabranch.core.lazy import parquet
from anabranch.io.ahead import WorkAhead
from anabranch.io.parquet.footer import MAGIC, Encoded, Structure, whole_footer


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


class RowGroups:
    """Tables as the row groups of a file. The second one shows that there are several; from then on
    so many `threads` encode them, if more than one."""

    def __init__(self, out: BinaryIO, schema: pa.Schema, threads: int):
        self.out, self.schema, self.threads = out, schema, threads
        self.first: pa.Table | None = None
        self.file: parquet.ParquetWriter | None = None
        self.ahead: WorkAhead[Encoded] | None = None
        self.place = self.rows = 0
        self.footer: Structure = []
        self.groups: list[Structure] = []

    def add(self, table: pa.Table) -> None:
        if self.threads == 1:
            self._whole_file().write_table(table)
        elif self.ahead is None and self.first is None:
            self.first = table
        else:
            self._add_ahead(table)

    def close(self) -> None:
        if self.ahead is None:
            file = self._whole_file()
            if self.first is not None:
                file.write_table(self.first)
            file.close()
            return
        while len(self.ahead):
            self._put()
        self._stop()
        self.out.write(whole_footer(self.footer, self.rows, self.groups))

    def abort(self) -> None:
        """Ends what is under way; the file is of no use."""
        self._stop()
        if self.file is not None:
            with suppress(pa.ArrowException, OSError, ValueError):
                self.file.close()

    def _whole_file(self) -> parquet.ParquetWriter:
        if self.file is None:
            self.file = parquet.ParquetWriter(self.out, self.schema, **options(self.schema))
        return self.file

    def _add_ahead(self, table: pa.Table) -> None:
        if self.ahead is None:
            self.ahead = WorkAhead(self.threads, "encoder")
            self.ahead.add(_encoded, self.first, self.schema)
            self.first = None
        self.ahead.add(_encoded, table, self.schema)
        while self.ahead.is_ready or not self.ahead.has_room:
            self._put()

    def _put(self) -> None:
        """Writes the next group, which is encoded by then."""
        encoded = self.ahead.next()
        if not self.groups:
            self.out.write(MAGIC)
            self.place, self.footer = len(MAGIC), encoded.footer
        self.groups += encoded.groups(self.place, len(self.groups))
        self.out.write(encoded.body)
        self.place += len(encoded.body)
        self.rows += encoded.rows

    def _stop(self) -> None:
        if self.ahead is not None:
            self.ahead.close()


def _encoded(table: pa.Table, schema: pa.Schema) -> Encoded:
    """One row group as a file of its own, in memory."""
    stream = pa.BufferOutputStream()
    with parquet.ParquetWriter(stream, schema, **options(schema)) as file:
        file.write_table(table)
    return Encoded.of(memoryview(stream.getvalue()))
