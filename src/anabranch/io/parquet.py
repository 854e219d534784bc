"""Parquet, batch by batch: columns are found by name, others ignored, types checked beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from anabranch.io.badrows import BadRows
from anabranch.io.badvalue import BadValue, coded_fields, shown
from anabranch.io.columns import check_columns, columns_of, item_of
from anabranch.io.decoding import native_decoder
from anabranch.io.extracts import Extract, Names
from anabranch.io.files import FileSink, FileSource
from anabranch.io.parquet_columns import extracts
from anabranch.io.parquet_file import Targets, opened, row_count, targets
from anabranch.io.parquet_writer import ParquetWriter
from anabranch.io.rows import Row, TimeOrder, decoded
from anabranch.ir.types import Scalar, Type, without_none
from anabranch.source import Span

BATCH = 8192


@dataclass(frozen=True)
class ParquetSource(FileSource):
    format = "parquet"
    extensions = (".parquet",)

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, self.format, self.span)

    def has_batches(self) -> bool:
        """Whether batches hold just what rows would: single values."""
        return all(isinstance(without_none(k), Scalar) for k in columns_of(self.type).values())

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
        order, decode = TimeOrder(self.time), _decoder(self.type)
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
    return decoded(found, _decoder(source.type), order, rows)


def _rows(file: str, item: Type, where: Span | None, groups: range | None = None,
          shown_file: str | None = None) -> Iterator[Row]:
    shown_file = shown_file or file
    with opened(file, where) as found:
        columns = targets(found.schema_arrow, item, shown_file)
        groups = range(found.num_row_groups) if groups is None else groups
        done = sum(found.metadata.row_group(n).num_rows for n in range(groups.start))
        for batch in found.iter_batches(BATCH, row_groups=list(groups), columns=list(columns)):
            for number, (raw, value) in enumerate(_values(batch, columns), done + 1):
                yield Row(shown_file, number, raw, value, "row")
            done += batch.num_rows


def _values(batch: pa.RecordBatch, columns: Targets) -> list[tuple[str | None, object]]:
    """The rows as dicts; a row that cannot be cast has its text and a `BadValue` instead.

    A batch with such rows is halved until they stand alone.
    """
    try:
        arrays = [batch.column(name).cast(target) for name, target in columns.items()]
        rows = pa.RecordBatch.from_arrays(arrays, list(columns)).to_pylist()
        return [(None, row) for row in rows]
    except (ValueError, OverflowError) as error:
        if batch.num_rows == 1:
            return [(_text(batch), _bad_row(batch, columns, error))]
        half = batch.num_rows // 2
        return _values(batch.slice(0, half), columns) + _values(batch.slice(half), columns)


def _bad_row(batch: pa.RecordBatch, columns: Targets, error: Exception) -> BadValue:
    for name, target in columns.items():
        try:
            batch.column(name).cast(target).to_pylist()
        except (ValueError, OverflowError) as found:
            got = shown(batch.column(name).to_string().strip("[] \n"))
            return BadValue(str(target), got, f"'{name}': {found}", name)
    return BadValue("values of the declared types", _text(batch), str(error))


def _text(batch: pa.RecordBatch) -> str:
    """A row of one-row columns as Arrow prints it, also where Python has no such value."""
    cells = [" ".join(batch.column(i).to_string().split()) for i in range(batch.num_columns)]
    return ", ".join(f"{name}: {cell}" for name, cell in zip(batch.schema.names, cells))


def _decoder(item: Type):
    columns, make = columns_of(item), item_of(item)
    decoders = [native_decoder(kind) for kind in columns.values()]
    # The rows are made with the columns in this order.
    return lambda row: make(coded_fields(columns, decoders, row.values()))


@dataclass(frozen=True)
class ParquetSink(FileSink):
    format = "parquet"
    writer = ParquetWriter
