"""Columns of values: whole numbers, floats, truth values and times as they are, texts by a number.

Times are microseconds; of columns that may be null see `nulls`. Whatever would not come back as the
same Python value is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type
from anabranch.ir.whole import Unfinished
from anabranch.lang.cql.columns.nulls import NULL, unpacked, words

_KNOWN = {INT: np.int64, FLOAT: np.float64, BOOL: np.bool_, STR: np.int64, TIMESTAMP: np.int64}
KINDS = {**_KNOWN, **{OptionalOf(kind): np.int64 for kind in _KNOWN}}
PYTHON = {INT: int, FLOAT: float, BOOL: bool, STR: str, TIMESTAMP: datetime}
LARGE = 2.0 ** 62
"""Whole numbers beyond this are left to Python."""


class Texts:
    """Gives every text a number of its own, whichever thread asks; the empty one has 0.

    >>> texts = Texts()
    >>> texts.codes(["b", "a", "b"]).tolist(), texts.values[1]
    ([1, 2, 1], 'b')
    """

    def __init__(self):
        self.numbers: dict[str, int] = {"": 0}
        self.values: list[str] = [""]
        self.lock = Lock()

    def codes(self, texts: Sequence[str]) -> np.ndarray:
        with self.lock:
            return np.fromiter(map(self._code, texts), np.int64, len(texts))

    def _code(self, text: str) -> int:
        found = self.numbers.setdefault(text, len(self.values))
        if found == len(self.values):
            self.values.append(text)
        return found


def of_array(array: pa.Array, kind: Type, texts: Texts) -> np.ndarray:
    """The column of an Arrow array without nulls."""
    if array.null_count:
        raise Unfinished
    if kind == STR:
        encoded = array.dictionary_encode()
        return texts.codes(encoded.dictionary.to_pylist())[encoded.indices.to_numpy()]
    if kind == TIMESTAMP:
        return _wall_clock(array)
    return checked(array.to_numpy(zero_copy_only=False), kind)


def _wall_clock(array: pa.Array) -> np.ndarray:
    """Instants are for rows: a column here does not say which it holds."""
    if array.type.tz is not None:
        raise Unfinished
    return array.cast(pa.int64()).to_numpy()


def of_values(values: Sequence[object], kind: Type, texts: Texts) -> np.ndarray:
    """The column of Python values, each of which must be just of its type."""
    if isinstance(kind, OptionalOf):
        return _of_some(values, kind.item, texts)
    if not set(map(type, values)) <= {PYTHON[kind]}:
        raise Unfinished
    if kind == STR:
        return texts.codes(values)
    if kind == TIMESTAMP and any(value.tzinfo is not None for value in values):
        raise Unfinished
    if kind == TIMESTAMP:
        return np.array(values, "datetime64[us]").astype(np.int64)
    try:
        return checked(np.array(values, KINDS[kind]), kind)
    except OverflowError:
        raise Unfinished from None


def _of_some(values: Sequence[object], kind: Type, texts: Texts) -> np.ndarray:
    """The column of values some of which are None."""
    column = np.full(len(values), NULL)
    there = [value is not None for value in values]
    given = [value for value in values if value is not None]
    column[there] = words(of_values(given, kind, texts), kind)
    return column


def checked(column: np.ndarray, kind: Type) -> np.ndarray:
    """The column itself. NaN is not equal to itself, and of two zeros that are equal one is
    written in another way: with these, rows would not be told apart by their values."""
    if kind == FLOAT and (np.isnan(column).any() or (np.signbit(column) & (column == 0)).any()):
        raise Unfinished
    return column


def to_values(column: np.ndarray, kind: Type, texts: Texts) -> list:
    """The Python values of a column."""
    if isinstance(kind, OptionalOf):
        column, missing = unpacked(column, kind.item)
        values = to_values(column, kind.item, texts)
        return [None if gone else value for gone, value in zip(missing.tolist(), values)]
    if kind == STR:
        return [texts.values[code] for code in column.tolist()]
    return column.astype("datetime64[us]").tolist() if kind == TIMESTAMP else column.tolist()


def to_array(column: np.ndarray, kind: Type, texts: Texts) -> pa.Array:
    """The Arrow array of a column."""
    if isinstance(kind, OptionalOf):
        column, missing = unpacked(column, kind.item)
        array = to_array(column, kind.item, texts)
        return pc.if_else(pa.array(missing), pa.scalar(None, array.type), array)
    if kind == STR:
        used, codes = np.unique(column, return_inverse=True)
        return pa.array([texts.values[code] for code in used.tolist()], pa.string()).take(
            pa.array(codes))
    return pa.array(column).cast(pa.timestamp("us")) if kind == TIMESTAMP else pa.array(column)


def bounded(*sizes: float) -> None:
    """Refuses whole numbers that may become too large."""
    if any(not size < LARGE for size in sizes):
        raise Unfinished


def largest(column: np.ndarray) -> float:
    """The size of a column's largest number."""
    return max(abs(float(column.max())), abs(float(column.min()))) if len(column) else 0.0
