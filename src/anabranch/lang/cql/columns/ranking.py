"""Rows as single numbers, by which they are compared, sorted and grouped at the speed of arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat

import numpy as np

from anabranch.ir.types import STR, OptionalOf, Type
from anabranch.lang.cql.columns.nulls import unpacked
from anabranch.lang.cql.columns.values import Texts

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
