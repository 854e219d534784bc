"""Columns of values: numbers and times as such, texts by number; nulls, ranks.

Rows become single numbers, their ranks, by which they are compared, sorted and grouped at the speed
of arrays.

Columns of values: whole numbers, floats, truth values and times as they are, texts by a number.

Times are microseconds; of columns that may be null see `words`. Whatever would not come back as the
same Python value is refused.

Columns that may be null: words of 64 bits, of which the least stands for null.

The words are ordered like the values, null before all others, so that rows with nulls are compared,
sorted and grouped as rows of whole numbers are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import repeat
from threading import Lock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type
from anabranch.plan.logical.whole import Unfinished

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


NULL = np.iinfo(np.int64).min
MAGNITUDE = np.iinfo(np.int64).max


def words(column: np.ndarray, kind: Type) -> np.ndarray:
    """The words of a column without nulls.

    >>> words(np.array([-2.5, -1.0, 0.0, 3.0]), FLOAT).argsort().tolist()
    [0, 1, 2, 3]
    """
    if kind == FLOAT:
        return _turned(column.view(np.int64))
    found = column.astype(np.int64)
    if (found == NULL).any():
        raise Unfinished
    return found


def unpacked(found: np.ndarray, kind: Type) -> tuple[np.ndarray, np.ndarray]:
    """The column of some words, with any value for null, and where it is null.

    >>> [part.tolist() for part in unpacked(np.array([NULL, 1]), BOOL)]
    [[False, True], [True, False]]
    """
    missing = found == NULL
    filled = np.where(missing, 0, found)
    if kind == FLOAT:
        return _turned(filled).view(np.float64), missing
    return filled.astype(np.bool_) if kind == BOOL else filled, missing


def _turned(bits: np.ndarray) -> np.ndarray:
    """The bits of floats in the order of their values, and the other way round: of numbers below
    zero the magnitude counts backwards."""
    return np.where(bits < 0, bits ^ MAGNITUDE, bits)


SPACE = 1 << 62
DENSE = 4
"""A table of all possible numbers pays while it is at most so many times as long as the rows."""

Ranked = tuple[np.ndarray, int]
"""Numbers from 0 up to a bound, ordered like the values they stand for."""


def ranked(column: np.ndarray, kind: Type, texts: Texts) -> Ranked:
    """The ranks of a column's values."""
    if not len(column):
        return column.astype(np.int64), 1
    if kind == STR:
        return _ranked_texts(column, texts)
    if kind == OptionalOf(STR):
        codes, missing = unpacked(column, STR)
        ranks, bound = _ranked_texts(codes, texts)
        return np.where(missing, 0, ranks + 1), bound + 1
    return ranked_values(column)


def ranked_values(column: np.ndarray) -> Ranked:
    """The ranks of numbers, of which there is one at least."""
    if column.dtype.kind in "ib":
        low, high = int(column.min()), int(column.max())
        if high - low < 1 << 31:
            return column.astype(np.int64) - low, high - low + 1
    found, ranks = np.unique(column, return_inverse=True)
    return ranks, len(found)


def _ranked_texts(column: np.ndarray, texts: Texts) -> Ranked:
    used, codes = np.unique(column, return_inverse=True)
    order = sorted(range(len(used)), key=[texts.values[c] for c in used.tolist()].__getitem__)
    ranks = np.empty(len(used), np.int64)
    ranks[order] = np.arange(len(used))
    return ranks[codes], len(used)


def packed(columns: Sequence[Ranked], rows: int) -> Ranked:
    """The ranks of whole rows, from the first column to the last.

    >>> packed([(np.array([1, 0, 1]), 2), (np.array([0, 2, 2]), 3)], 3)[0].tolist()
    [3, 2, 5]
    """
    ranks, bound = np.zeros(rows, np.int64), 1
    for column, size in columns:
        if bound * size >= SPACE:
            found, ranks = np.unique(ranks, return_inverse=True)
            bound = len(found)
        ranks, bound = ranks * size + column, bound * size
    return ranks, bound


def numbered(ranks: np.ndarray, bound: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct ranks numbered from 0: the number of each row, and the first row of each.

    >>> [a.tolist() for a in numbered(np.array([7, 3, 7]), 8)]
    [[1, 0, 1], [1, 0]]
    """
    if bound > DENSE * len(ranks) + 1024:
        _, firsts, numbers = np.unique(ranks, return_index=True, return_inverse=True)
        return numbers, firsts
    present = np.zeros(bound, np.bool_)
    present[ranks] = True
    found = np.flatnonzero(present)
    table = np.empty(bound, np.int64)
    table[found] = np.arange(len(found))
    numbers, firsts = table[ranks], np.empty(len(found), np.int64)
    # The last assignment counts, which is that of the first row.
    firsts[numbers[::-1]] = np.arange(len(ranks) - 1, -1, -1)
    return numbers, firsts


def numbered_rows(columns: Sequence[np.ndarray], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows numbered from 0, of which there is one at least: see `numbered`."""
    return numbered(*packed(list(map(ranked_values, columns)), rows))


def tuples(columns: Sequence[np.ndarray], places: np.ndarray) -> Iterable[tuple]:
    """The rows at some places.

    >>> list(tuples([], np.array([0, 2])))
    [(), ()]
    """
    return zip(*(c[places].tolist() for c in columns)) if columns else repeat((), len(places))
