"""Rows that are kept from slice to slice, in columns by a number; of a join, also by their keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.lang.cql.columns.delta import Delta

Key = tuple
Row = tuple


class Store:
    """The columns have the values of each number; one that is free again is used for another row.
    """

    def __init__(self):
        self.columns: tuple[np.ndarray, ...] = ()
        self.free: list[int] = []
        self.size = 0

    def number(self) -> int:
        if self.free:
            return self.free.pop()
        self.size += 1
        return self.size - 1

    def store(self, numbers: Sequence[int], rows: Sequence[int], delta: Delta) -> None:
        """Puts rows of the delta at their numbers."""
        if not self.columns or not self.size:
            self.columns = tuple(np.empty(0, column.dtype) for column in delta.columns)
        self.columns = tuple(_longer(column, self.size) for column in self.columns)
        if len(numbers):
            for column, new in zip(self.columns, delta.columns):
                column[numbers] = new[rows]


class Side(Store):
    """The rows of one side of a join: by key and row, a number and how often it is there."""

    def __init__(self):
        super().__init__()
        self.by_key: dict[Key, dict[Row, list[int]]] = {}

    def entry(self, key: Key, row: Row) -> tuple[list[int], bool]:
        """The number of a row and how often it is there, and whether it is new."""
        rows = self.by_key.setdefault(key, {})
        found = rows.get(row)
        if found is not None:
            return found, False
        rows[row] = [self.number(), 0]
        return rows[row], True

    def forget(self, key: Key, row: Row) -> None:
        """What is there no times leaves no trace, but for its number."""
        rows = self.by_key[key]
        del rows[row]
        if not rows:
            del self.by_key[key]


def _longer(column: np.ndarray, size: int) -> np.ndarray:
    if size <= len(column):
        return column
    return np.concatenate([column, np.empty(2 * size - len(column), column.dtype)])
