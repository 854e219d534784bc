"""Rows of record batches as values of their types, and written as record batches.

What is wrong with a value is said of its row and column. Items to be written are collected until
they are worth a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import DataError, RunError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.arrow.arrays import numbers
from anabranch.io.arrow.schema import has_times, read_as, schema_of, settled
from anabranch.io.columns import check_columns, columns_encoder, columns_of, item_of
from anabranch.io.files.sources import NONE, Fixed, maker, read_columns
from anabranch.io.rows import BadRows, Row, TimeOrder, decoded
from anabranch.io.values.codecs import Encoder, native_decoder, native_encoder
from anabranch.io.values.scalars import NATIVE, BadValue, coded_fields, shown, utc_timestamp
from anabranch.io.writer import DECLARE, Writer
from anabranch.ir.times import is_aware
from anabranch.ir.types import BOOL, FLOAT, INT, ListOf, RecordOf, Type

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


def items_of(batches: Iterable[pa.RecordBatch], columns: Targets, item: Type, file: str,
             order: TimeOrder, bad: BadRows, fixed: Fixed = NONE, done: int = 0
             ) -> Iterator[object]:
    """The items of batches, before which so many rows have been; malformed rows go to `bad`."""
    decode = decoder(item, fixed)
    for batch in batches:
        # With a time, each row is judged by the one before it.
        made = None if fixed or order.attribute else _made(batch, columns, item)
        if made is None:
            yield from decoded(rows_of([batch], columns, file, done), decode, order, bad)
        else:
            yield from made
        done += batch.num_rows


def _made(batch: pa.RecordBatch, columns: Targets, item: Type) -> Iterable[object] | None:
    """The items of a batch, made column by column; None if something is wrong with a row."""
    try:
        values = [_values_of(batch.column(name).cast(columns[name]), kind)
                  for name, kind in columns_of(item).items()]
    except (ValueError, OverflowError, BadValue):
        return None
    return map(item_of(item), zip(*values)) if isinstance(item, RecordOf) else values[0]


def _values_of(column: pa.Array, kind: Type) -> list:
    """The values of a column; numbers, lists and records are made many at a time.

    >>> from anabranch.ir.types import type_of
    >>> _values_of(pa.array([[1, 2], [], [3]])[1:], type_of(list[int]))
    [[], [3]]
    """
    if not column.null_count:
        if kind in (BOOL, INT, FLOAT):
            return numbers(column).tolist()
        if isinstance(kind, ListOf) and arrow.is_list(column.type):
            places = numbers(column.offsets).tolist()
            inner = _values_of(column.values.slice(places[0], places[-1] - places[0]), kind.item)
            return [inner[begin - places[0]:end - places[0]] for begin, end in pairwise(places)]
        if isinstance(kind, RecordOf) and kind.fields and arrow.is_struct(column.type):
            return list(map(kind.cls, *(_values_of(column.field(name), declared)
                                        for name, declared in kind.fields.items())))
    return list(map(native_decoder(kind), column.to_pylist()))


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


BATCH = 8192


EITHER = "a column holds either instants or wall-clock times"
KINDS = {True: f"a time with a zone, like those before it: {EITHER}",
         False: f"a time without a zone, like those before it: {EITHER}"}


class Times:
    """The encoder of one column of times; the first of them says what the column holds."""

    def __init__(self):
        self.aware: bool | None = None

    def __call__(self, value: object) -> object:
        time = utc_timestamp(value)
        if not self.takes(aware := is_aware(time)):
            raise BadValue(KINDS[not aware], shown(value))
        return time

    def takes(self, aware: bool) -> bool:
        if self.aware is None:
            self.aware = aware
        return aware == self.aware


class Leaves(dict):
    """Encoders of single values, of which each column of times has its own."""

    def __init__(self):
        super().__init__(NATIVE)
        self.times: list[Times] = []

    def __getitem__(self, name: str) -> Encoder:
        if name != "timestamp":
            return super().__getitem__(name)
        self.times.append(Times())
        return self.times[-1]


class ColumnsWriter(Writer):
    """Makes batches of single items; without any item and without a type there is no schema.

    A column of times holds what comes first, instants in UTC or wall-clock times; one without any
    is of wall-clock times. A subclass says in `add` where batches go.
    """

    takes_columns = True
    place: ClassVar[str]
    schema: pa.Schema | None = None

    def begin(self, item_type: Type) -> Encoder:
        check_columns(item_type, self.place, self.where)
        self.schema, self.item_type = self._schema(item_type), item_type
        self.held: list[list] = []
        self.leaves: list[Leaves] = []
        self.filled: set[int] = set()
        return columns_encoder(item_type, self._encoder)

    def _encoder(self, kind: Type) -> Encoder:
        self.leaves.append(Leaves())
        return native_encoder(kind, self.leaves[-1])

    def add(self, batch: pa.RecordBatch) -> None:
        """Takes a batch; of its columns with values, the schema has the types."""
        raise NotImplementedError

    def put(self, encoded: list) -> None:
        self.held.append(encoded)
        if len(self.held) == BATCH:
            self.flush_rows()

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Rows that are in columns already."""
        if all(map(self._takes_times, range(batch.num_columns), batch.columns)):
            self.flush_rows()
            self._add(batch.columns)
            return
        make = decoder(self.item_type)
        for row in batch.to_pylist():
            self.write(make(row))

    def _takes_times(self, number: int, column: pa.Array) -> bool:
        """Whether a column has times of the kind that came before."""
        if not pa.types.is_timestamp(column.type) or column.null_count == len(column):
            return True
        return all(times.takes(column.type.tz is not None) for times in self.leaves[number].times)

    def flush_rows(self) -> None:
        if self.held:
            columns, self.held = list(zip(*self.held)), []
            self._add([pa.array(values, settled(field.type, values))
                       for values, field in zip(columns, self.schema)])

    def _add(self, columns: Sequence[pa.Array]) -> None:
        for number, column in enumerate(columns):
            self._settle(number, column)
        batch = pa.RecordBatch.from_arrays(columns, self.schema.names)
        self.add(self.fitted(batch))

    def _settle(self, number: int, column: pa.Array) -> None:
        """The first values of a column with times say of what kind they are."""
        field = self.schema.field(number)
        if not has_times(field.type) or column.null_count == len(column):
            return
        if column.type != field.type and number in self.filled:
            raise RunError(f"cannot write the column '{field.name}': {EITHER}", self.where,
                           expected=str(field.type), got=str(column.type))
        self.filled.add(number)
        self.schema = self.schema.set(number, field.with_type(column.type))

    def fitted(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the types of the schema; a column that has another one has no values."""
        return pa.RecordBatch.from_arrays(
            [column if column.type == field.type else column.cast(field.type)
             for column, field in zip(batch.columns, self.schema)], schema=self.schema)

    def _schema(self, item_type: Type) -> pa.Schema:
        try:
            return schema_of(columns_of(item_type))
        except RunError as error:
            error.where, error.help = self.where, DECLARE
            raise
