"""Items as columns, for CSV and Parquet: a record's fields, or one column `value`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter

from anabranch.core.errors import ProgramError
from anabranch.core.source import Span
from anabranch.io.values.codecs import Encoder, conforming, scalar_name
from anabranch.io.values.scalars import coded_fields
from anabranch.ir.records import Record
from anabranch.ir.types import AnyOf, RecordOf, Scalar, Type

SINGLE = "value"


def columns_of(item: Type) -> dict[str, Type]:
    """The columns of an item type.

    >>> from anabranch.ir.types import INT
    >>> columns_of(INT)
    {'value': Scalar(name='int')}
    """
    return item.fields if isinstance(item, RecordOf) else {SINGLE: item}


def item_of(item: Type) -> Callable[[list], object]:
    """Makes an item of the values of its columns."""
    # Half as long as `_make`, which counts the values.
    return partial(tuple.__new__, item.cls) if isinstance(item, RecordOf) else itemgetter(0)


def check_columns(item: Type, place: str, where: Span | None) -> None:
    """Refuses a type that says nothing about columns."""
    if isinstance(item, AnyOf):
        raise ProgramError(f"the type of the items in {place} is not known", where,
                           expected="a Record class, whose fields are the columns",
                           help=item.reason)
    if not columns_of(item):
        raise ProgramError(f"{item} has no fields, so it has no columns in {place}", where)


def derived_type(item: object) -> Type | None:
    """The type of an item by itself: its record class, or a scalar; None when it has neither."""
    if isinstance(item, Record):
        return RecordOf(type(item))
    name = scalar_name(item)
    return Scalar(name) if name not in (None, "None") else None


def columns_encoder(item: Type, encoder: Callable[[Type], Encoder]) -> Callable[[object], list]:
    """Encodes an item as the list of its columns' values; the error names the column."""
    columns = columns_of(item)
    names, encoders = list(columns), [encoder(kind) for kind in columns.values()]
    if isinstance(item, RecordOf):
        return lambda given: coded_fields(names, encoders, conforming(given, item))
    return lambda given: coded_fields(names, encoders, (given,))
