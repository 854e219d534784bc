"""Arrow files (IPC, Feather): columns as they lie in memory, found by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import pyarrow as pa

from anabranch.core.errors import AnabranchError, RunError
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.arrow.rows import decoder, rows_of, targets
from anabranch.io.columns import check_columns
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource
from anabranch.io.parquet.columns import ColumnReading, are_scalars
from anabranch.io.parquet.files import ParquetWriter
from anabranch.io.rows import decoded

WHAT = "the Arrow file"
EXTENSIONS = (".arrow", ".feather", ".ipc")
BEGINNING = b"ARROW1"
"""Of a file; a stream of batches begins otherwise."""


@dataclass(frozen=True)
class ArrowFileSource(FileSource):
    format = "arrow"
    extensions = EXTENSIONS
    is_text = False
    in_threads = False

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, "an arrow file", self.span)

    def can_be_split(self, file):
        return False

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return are_scalars(self.type) and not self.has_fixed

    def rows_about(self) -> int:
        return sum(len(batch) for file in self.files() for batch in _batches(file, self.span))

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns of the declared types; a `DataError` for any bad row."""
        for file in self.files():
            for batch in _batches(file, self.span):
                columns = targets(batch.schema, self.type, file, WHAT)
                found = ColumnReading(columns).batch(batch, self.type, file)
                yield Extract.complete(found)

    def read(self, stream, file, order, rows, fixed=None):
        fixed = self.fixed(file) if fixed is None else fixed
        done, where = 0, getattr(stream, "name", file)
        for batch in _batches(where, self.span):
            columns = targets(batch.schema, self.type, file, WHAT, fixed)
            found = rows_of([batch.select(list(columns))], columns, file, done)
            yield from decoded(found, decoder(self.type, fixed), order, rows)
            done += len(batch)


def _batches(file: str, where: Span | None) -> Iterator[pa.RecordBatch]:
    """The batches of a file, or of a stream that was kept in one."""
    with _reported(file, where), pa.memory_map(file) as source:
        if source.read(len(BEGINNING)) == BEGINNING:
            reader = pa.ipc.open_file(source)
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            source.seek(0)
            yield from pa.ipc.open_stream(source)


@contextmanager
def _reported(file: str, where: Span | None) -> Iterator[None]:
    try:
        yield
    except AnabranchError:
        raise
    except (pa.ArrowException, OSError) as error:
        told = " ".join(str(error).split())
        raise RunError(f"cannot read '{file}' as an Arrow file: {told}", where) from error


class Tables:
    """The tables of a file that is written, as they come."""

    def __init__(self, file: pa.RecordBatchFileWriter, schema: pa.Schema):
        self.file, self.schema, self.add, self.close = file, schema, file.write_table, file.close

    def abort(self) -> None:
        with suppress(pa.ArrowException, OSError, ValueError):
            self.file.close()


class ArrowFileWriter(ParquetWriter):
    """Batches in one file."""

    place = "an arrow file"
    what = "an Arrow file"
    in_threads = False

    def started(self):
        return Tables(pa.ipc.new_file(self.out.stream, self.schema), self.schema)


@dataclass(frozen=True)
class ArrowFileSink(FileSink):
    format = "arrow"
    writer = ArrowFileWriter
    is_text = False
