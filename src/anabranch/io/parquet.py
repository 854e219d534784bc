"""Parquet, batch by batch: columns are found by name, others ignored, types checked beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.io.badrows import BadRows
from anabranch.io.batch_rows import decoder, rows_of, targets
from anabranch.io.columns import check_columns
from anabranch.io.columns_writer import BATCH
from anabranch.io.extracts import Extract, Names
from anabranch.io.files import FileSink, FileSource
from anabranch.io.parquet_columns import are_scalars, extracts
from anabranch.io.parquet_file import batches_of, opened, row_count, schema_of
from anabranch.io.parquet_writer import ParquetWriter
from anabranch.io.partitions import Fixed
from anabranch.io.rows import Row, TimeOrder, decoded
from anabranch.ir.types import Type
from anabranch.source import Span


@dataclass(frozen=True)
class ParquetSource(FileSource):
    format = "parquet"
    extensions = (".parquet",)

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, "a parquet file", self.span)

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return are_scalars(self.type) and not self.has_fixed

    def rows_about(self) -> int:
        return sum(row_count(file, self.span) for file in self.files())

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns of the declared types, of which those that are not `wanted` may stay
        unread; a `DataError` for any bad row. Arrow has threads of its own."""
        for file in self.files():
            yield from extracts(self.type, file, self.span, wanted)

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
    fixed = source.fixed(file)
    found = _rows(file, source.type, fixed, source.span, groups, shown_file or file)
    return decoded(found, decoder(source.type, fixed), order, rows)


def _rows(file: str, item: Type, fixed: Fixed, where: Span | None, groups: range | None,
          shown_file: str) -> Iterator[Row]:
    with opened(file, where) as found:
        columns = targets(schema_of(found), item, shown_file, fixed=fixed)
        groups = range(found.num_row_groups) if groups is None else groups
        done = sum(found.metadata.row_group(n).num_rows for n in range(groups.start))
        batches = batches_of(found, groups, list(columns), BATCH)
        yield from rows_of(batches, columns, shown_file, done)


@dataclass(frozen=True)
class ParquetSink(FileSink):
    format = "parquet"
    writer = ParquetWriter
