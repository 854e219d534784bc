"""Our types as Arrow types: what a type is written as, and what it is read from.

>>> from anabranch.ir.types import FLOAT, TIMESTAMP
>>> written_as(TIMESTAMP), read_as(TIMESTAMP, pa.timestamp("ns", "Europe/Berlin"))
(TimestampType(timestamp[us]), TimestampType(timestamp[us, tz=UTC]))
>>> read_as(FLOAT, pa.int32()), read_as(FLOAT, pa.string())
(DataType(double), None)

A column of times holds wall-clock times, or instants, which are in UTC: its own type says which.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import RunError
from anabranch.io.values.codecs import places
from anabranch.ir.times import is_aware
from anabranch.ir.types import (
    TYPES,
    ChoiceOf,
    DictType,
    ListOf,
    OptionalOf,
    RecordOf,
    Scalar,
    TupleType,
    Type,
    without_none,
)

WALL_CLOCK, INSTANT = pa.timestamp("us"), pa.timestamp("us", "UTC")

_WRITTEN = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string(),
            "bytes": pa.binary(), "timestamp": WALL_CLOCK, "None": pa.null(),
            "date": pa.date32(), "time": pa.time64("us"), "UUID": pa.string(),
            "Decimal": pa.decimal128(38, 18)}


def _is_text(given: pa.DataType) -> bool:
    return arrow.is_string(given) or arrow.is_large_string(given) or arrow.is_string_view(given)


def _is_bytes(given: pa.DataType) -> bool:
    return (arrow.is_binary(given) or arrow.is_large_binary(given)
            or arrow.is_fixed_size_binary(given) or arrow.is_binary_view(given))


_READABLE = {"bool": arrow.is_boolean, "int": arrow.is_integer,
             "float": lambda t: arrow.is_floating(t) or arrow.is_integer(t), "str": _is_text,
             "bytes": _is_bytes, "timestamp": lambda t: arrow.is_timestamp(t) or arrow.is_date(t),
             "None": arrow.is_null, "date": arrow.is_date, "UUID": _is_text,
             "time": lambda t: arrow.is_time(t) or _is_text(t),
             "Decimal": lambda t: arrow.is_decimal(t) or arrow.is_integer(t)}


def written_as(given: Type, within: tuple[type, ...] = ()) -> pa.DataType:
    """The Arrow type of a column; `within` are the records around it, of which it may be none."""
    if isinstance(given, OptionalOf):
        return written_as(given.item, within)
    if isinstance(given, Scalar):
        return _WRITTEN[given.name]
    if isinstance(given, ChoiceOf):
        return written_as(given.base, within)
    if isinstance(given, ListOf):
        return pa.list_(_field("element", given.item, within))
    if isinstance(given, DictType):
        return pa.map_(written_as(given.key), _field("value", given.item, within))
    if isinstance(given, TupleType):
        return _tuple_written_as(given, within)
    if isinstance(given, RecordOf) and given.fields and given.cls not in within:
        return pa.struct([_field(name, kind, (*within, given.cls))
                          for name, kind in given.fields.items()])
    why = "contains itself or has no fields" if isinstance(given, RecordOf) else "is not known"
    raise RunError(f"Parquet has no column for this type: {given} {why}",
                   expected=TYPES)


def _tuple_written_as(given: TupleType, within: tuple[type, ...]) -> pa.DataType:
    if given.is_open:
        return pa.list_(_field("element", given.items[0], within))
    return pa.struct([_field(name, kind, within) for name, kind in zip(places(given), given.items)])


def _field(name: str, kind: Type, within: tuple[type, ...]) -> pa.Field:
    return pa.field(name, written_as(kind, within), isinstance(kind, OptionalOf))


def schema_of(columns: dict[str, Type]) -> pa.Schema:
    return pa.schema([_field(name, kind, ()) for name, kind in columns.items()])


def read_as(wanted: Type, given: pa.DataType) -> pa.DataType | None:
    """The Arrow type to cast a column to so that it has values of our type; None if there is none.

    The cast is exact: it fails for a value that the type cannot hold.
    """
    wanted = without_none(wanted)
    if arrow.is_dictionary(given):
        given = given.value_type
    if isinstance(wanted, ChoiceOf):
        return read_as(wanted.base, given)
    if isinstance(wanted, Scalar):
        fits = _READABLE[wanted.name](given) or arrow.is_null(given)
        if arrow.is_timestamp(given) and fits:
            return time_type(given.tz is not None)
        if arrow.is_decimal(given) and fits:
            return given
        if wanted.name == "time" and _is_text(given):
            return pa.string()
        return _WRITTEN[wanted.name] if fits else None
    if isinstance(wanted, ListOf):
        return _list_read_as(wanted, given)
    if isinstance(wanted, RecordOf):
        return _struct_read_as(wanted, given)
    if isinstance(wanted, DictType):
        return _map_read_as(wanted, given)
    if isinstance(wanted, TupleType):
        return _list_read_as(ListOf(wanted.items[0]), given) if wanted.is_open else (
            _tuple_read_as(wanted, given))
    return given


def _list_read_as(wanted: ListOf, given: pa.DataType) -> pa.DataType | None:
    if not (arrow.is_list(given) or arrow.is_large_list(given) or arrow.is_fixed_size_list(given)):
        return None
    item = read_as(wanted.item, given.value_type)
    return None if item is None else pa.list_(given.value_field.with_type(item))


def _struct_read_as(wanted: RecordOf, given: pa.DataType) -> pa.DataType | None:
    """A struct with the same fields in the same order, as a cast needs it."""
    if not arrow.is_struct(given):
        return None
    fields = [given.field(i) for i in range(given.num_fields)]
    if not set(wanted.fields) <= {f.name for f in fields}:
        return None
    kinds = [read_as(wanted.fields[f.name], f.type) if f.name in wanted.fields else f.type
             for f in fields]
    if None in kinds:
        return None
    return pa.struct([f.with_type(kind) for f, kind in zip(fields, kinds)])


def _map_read_as(wanted: DictType, given: pa.DataType) -> pa.DataType | None:
    if not arrow.is_map(given):
        return None
    key, item = read_as(wanted.key, given.key_type), read_as(wanted.item, given.item_type)
    return None if key is None or item is None else pa.map_(key, given.item_field.with_type(item))


def _tuple_read_as(wanted: TupleType, given: pa.DataType) -> pa.DataType | None:
    """A struct with as many fields, whatever they are called."""
    if not arrow.is_struct(given) or given.num_fields != len(wanted.items):
        return None
    fields = [given.field(n) for n in range(given.num_fields)]
    kinds = [read_as(kind, field.type) for kind, field in zip(wanted.items, fields)]
    return None if None in kinds else pa.struct(
        [field.with_type(kind) for field, kind in zip(fields, kinds)])


def time_type(aware: bool | None) -> pa.TimestampType:
    """The type of a column of instants, or of wall-clock times; None if there is neither."""
    return INSTANT if aware else WALL_CLOCK


def batch_like(schema: pa.Schema, columns: Sequence[pa.Array]) -> pa.RecordBatch:
    """A batch of columns with the names of a schema; times in them may be either.

    >>> found = batch_like(pa.schema({"at": WALL_CLOCK}), [pa.array([0], INSTANT)])
    >>> found.schema.field("at").type
    TimestampType(timestamp[us, tz=UTC])
    """
    fields = [field if column.type == field.type else field.with_type(column.type)
              for field, column in zip(schema, columns)]
    return pa.RecordBatch.from_arrays(list(columns), schema=pa.schema(fields))


def settled(kind: pa.DataType, values: Iterable) -> pa.DataType:
    """The type of a column with these values, of which each column of times in it holds instants
    or wall-clock times.

    >>> now = {"at": datetime(2024, 5, 1, tzinfo=UTC)}
    >>> settled(pa.list_(pa.struct({"at": WALL_CLOCK})), [[now], None])
    ListType(list<item: struct<at: timestamp[us, tz=UTC]>>)
    """
    if not has_times(kind):
        return kind
    found = [value for value in values if value is not None]
    if arrow.is_timestamp(kind):
        return time_type(is_aware(found[0])) if found else kind
    if arrow.is_list(kind):
        inner = settled(kind.value_type, (each for value in found for each in value))
        return pa.list_(kind.value_field.with_type(inner))
    if arrow.is_map(kind):
        inner = settled(kind.item_type, (each for pairs in found for _, each in pairs))
        return pa.map_(kind.key_type, kind.item_field.with_type(inner))
    return pa.struct([field.with_type(settled(field.type, [value[field.name] for value in found]))
                      for field in map(kind.field, range(kind.num_fields))])


def has_times(kind: pa.DataType) -> bool:
    """Whether there are times in a column, maybe inside of lists or records.

    >>> has_times(pa.list_(pa.struct({"at": WALL_CLOCK}))), has_times(pa.int64())
    (True, False)
    """
    return arrow.is_timestamp(kind) or any(
        has_times(kind.field(n).type) for n in range(kind.num_fields))


def held_exactly(values: Iterable[datetime | None]) -> pa.TimestampType | None:
    """The type of a column that gives these very times back; None if there is none.

    >>> held_exactly([datetime(2024, 5, 1, tzinfo=UTC), None]) == INSTANT
    True
    >>> held_exactly([datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 1)]) is None
    True
    """
    found = [value for value in values if value is not None]
    zones = {id(value.tzinfo): value.tzinfo for value in found}
    if len(zones) > 1 or any(value.fold for value in found):
        return None
    zone = next(iter(zones.values()), None)
    return time_type(zone is not None) if zone is None or zone is UTC else None


def times_of(column: pa.Array) -> list[datetime | None]:
    """The times of a column as Python has them."""
    if column.type.tz is None:
        return column.to_pylist()
    return [None if value is None else value.replace(tzinfo=UTC)
            for value in column.cast(WALL_CLOCK).to_pylist()]
