"""The columns of a DataFrame as the fields of a record: names and types are checked.

| Spark | field | in Python |
|---|---|---|
| boolean | bool | bool |
| tinyint, smallint, int, bigint | int, float | int |
| float, double | float | float |
| string, char, varchar | str | str |
| binary | bytes | bytes |
| timestamp | datetime | an instant: a time in UTC, with its zone |
| timestamp_ntz | datetime | a wall-clock time, without a zone |
| date | date, datetime | date, or a wall-clock time: midnight of the day |
| string, time | time | time, without a zone |
| decimal | Decimal | Decimal, without zeros at its end |
| array | list[T], tuple[T, ...] | list, tuple |
| map | dict[K, V], list[T] | dict, or a list of records with `key` and `value` |
| struct | a Record, tuple[A, B] | its fields, by their names; in a tuple by their order |

A string is a UUID too, a string or a whole number what an Enum or a Literal has. Others are
refused, with what to write: an interval, a variant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.io.columns import columns_of
from anabranch.io.values.codecs import places
from anabranch.ir.types import (
    AnyOf,
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

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import ArrayType, DataType, MapType, StructType

WHOLE = ("tinyint", "smallint", "int", "bigint")
FITTING = {"bool": ("boolean",), "int": WHOLE, "float": (*WHOLE, "float", "double"),
           "str": ("string", "char", "varchar"), "bytes": ("binary",),
           "timestamp": ("timestamp", "timestamp_ntz", "date"), "date": ("date",),
           "time": ("string", "char", "varchar", "time"), "Decimal": ("decimal", *WHOLE),
           "UUID": ("string", "char", "varchar")}
HELP = {
    "decimal": "declare the field as a Decimal, or give the column as {name}.cast('double')",
    "map": "declare the field as a dict",
    "interval": "give the column as a number, such as its seconds",
    "variant": "give what is needed of it, by variant_get({name}, ...)",
}
"""What to write for the types that no field has."""


def chosen(frame: DataFrame, item: Type, where: Span) -> list[Column]:
    """The columns of the items, each with the type of its field; a `ProgramError` tells what does
    not fit."""
    from pyspark.sql import functions as F

    schema, columns = frame.schema, columns_of(item)
    given = {field.name: field for field in schema.fields}
    for name in columns:
        if name not in given:
            raise ProgramError(f"the DataFrame has no column '{name}'", where,
                               expected=f"a column for each field of {item}",
                               help=did_you_mean(name, given))
        check_single(frame, name, where)
    return [_fitted(F.col(f"`{name}`"), given[name].dataType, kind, name, where).alias(name)
            for name, kind in columns.items()]


def check_single(frame: DataFrame, name: str, where: Span) -> None:
    """Refuses a name that several columns have: Spark would not know which is meant."""
    alike = [field.name for field in frame.schema.fields if field.name.lower() == name.lower()]
    if len(alike) > 1 and (alike.count(name) > 1 or not _minds_case(frame)):
        raise ProgramError(f"the DataFrame has {len(alike)} columns '{name}'", where,
                           expected="one", got=", ".join(alike),
                           help="leave the others out before, df.drop(...), or give them other "
                                "names: of a join, join(..., on=\"name\") keeps one")


def _minds_case(frame: DataFrame) -> bool:
    return frame.sparkSession.conf.get("spark.sql.caseSensitive", "false") == "true"


def _fitted(column: Column, given: DataType, wanted: Type, name: str, where: Span) -> Column:
    """The column with the type that the field has; a list or a record of such."""
    from pyspark.sql import functions as F
    from pyspark.sql.types import ArrayType, MapType, StructType

    kind = without_none(wanted)
    kind = kind.base if isinstance(kind, ChoiceOf) else kind
    if isinstance(kind, TupleType) and kind.is_open:
        kind = ListOf(kind.items[0])
    if isinstance(kind, ListOf) and isinstance(given, MapType):
        return _fitted(F.map_entries(column), _entries(given), wanted, name, where)
    if isinstance(kind, AnyOf):
        raise ProgramError(f"the type of '{name}' is not known", where,
                           expected=f"a field type for {given.simpleString()}", help=kind.reason)
    if isinstance(kind, Scalar) and _plain(given) in FITTING.get(kind.name, ()):
        target = spark_type(kind, given)
        return column if target == given else column.cast(target)
    if isinstance(kind, ListOf) and isinstance(given, ArrayType):
        if spark_type(kind, given) == given:
            return column
        return F.transform(column, lambda each: _fitted(each, given.elementType, kind.item,
                                                        f"{name}[]", where))
    if isinstance(kind, RecordOf) and isinstance(given, StructType):
        return _struct(column, given, kind, name, where)
    if isinstance(kind, DictType) and isinstance(given, MapType):
        return _map(column, given, kind, name, where)
    if isinstance(kind, TupleType) and isinstance(given, StructType) and len(
            given.fields) == len(kind.items) and not kind.is_open:
        return _tuple(column, given, kind, name, where)
    raise _unfit(given, wanted, name, where)


def _entries(given: MapType) -> ArrayType:
    """What `map_entries` makes of a map."""
    from pyspark.sql import types as T

    return T.ArrayType(T.StructType([T.StructField("key", given.keyType, False), T.StructField(
        "value", given.valueType, given.valueContainsNull)]), False)


def _struct(column: Column, given: StructType, wanted: RecordOf, name: str, where: Span) -> Column:
    from pyspark.sql import functions as F

    inner = {field.name: field.dataType for field in given.fields}
    for field in wanted.fields:
        if field not in inner:
            raise ProgramError(f"the struct '{name}' has no field '{field}'", where,
                               expected=f"a field for each of {wanted}",
                               help=did_you_mean(field, inner))
    made = F.struct(*(_fitted(column.getField(field), inner[field], kind, f"{name}.{field}", where)
                      .alias(field) for field, kind in wanted.fields.items()))
    return F.when(column.isNotNull(), made)


def _map(column: Column, given: MapType, kind: DictType, name: str, where: Span) -> Column:
    from pyspark.sql import functions as F

    if spark_type(kind, given) == given:
        return column
    found = F.transform_values(column, lambda _, value: _fitted(
        value, given.valueType, kind.item, f"{name}[]", where))
    return F.transform_keys(found, lambda key, _: _fitted(
        key, given.keyType, kind.key, f"a key of {name}", where))


def _tuple(column: Column, given: StructType, kind: TupleType, name: str, where: Span) -> Column:
    """A struct whose fields are known by their order."""
    from pyspark.sql import functions as F

    made = F.struct(*(
        _fitted(column.getField(own.name), own.dataType, item, f"{name}.{own.name}", where)
        .alias(place) for place, own, item in zip(places(kind), given.fields, kind.items)))
    return F.when(column.isNotNull(), made)


def _plain(given: DataType) -> str:
    """The name of a type without its sizes.

    >>> from pyspark.sql.types import DecimalType
    >>> _plain(DecimalType(10, 2))
    'decimal'
    """
    return given.simpleString().partition("(")[0].partition("<")[0].split(" ")[0]


def _unfit(given: DataType, wanted: Type, name: str, where: Span) -> ProgramError:
    shown = given.simpleString()
    advice = HELP.get(_plain(given))
    return ProgramError(f"the column '{name}' is a {shown}, and the field a {wanted}", where,
                        expected=_takes(wanted), got=shown,
                        help=advice.format(name=name) if advice else
                        "cast the column, or declare the field as what the column is")


def _takes(wanted: Type) -> str:
    kind = without_none(wanted)
    if isinstance(kind, Scalar):
        return ", ".join(FITTING.get(kind.name, ())) or "no column"
    shapes = {ListOf: "an array", DictType: "a map"}
    return shapes.get(type(kind), "a struct")


def spark_type(kind: Type, given: DataType | None = None, instants: bool = True) -> DataType:
    """The type that items of a type have in Spark. Times are what they were `given` as, or else
    instants, or wall-clock times."""
    from pyspark.sql import types as T

    if isinstance(kind, OptionalOf):
        return spark_type(kind.item, given, instants)
    if isinstance(kind, ChoiceOf):
        return spark_type(kind.base, given, instants)
    if isinstance(kind, ListOf):
        inner = given.elementType if isinstance(given, T.ArrayType) else None
        nullable = given.containsNull if isinstance(given, T.ArrayType) else True
        return T.ArrayType(spark_type(kind.item, inner, instants), nullable)
    if isinstance(kind, (DictType, TupleType)):
        return _container(kind, given, instants)
    if isinstance(kind, RecordOf):
        fields = given.fields if isinstance(given, T.StructType) else ()
        known = {field.name: field.dataType for field in fields}
        return T.StructType([T.StructField(name, spark_type(own, known.get(name), instants))
                             for name, own in kind.fields.items()])
    if kind.name == "timestamp":
        is_instant = instants if given is None else _plain(given) == "timestamp"
        return T.TimestampType() if is_instant else T.TimestampNTZType()
    if kind.name == "Decimal":
        return given if isinstance(given, T.DecimalType) else T.DecimalType(38, 18)
    return {"bool": T.BooleanType, "date": T.DateType, "time": T.StringType,
            "UUID": T.StringType, "int": T.LongType, "float": T.DoubleType, "str": T.StringType,
            "bytes": T.BinaryType, "None": T.NullType}[kind.name]()


def _container(kind: DictType | TupleType, given: DataType | None, instants: bool) -> DataType:
    from pyspark.sql import types as T

    if isinstance(kind, DictType):
        own = given if isinstance(given, T.MapType) else None
        return T.MapType(spark_type(kind.key, own and own.keyType, instants),
                         spark_type(kind.item, own and own.valueType, instants),
                         own.valueContainsNull if own else True)
    if kind.is_open:
        return spark_type(ListOf(kind.items[0]), given, instants)
    fields = given.fields if isinstance(given, T.StructType) else ()
    kinds = [field.dataType for field in fields] or [None] * len(kind.items)
    return T.StructType([T.StructField(place, spark_type(item, own, instants))
                         for place, item, own in zip(places(kind), kind.items, kinds)])


def full_columns(item: Type) -> Iterator[str]:
    """The columns that hold no null."""
    return (name for name, kind in columns_of(item).items()
            if not isinstance(kind, (OptionalOf, AnyOf)))
