"""Joins over columns: what goes with what is found key by key, in plain Python, as pairs of
numbers; the rows themselves stay in their columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.lang.cql.columns.delta import Delta, stable_order
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.nulls import NULL
from anabranch.lang.cql.columns.terms import Columns, Compute


class Side:
    """The rows of one side: by key and row, a number and how often it is there. The columns have
    the values of each number; one that is free again is used for another row."""

    def __init__(self):
        self.by_key: dict[tuple, dict[tuple, list[int]]] = {}
        self.columns: Columns = ()
        self.free: list[int] = []
        self.size = 0

    def number(self) -> int:
        if self.free:
            return self.free.pop()
        self.size += 1
        return self.size - 1

    def store(self, numbers: list[int], rows: list[int], delta: Delta) -> None:
        """Puts rows of the delta at their numbers."""
        if not self.columns or not self.size:
            self.columns = tuple(np.empty(0, column.dtype) for column in delta.columns)
        self.columns = tuple(_longer(column, self.size) for column in self.columns)
        if numbers:
            for column, new in zip(self.columns, delta.columns):
                column[numbers] = new[rows]


def _longer(column: np.ndarray, size: int) -> np.ndarray:
    if size <= len(column):
        return column
    return np.concatenate([column, np.empty(2 * size - len(column), column.dtype)])


class Join:
    """Each row of the left with each row of the right of the same key. Null equals nothing."""

    ordered = True

    def __init__(self, left: Sequence[Compute], right: Sequence[Compute], nullable: Sequence[bool]):
        self.keys, self.sides, self.nullable = (left, right), (Side(), Side()), nullable

    def run(self, now: Slice, *relations: Delta) -> Delta:
        relations = [self._known(*each) for each in zip(self.keys, relations)]
        pairs = Pairs(self.sides)
        at = np.concatenate([delta.at for delta in relations])
        side = np.repeat([0, 1], [len(delta) for delta in relations])
        order = stable_order(2 * at + side)
        changes = [change for keys, delta in zip(self.keys, relations)
                   for change in _changes(keys, delta)]
        for i, own in zip(order.tolist(), side[order].tolist()):
            pairs.change(own, *changes[i])
        return pairs.delta(relations)

    def _known(self, keys: Sequence[Compute], delta: Delta) -> Delta:
        """The rows without null in their keys."""
        for key, maybe in zip(keys, self.nullable):
            if maybe:
                delta = delta.taken(key(delta.columns, len(delta)) != NULL)
        return delta


def _changes(keys: Sequence[Compute], delta: Delta) -> Sequence[tuple]:
    """The key, the row, how often, when, and at which place of the delta."""
    rows = len(delta)
    key = zip(*(k(delta.columns, rows).tolist() for k in keys)) if keys else [()] * rows
    row = zip(*(column.tolist() for column in delta.columns))
    return list(zip(key, row, delta.n.tolist(), delta.at.tolist(), range(rows)))


class Pairs:
    """What goes with what in one slice: the number of the row on each side, when, how often."""

    def __init__(self, sides: tuple[Side, Side]):
        self.sides = sides
        self.numbers: tuple[list, list] = [], []
        self.new: tuple[tuple[list, list], ...] = ([], []), ([], [])
        self.gone: tuple[list, list] = [], []
        self.at: list[int] = []
        self.n: list[int] = []

    def change(self, own: int, key: tuple, row: tuple, n: int, at: int, place: int) -> None:
        """Adds a row `n` times to its side; what is there no times leaves no trace."""
        rows = self.sides[own].by_key.setdefault(key, {})
        entry = rows.get(row)
        if entry is None:
            entry = rows[row] = [self.sides[own].number(), 0]
            self.new[own][0].append(entry[0])
            self.new[own][1].append(place)
        if others := self.sides[1 - own].by_key.get(key):
            self.numbers[own].extend([entry[0]] * len(others))
            self.numbers[1 - own].extend([number for number, _ in others.values()])
            self.n.extend([n * times for _, times in others.values()])
            self.at.extend([at] * len(others))
        entry[1] += n
        if not entry[1]:
            self.gone[own].append(entry[0])
            del rows[row]
            if not rows:
                del self.sides[own].by_key[key]

    def delta(self, relations: Sequence[Delta]) -> Delta:
        """The pairs as rows. Only now the numbers of rows that are gone are free."""
        columns: list[np.ndarray] = []
        for side, numbers, new, gone, delta in zip(self.sides, self.numbers, self.new, self.gone,
                                                   relations):
            side.store(*new, delta)
            columns += [column[np.array(numbers, np.int64)] for column in side.columns]
            side.free.extend(gone)
        return Delta(np.array(self.at, np.int64), np.array(self.n, np.int64), tuple(columns))
