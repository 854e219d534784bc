"""What may be wrong with rows, said the same by Spark and by our workers."""

from __future__ import annotations

from anabranch.core.errors import DataError
from anabranch.core.source import Span
from anabranch.ir.types import Type


def null_in_column(name: str, kind: Type, where: Span | None) -> DataError:
    return DataError(f"the column '{name}' has a null", where, got="null",
                     expected=f"a value: {kind} has no None here",
                     help="filter such rows out, or declare the field as T | None")


def no_time(name: str, where: Span | None) -> DataError:
    return DataError(f"the column '{name}' has a row without a time", where, got="null, or NaN",
                     expected="a time for each row", help="filter such rows out")


def null_in_order(name: str, where: Span | None) -> DataError:
    return DataError(f"the column '{name}', which gives the order, has a null", where,
                     expected="a place for each row", got="null",
                     help="filter such rows out, or let another column give the order")
