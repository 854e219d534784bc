"""Arrow files (IPC, Feather): columns as they lie in memory, found by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import AnabranchError, RunError
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.arrow.rows import Targets, items_of, targets
from anabranch.io.columns import check_columns
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import NONE, FileSource, Fixed, estimated
from anabranch.io.files.stores import opened_anywhere
from anabranch.io.formats import EXTENSIONS
from anabranch.io.parquet.columns import ColumnReading, are_scalars, told
from anabranch.io.parquet.files import ParquetWriter

WHAT = "the Arrow file"
BEGINNING = b"ARROW1"
"""Of a file; a stream of batches begins otherwise."""
DAMAGED = "it is damaged, or no {what}: write it again, or take it out of the input"


@dataclass(frozen=True)
class ArrowFileSource(FileSource):
    what: ClassVar[str] = WHAT
    format = "arrow"
    extensions = EXTENSIONS["arrow"]
    is_text = False
    in_threads = False

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, "an arrow file", self.span)

    def batches(self, file: str) -> Iterator[pa.RecordBatch]:
        return batches(file, self.span)

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return are_scalars(self.type) and not self.has_fixed

    def rows_about(self) -> int:
        return estimated(lambda file: sum(map(len, self.batches(file))), self.files())

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns of the declared types; a `DataError` for any bad row."""
        for file in self.files():
            for batch, columns in self._columns(file, file, NONE):
                yield Extract.complete(ColumnReading(columns).batch(batch, self.type, file))

    def read(self, stream, file, order, rows, fixed=None):
        fixed = self.fixed(file) if fixed is None else fixed
        done, where = 0, getattr(stream, "name", file)
        for batch, columns in self._columns(where, file, fixed):
            yield from items_of([batch], columns, self.type, file, order, rows, fixed, done)
            done += len(batch)

    def _columns(self, file: str, shown_file: str, fixed: Fixed
                 ) -> Iterator[tuple[pa.RecordBatch, Targets]]:
        """The batches of a file, of which every column that is read lies as it should, with the
        types to cast these columns to."""
        for batch in self.batches(file):
            columns = targets(batch.schema, self.type, shown_file, self.what, fixed)
            read = batch.select(list(columns))
            with reported(file, self.span):
                _check_layout(read)
            yield read, columns


def batches(file: str, where: Span | None) -> Iterator[pa.RecordBatch]:
    """The batches of a file, or of a stream that was kept in one."""
    # Not mapped into memory: who makes the file shorter meanwhile would end this process.
    with reported(file, where), _opened(file) as source:
        if source.read(len(BEGINNING)) == BEGINNING:
            reader = pa.ipc.open_file(source)
            yield from map(reader.get_batch, range(reader.num_record_batches))
        else:
            source.seek(0)
            yield from pa.ipc.open_stream(source)


@contextmanager
def _opened(file: str) -> Iterator[pa.NativeFile]:
    with opened_anywhere(file) as found:
        if not isinstance(found, str):
            yield found
            return
        with pa.OSFile(found) as source:
            yield source


def _check_layout(batch: pa.RecordBatch) -> None:
    """Refuses columns whose places point out of them: Arrow believes a file, and would read from
    anywhere. What is wrong with a text is a matter of its row."""
    for column in batch.columns:
        column.view(_bytes_for_texts(column.type)).validate(full=True)


def _bytes_for_texts(kind: pa.DataType) -> pa.DataType:
    """The type of the same layout in which no text has to be UTF-8.

    >>> str(_bytes_for_texts(pa.list_(pa.struct({"name": pa.string(), "n": pa.int64()}))))
    'list<item: struct<name: binary, n: int64>>'
    """
    if arrow.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _bytes_for_texts(kind.value_type), kind.ordered)
    if arrow.is_struct(kind):
        return pa.struct([f.with_type(_bytes_for_texts(f.type)) for f in kind])
    for is_list, make in _LISTS:
        if is_list(kind):
            return make(kind.value_field.with_type(_bytes_for_texts(kind.value_type)))
    return _BYTES.get(kind, kind)


_BYTES = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(),
          pa.string_view(): pa.binary_view()}
_LISTS = ((arrow.is_list, pa.list_), (arrow.is_large_list, pa.large_list))


@contextmanager
def reported(file: str, where: Span | None, what: str = "an Arrow file") -> Iterator[None]:
    damaged = DAMAGED.format(what=what.removeprefix("an "))
    try:
        yield
    except AnabranchError:
        raise
    except OSError as error:
        raise RunError(f"cannot read '{file}' as {what}: {told(error)}", where,
                       help=None if error.errno else damaged) from error
    except Exception as error:
        # A damaged file may have Arrow raise anything, as for names that are no UTF-8.
        raise RunError(f"cannot read '{file}' as {what}: {told(error)}", where,
                       help=damaged) from error


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
