"""Parquet, batch by batch: columns are found by name, types checked beforehand.

Other columns are ignored. Items to be written are collected into groups of rows, which are written
at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.arrow.rows import BATCH, ColumnsWriter, items_of, targets
from anabranch.io.columns import check_columns
from anabranch.io.files.output import cannot_write
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import FileSource, estimated
from anabranch.io.formats import EXTENSIONS
from anabranch.io.parquet.columns import (
    are_scalars,
    batches_of,
    extracts,
    opened,
    row_count,
    schema_of,
)
from anabranch.io.parquet.groups import RowGroups
from anabranch.io.rows import BadRows, TimeOrder
from anabranch.io.writer import DECLARE

GROUP, GROUP_BYTES = 1 << 18, 1 << 26
"""A group of rows is written when it has so many rows, or takes so much memory."""


class ParquetWriter(ColumnsWriter):
    """Collects batches into groups of rows."""

    place = "a parquet file"
    what = "a Parquet file"
    in_threads = True
    groups: RowGroups | None = None
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
            self.groups.add(pa.Table.from_batches(map(self.fitted, self.batches), self.schema))
        self.batches, self.rows, self.bytes = [], 0, 0

    def _open(self) -> None:
        """Begins the file: what its columns hold, the first group of rows tells."""
        if self.groups is None:
            with self._reported():
                self.groups = self.started()
        elif not self.groups.schema.equals(self.schema):
            raise RunError(f"cannot write '{self.out.path}': instants come in a column that was "
                           "begun as one of wall-clock times", self.where,
                           help="its first rows have no time that tells")

    def started(self):
        """What writes tables of the schema."""
        return RowGroups(self.out.stream, self.schema, self.threads)

    def commit(self):
        if self.schema is None:
            self.abort()
            raise RunError(f"cannot write '{self.out.path}': {self.what} needs a schema, "
                           "and there is neither a type nor an item", self.where, help=DECLARE)
        self.flush_rows()
        if self.batches:
            self._flush()
        self._open()
        with self._reported():
            self.groups.close()
        super().commit()

    def abort(self):
        if self.groups is not None:
            self.groups.abort()
        super().abort()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise cannot_write(self.out.path, str(error), self.where) from error


@dataclass(frozen=True)
class ParquetSource(FileSource):
    format = "parquet"
    extensions = EXTENSIONS["parquet"]
    is_divisible = True
    is_text = False

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, "a parquet file", self.span)

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return are_scalars(self.type) and not self.has_fixed

    def rows_about(self) -> int:
        return estimated(lambda file: row_count(file, self.span), self.files())

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns of the declared types, of which those that are not `wanted` may stay
        unread; a `DataError` for any bad row."""
        return extracts(self.type, self.files(), self.span, wanted, threads=threads)

    def items(self, rows: BadRows) -> Iterator[object]:
        files = self.files()
        for file in files:
            with opened(file, self.span) as found:
                targets(schema_of(found), self.type, file, fixed=self.fixed(file))
        order = TimeOrder(self.time)
        for file in files:
            yield from _items(self, file, order, rows)


def group_sizes(file: str, where: Span | None) -> list[int]:
    """How many bytes each row group of a file takes."""
    with opened(file, where) as found:
        return [found.metadata.row_group(n).total_byte_size for n in range(found.num_row_groups)]


def read_groups(source: ParquetSource, path: str, groups: range, order: TimeOrder, rows: BadRows,
                shown_file: str) -> Iterator[object]:
    """The items of some row groups that follow each other."""
    return _items(source, path, order, rows, groups, shown_file)


def _items(source: ParquetSource, file: str, order: TimeOrder, rows: BadRows,
           groups: range | None = None, shown_file: str | None = None) -> Iterator[object]:
    fixed, shown_file = source.fixed(file), shown_file or file
    with opened(file, source.span) as found:
        columns = targets(schema_of(found), source.type, shown_file, fixed=fixed)
        groups = range(found.num_row_groups) if groups is None else groups
        done = sum(found.metadata.row_group(n).num_rows for n in range(groups.start))
        batches = batches_of(found, groups, list(columns), BATCH)
        yield from items_of(batches, columns, source.type, shown_file, order, rows, fixed, done)


@dataclass(frozen=True)
class ParquetSink(FileSink):
    format = "parquet"
    writer = ParquetWriter
    is_text = False
