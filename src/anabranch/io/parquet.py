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
from anabranch.io.parquet_file import opened, row_count
from anabranch.io.parquet_writer import ParquetWriter
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
        return are_scalars(self.type)

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
                targets(found.schema_arrow, self.type, file)
        order, decode = TimeOrder(self.time), decoder(self.type)
        for file in files:
            yield from decoded(_rows(file, self.type, self.span), decode, order, rows)


def group_sizes(file: str, where: Span | None) -> list[int]:
    """How many bytes each row group of a file takes."""
    with opened(file, where) as found:
        return [found.metadata.row_group(n).total_byte_size for n in range(found.num_row_groups)]


def read_groups(source: ParquetSource, path: str, groups: range, order: TimeOrder, rows: BadRows,
                shown_file: str) -> Iterator[object]:
    """The items of some row groups that follow each other."""
    found = _rows(path, source.type, source.span, groups, shown_file)
    return decoded(found, decoder(source.type), order, rows)


def _rows(file: str, item: Type, where: Span | None, groups: range | None = None,
          shown_file: str | None = None) -> Iterator[Row]:
    shown_file = shown_file or file
    with opened(file, where) as found:
        columns = targets(found.schema_arrow, item, shown_file)
        groups = range(found.num_row_groups) if groups is None else groups
        done = sum(found.metadata.row_group(n).num_rows for n in range(groups.start))
        batches = found.iter_batches(BATCH, row_groups=list(groups), columns=list(columns))
        yield from rows_of(batches, columns, shown_file, done)


@dataclass(frozen=True)
class ParquetSink(FileSink):
    format = "parquet"
    writer = ParquetWriter
