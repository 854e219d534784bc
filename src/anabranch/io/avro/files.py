"""Avro container files, as sources and sinks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import ClassVar
from uuid import UUID

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import RunError, UsageError
from anabranch.core.extras import advice
from anabranch.core.source import Span
from anabranch.io.arrow.files import ArrowFileSource, reported
from anabranch.io.avro.schema import SINGLE, arrow_schema, avro_schema
from anabranch.io.columns import check_columns
from anabranch.io.files.paths import opened
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource
from anabranch.io.formats import EXTENSIONS
from anabranch.io.parquet.files import ParquetWriter

WHAT = "an Avro file"
ROWS = 16_384
"""So many rows of a file become columns together."""


def fastavro(where: Span | None) -> ModuleType:
    """The package that decodes Avro, or an error that says how to install it."""
    try:
        import fastavro
    except ImportError as error:
        raise UsageError("Avro files need one more package", where, got=str(error),
                         help=advice(error.name)) from None
    return fastavro


@dataclass(frozen=True)
class AvroSource(ArrowFileSource):
    what: ClassVar[str] = "the Avro file"
    format = "avro"
    extensions = EXTENSIONS["avro"]

    def __post_init__(self):
        FileSource.__post_init__(self)
        check_columns(self.type, "an avro file", self.span)
        fastavro(self.span)

    def batches(self, file: str) -> Iterator[pa.RecordBatch]:
        with reported(file, self.span, WHAT), opened(file) as stream:
            reader = fastavro(self.span).reader(stream)
            schema = arrow_schema(reader.writer_schema)
            made = pa.struct(list(schema))
            is_whole = isinstance(reader.writer_schema, dict) and (
                reader.writer_schema["type"] == "record")
            rows = (_fitted(row if is_whole else {SINGLE: row}, made) for row in reader)
            while some := list(islice(rows, ROWS)):
                yield pa.RecordBatch.from_pylist(some, schema)
            # What is empty has columns too, which are looked at.
            yield pa.RecordBatch.from_pylist([], schema)


def _fitted(value: object, kind: pa.DataType) -> object:
    """A value as Arrow takes it for a type: texts for UUIDs, nothing where there is no type."""
    if value is None or arrow.is_null(kind):
        return None
    if arrow.is_struct(kind):
        return {field.name: _fitted(value[field.name], field.type) for field in kind}
    if arrow.is_list(kind):
        return [_fitted(each, kind.value_type) for each in value]
    if arrow.is_map(kind):
        return [(name, _fitted(each, kind.item_type)) for name, each in value.items()]
    return str(value) if isinstance(value, UUID) else value


class AvroBlocks:
    """The blocks of a file that is written, as their rows come."""

    def __init__(self, stream: object, schema: pa.Schema, where: Span | None):
        from importlib import import_module

        fastavro(where)
        self.schema = schema
        self.file = import_module("fastavro.write").Writer(stream, avro_schema(schema), "deflate")

    def add(self, table: pa.Table) -> None:
        for row in table.to_pylist(maps_as_pydicts="lossy"):
            self.file.write(row)

    def close(self) -> None:
        self.file.flush()

    def abort(self) -> None:
        """What was written goes away with its file."""


class AvroWriter(ParquetWriter):
    """Rows in one container file."""

    place = "an avro file"
    what = WHAT
    in_threads = False

    def started(self):
        try:
            return AvroBlocks(self.out.stream, self.schema, self.where)
        except RunError:
            # A schema that Avro has not: nothing will be written.
            self.abort()
            raise


@dataclass(frozen=True)
class AvroSink(FileSink):
    format = "avro"
    writer = AvroWriter
    is_text = False

    def __post_init__(self):
        super().__post_init__()
        fastavro(self.span)
