"""Parquet, batch by batch: columns are found by name, others ignored, types checked beforehand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pyarrow import parquet

from anabranch.errors import DataError, RunError, did_you_mean
from anabranch.io.arrow import read_as, schema_of
from anabranch.io.badrows import BadRows
from anabranch.io.badvalue import BadValue, coded_fields, shown
from anabranch.io.columns import check_columns, columns_of, item_of
from anabranch.io.decoding import native_decoder
from anabranch.io.files import FileSink, FileSource
from anabranch.io.parquet_writer import ParquetWriter
from anabranch.io.rows import Row, TimeOrder, decoded
from anabranch.ir.types import OptionalOf, Scalar, Type, without_none
from anabranch.source import Span

BATCH = 8192
SLICE = 65_536
Columns = dict[str, pa.DataType]


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
        return sum(_row_count(file, self.span) for file in self.files())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as record batches of the declared types; a `DataError` for any bad row."""
        for file in self.files():
            yield from group_batches(self, file)

    def items(self, rows: BadRows) -> Iterator[object]:
        files = self.files()
        for file in files:
            with _opened(file, self.span) as opened:
                _columns(opened.schema_arrow, self.type, file)
        order, decode = TimeOrder(self.time), _decoder(self.type)
        for file in files:
            yield from decoded(_rows(file, self.type, self.span), decode, order, rows)


def group_sizes(file: str, where: Span | None) -> list[int]:
    """How many bytes each row group of a file takes."""
    with _opened(file, where) as opened:
        return [opened.metadata.row_group(n).total_byte_size for n in range(opened.num_row_groups)]


def read_groups(source: ParquetSource, path: str, groups: range, order: TimeOrder, rows: BadRows,
                shown_file: str) -> Iterator[object]:
    """The items of some row groups that follow each other."""
    found = _rows(path, source.type, source.span, groups, shown_file)
    return decoded(found, _decoder(source.type), order, rows)


def group_batches(source: ParquetSource, file: str, groups: range | None = None
                  ) -> Iterator[pa.RecordBatch]:
    """Some or all row groups as record batches of the declared types."""
    with _opened(file, source.span) as opened:
        columns = _columns(opened.schema_arrow, source.type, file)
        chosen = None if groups is None else list(groups)
        for batch in opened.iter_batches(SLICE, row_groups=chosen, columns=list(columns)):
            yield _typed(batch, columns, source.type, file)


def _row_count(file: str, where: Span | None) -> int:
    with _opened(file, where) as opened:
        return opened.metadata.num_rows


def _typed(batch: pa.RecordBatch, columns: Columns, item: Type, file: str) -> pa.RecordBatch:
    arrays = [batch.column(name).cast(target) for name, target in columns.items()]
    for array, (name, kind) in zip(arrays, columns_of(item).items()):
        if array.null_count and not isinstance(kind, OptionalOf):
            raise DataError(f"'{name}' is missing in some row", file, expected=str(kind))
    return pa.RecordBatch.from_arrays(arrays, schema=schema_of(columns_of(item)))


@contextmanager
def _opened(file: str, where: Span | None) -> Iterator[parquet.ParquetFile]:
    try:
        with parquet.ParquetFile(file) as opened:
            yield opened
    except (pa.ArrowException, OSError) as error:
        raise RunError(f"cannot read '{file}' as Parquet: {error}", where) from error


def _columns(schema: pa.Schema, item: Type, file: str) -> Columns:
    """The type to cast each column to; an error for one that is missing or of another type."""
    return {name: _column(schema, name, kind, file) for name, kind in columns_of(item).items()}


def _column(schema: pa.Schema, name: str, kind: Type, file: str) -> pa.DataType:
    found = schema.get_all_field_indices(name)
    if len(found) != 1:
        what = f"two columns called '{name}'" if found else f"no column '{name}'"
        raise DataError(f"the Parquet file has {what}", file, expected=f"'{name}' once",
                        got=", ".join(schema.names), help=did_you_mean(name, schema.names))
    given = schema.field(found[0]).type
    target = read_as(kind, given)
    if target is None:
        raise DataError(f"column '{name}' of the Parquet file has another type", file,
                        expected=str(kind), got=str(given))
    return target


def _rows(file: str, item: Type, where: Span | None, groups: range | None = None,
          shown_file: str | None = None) -> Iterator[Row]:
    shown_file = shown_file or file
    with _opened(file, where) as opened:
        columns = _columns(opened.schema_arrow, item, shown_file)
        groups = range(opened.num_row_groups) if groups is None else groups
        done = sum(opened.metadata.row_group(n).num_rows for n in range(groups.start))
        for batch in opened.iter_batches(BATCH, row_groups=list(groups), columns=list(columns)):
            for number, (raw, value) in enumerate(_values(batch, columns), done + 1):
                yield Row(shown_file, number, raw, value, "row")
            done += batch.num_rows


def _values(batch: pa.RecordBatch, columns: Columns) -> list[tuple[str | None, object]]:
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


def _bad_row(batch: pa.RecordBatch, columns: Columns, error: Exception) -> BadValue:
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
