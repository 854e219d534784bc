"""Rows of Arrow's batches, one by one: values of the declared types, and what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from anabranch.errors import DataError, did_you_mean
from anabranch.io.arrow import read_as
from anabranch.io.badvalue import BadValue, coded_fields, shown
from anabranch.io.decoding import native_decoder
from anabranch.io.partitions import NONE, Fixed, maker, read_columns
from anabranch.io.rows import Row
from anabranch.ir.types import Type
from anabranch.source import Span

Targets = dict[str, pa.DataType]
"""The types to which columns are cast, by their names."""


def targets(schema: pa.Schema, item: Type, where: Span | str, what: str = "the Parquet file",
            fixed: Fixed = NONE) -> Targets:
    """The type to cast each column to; an error for one that is missing or of another type."""
    return {name: _column(schema, name, kind, where, what)
            for name, kind in read_columns(item, fixed).items()}


def _column(schema: pa.Schema, name: str, kind: Type, where: Span | str, what: str
            ) -> pa.DataType:
    found = schema.get_all_field_indices(name)
    if len(found) != 1:
        has = f"two columns called '{name}'" if found else f"no column '{name}'"
        raise DataError(f"{what} has {has}", where, expected=f"'{name}' once",
                        got=", ".join(schema.names), help=did_you_mean(name, schema.names))
    given = schema.field(found[0]).type
    target = read_as(kind, given)
    if target is None:
        raise DataError(f"column '{name}' of {what} has another type", where,
                        expected=str(kind), got=str(given))
    return target


def decoder(item: Type, fixed: Fixed = NONE) -> Callable[[dict], object]:
    """Makes an item of a row's values."""
    columns, make = read_columns(item, fixed), maker(item, fixed)
    decoders = [native_decoder(kind) for kind in columns.values()]
    # The rows are made with the columns in this order.
    return lambda row: make(coded_fields(columns, decoders, row.values()))


def rows_of(batches: Iterable[pa.RecordBatch], columns: Targets, file: str, done: int = 0
            ) -> Iterator[Row]:
    """The rows of batches, before which so many have been."""
    for batch in batches:
        for number, (raw, value) in enumerate(_values(batch, columns), done + 1):
            yield Row(file, number, raw, value, "row")
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
            got = shown(_cell(batch.column(name)).strip("[] \n"))
            return BadValue(str(target), got, f"'{name}': {found}", name)
    return BadValue("values of the declared types", _text(batch), str(error))


def _text(batch: pa.RecordBatch) -> str:
    """A row of one-row columns as Arrow prints it, also where Python has no such value."""
    cells = [" ".join(_cell(column).split()) for column in batch.columns]
    return ", ".join(f"{name}: {cell}" for name, cell in zip(batch.schema.names, cells))


def _cell(column: pa.Array) -> str:
    """A column as Arrow prints it; what should be text and is no UTF-8, as bytes."""
    try:
        return column.to_string()
    except UnicodeDecodeError:
        if pa.types.is_nested(column.type) or pa.types.is_dictionary(column.type):
            return "text that is not UTF-8"
        return str(column.cast(pa.binary()).to_pylist())
