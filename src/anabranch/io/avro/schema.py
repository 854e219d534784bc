"""Schemas of Avro as schemas of Arrow, and back.

>>> fields = [{"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
...           {"name": "n", "type": ["null", "int"]}]
>>> found = arrow_schema({"type": "record", "name": "Row", "fields": fields})
>>> found.field("at").type, found.field("n").type
(TimestampType(timestamp[us, tz=UTC]), DataType(int32))
>>> avro_schema(pa.schema([pa.field("n", pa.int64(), nullable=False)]))["fields"]
[{'name': 'n', 'type': 'long'}]
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

import pyarrow as pa
from pyarrow import types as arrow

from anabranch.core.errors import RunError

Schema = dict | list | str

SINGLE = "value"
"""The column of files whose items are no records."""

_PLAIN = {"null": pa.null(), "boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(),
          "float": pa.float32(), "double": pa.float64(), "bytes": pa.binary(),
          "string": pa.string(), "enum": pa.string(), "fixed": pa.binary()}

_LOGICAL = {"date": pa.date32(), "time-millis": pa.time32("ms"), "time-micros": pa.time64("us"),
            "timestamp-millis": pa.timestamp("ms", "UTC"),
            "timestamp-micros": pa.timestamp("us", "UTC"),
            "local-timestamp-millis": pa.timestamp("ms"),
            "local-timestamp-micros": pa.timestamp("us"), "uuid": pa.string()}


def arrow_schema(schema: Schema) -> pa.Schema:
    """The columns of a file; one whose items are no records has a single one."""
    known: dict[str, pa.DataType] = {}
    found = _arrow(schema, known)
    return pa.schema(list(found) if arrow.is_struct(found) else [pa.field(SINGLE, found)])


def _arrow(schema: Schema, known: dict[str, pa.DataType]) -> pa.DataType:
    if isinstance(schema, list):
        some = [each for each in schema if each != "null"]
        # A column of several types has none of ours: who reads it is told so.
        return _arrow(some[0], known) if len(some) == 1 else pa.null()
    if isinstance(schema, str):
        return known[schema] if schema in known else _PLAIN[schema]
    found = _arrow_of_dict(schema, known)
    if "name" in schema:
        known[schema["name"]] = found
    return found


def _arrow_of_dict(schema: dict, known: dict[str, pa.DataType]) -> pa.DataType:
    kind, logical = schema["type"], schema.get("logicalType")
    if logical == "decimal":
        return pa.decimal128(schema["precision"], schema.get("scale", 0))
    if logical in _LOGICAL:
        return _LOGICAL[logical]
    if kind == "record":
        # One that holds itself has no end as a column.
        known[schema["name"]] = pa.null()
        return pa.struct([(field["name"], _arrow(field["type"], known))
                          for field in schema["fields"]])
    if kind == "array":
        return pa.list_(_arrow(schema["items"], known))
    if kind == "map":
        return pa.map_(pa.string(), _arrow(schema["values"], known))
    return _arrow(kind, known)


_WRITTEN = {pa.null(): "null", pa.bool_(): "boolean", pa.int64(): "long", pa.float64(): "double",
            pa.string(): "string", pa.binary(): "bytes",
            pa.date32(): {"type": "int", "logicalType": "date"},
            pa.time64("us"): {"type": "long", "logicalType": "time-micros"},
            pa.timestamp("us", "UTC"): {"type": "long", "logicalType": "timestamp-micros"},
            pa.timestamp("us"): {"type": "long", "logicalType": "local-timestamp-micros"}}

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def avro_schema(schema: pa.Schema) -> dict:
    """The schema of a file with these columns."""
    return _record(list(schema), count())


def _record(fields: list[pa.Field], numbers: Iterator[int]) -> dict:
    number = next(numbers)
    return {"type": "record", "name": f"Row{number or ''}",
            "fields": [{"name": _checked(field.name), "type": _avro(field, numbers)}
                       for field in fields]}


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise RunError(f"Avro has no field with the name '{name}'",
                       expected="letters from a to z, digits and _")
    return name


def _avro(field: pa.Field, numbers: Iterator[int]) -> Schema:
    kind = _avro_of_type(field.type, numbers)
    return ["null", kind] if field.nullable and kind != "null" else kind


def _avro_of_type(kind: pa.DataType, numbers: Iterator[int]) -> Schema:
    if arrow.is_struct(kind):
        return _record(list(kind), numbers)
    if arrow.is_list(kind):
        return {"type": "array", "items": _avro(kind.value_field, numbers)}
    if arrow.is_map(kind):
        if not arrow.is_string(kind.key_type):
            raise RunError("Avro has no dict whose keys are no texts", expected="dict[str, T]")
        return {"type": "map", "values": _avro(kind.item_field, numbers)}
    if arrow.is_decimal(kind):
        return {"type": "bytes", "logicalType": "decimal", "precision": kind.precision,
                "scale": kind.scale}
    return _WRITTEN[kind]
