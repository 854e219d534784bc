"""Our types as Arrow types: what a type is written as, and from what it can be read.

>>> from anabranch.ir.types import FLOAT, TIMESTAMP
>>> written_as(TIMESTAMP)
TimestampType(timestamp[us])
>>> read_as(FLOAT, pa.int32()), read_as(FLOAT, pa.string())
(DataType(double), None)
"""

from __future__ import annotations

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.errors import RunError
from anabranch.ir.types import ListOf, OptionalOf, RecordOf, Scalar, Type, without_none

_WRITTEN = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string(),
            "bytes": pa.binary(), "timestamp": pa.timestamp("us"), "None": pa.null()}


def _is_text(given: pa.DataType) -> bool:
    return arrow.is_string(given) or arrow.is_large_string(given) or arrow.is_string_view(given)


def _is_bytes(given: pa.DataType) -> bool:
    return (arrow.is_binary(given) or arrow.is_large_binary(given)
            or arrow.is_fixed_size_binary(given) or arrow.is_binary_view(given))


_READABLE = {"bool": arrow.is_boolean, "int": arrow.is_integer,
             "float": lambda t: arrow.is_floating(t) or arrow.is_integer(t), "str": _is_text,
             "bytes": _is_bytes, "timestamp": lambda t: arrow.is_timestamp(t) or arrow.is_date(t),
             "None": arrow.is_null}


def written_as(given: Type, within: tuple[type, ...] = ()) -> pa.DataType:
    """The Arrow type of a column; `within` are the records around it, of which it may be none."""
    if isinstance(given, OptionalOf):
        return written_as(given.item, within)
    if isinstance(given, Scalar):
        return _WRITTEN[given.name]
    if isinstance(given, ListOf):
        return pa.list_(_field("element", given.item, within))
    if isinstance(given, RecordOf) and given.fields and given.cls not in within:
        return pa.struct([_field(name, kind, (*within, given.cls))
                          for name, kind in given.fields.items()])
    why = "contains itself or has no fields" if isinstance(given, RecordOf) else "is not known"
    raise RunError(f"Parquet has no column for this type: {given} {why}",
                   expected="bool, int, float, str, bytes, datetime, list[T], a Record, "
                            "or T | None")


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
    if isinstance(wanted, Scalar):
        fits = _READABLE[wanted.name](given) or arrow.is_null(given)
        return _WRITTEN[wanted.name] if fits else None
    if isinstance(wanted, ListOf):
        return _list_read_as(wanted, given)
    if isinstance(wanted, RecordOf):
        return _struct_read_as(wanted, given)
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
