"""Joins over columns: runs in which only one side changes, and rows kept.

Rows are kept from slice to slice in columns, by a number and by their keys. What goes with what is
found change by change, or for many changes of one side at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from anabranch.lang.cql.execution.columns.slices import Delta, Slice, stable_order, stacked
from anabranch.lang.cql.execution.columns.terms import Compute
from anabranch.lang.cql.execution.columns.values import NULL, numbered_rows, tuples

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


Sides = tuple[Side, Side]
Keys = Sequence[np.ndarray]
Change = tuple[Key, Row, int, int, int]
"""The key, the row, how often it is added, when, and its place in the delta."""


def one_by_one(sides: Sides, turns: Iterable[int], keys: Sequence[Keys], deltas: Sequence[Delta]
               ) -> Delta:
    """The pairs of changes that come in turn from either side, 0 or 1."""
    pairs = Pairs(sides)
    changes = [_changes(*each) for each in zip(keys, deltas)]
    for own in turns:
        pairs.change(own, *next(changes[own]))
    return pairs.delta(deltas)


def _changes(keys: Keys, delta: Delta) -> Iterator[Change]:
    everywhere = np.arange(len(delta))
    return zip(tuples(keys, everywhere), tuples(delta.columns, everywhere), delta.n.tolist(),
               delta.at.tolist(), range(len(delta)))


class Pairs:
    """Pairs as they are found: the number of the row on each side, when, how often."""

    def __init__(self, sides: Sides):
        self.sides = sides
        self.numbers: tuple[list, list] = [], []
        self.new: tuple[tuple[list, list], ...] = ([], []), ([], [])
        self.gone: tuple[list, list] = [], []
        self.at: list[int] = []
        self.n: list[int] = []

    def change(self, own: int, key: Key, row: Row, n: int, at: int, place: int) -> None:
        """Adds a row `n` times to its side."""
        entry, is_new = self.sides[own].entry(key, row)
        if is_new:
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
            self.sides[own].forget(key, row)

    def delta(self, deltas: Sequence[Delta]) -> Delta:
        """The pairs as rows. Only now the numbers of rows that are gone are free."""
        columns: list[np.ndarray] = []
        for side, numbers, new, gone, delta in zip(self.sides, self.numbers, self.new, self.gone,
                                                   deltas):
            side.store(*new, delta)
            columns += [column[np.array(numbers, np.int64)] for column in side.columns]
            side.free.extend(gone)
        return Delta(np.array(self.at, np.int64), np.array(self.n, np.int64), tuple(columns))


def at_once(sides: Sides, own: int, keys: Keys, deltas: Sequence[Delta]) -> Delta:
    """The pairs of changes of one side only, while the other one stays as it is: each key is looked
    up once, and a row that comes and goes again is not put down at all."""
    delta, other = deltas[own], sides[1 - own]
    other.store([], [], deltas[1 - own])
    number, firsts = numbered_rows(keys, len(delta))
    found = [other.by_key.get(key, {}).values() for key in tuples(keys, firsts)]
    there = np.array([entry for entries in found for entry in entries], np.int64).reshape(-1, 2)
    rows, matched = _matched(np.array([len(entries) for entries in found]), number)
    numbers, times = there[matched].T
    columns = ([column[rows] for column in delta.columns],
               [column[numbers] for column in other.columns])
    _put_down(sides[own], keys, delta)
    return Delta(delta.at[rows], delta.n[rows] * times, (*columns[own], *columns[1 - own]))


def _matched(counts: np.ndarray, number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each row with each of the things of its key, when these stand one key after another.

    >>> [found.tolist() for found in _matched(np.array([2, 1]), np.array([1, 0]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    own = counts[number]
    rows = np.repeat(np.arange(len(number)), own)
    first = (np.cumsum(counts) - counts)[number] - (np.cumsum(own) - own)
    return rows, first[rows] + np.arange(len(rows))


def _put_down(side: Side, keys: Keys, delta: Delta) -> None:
    """Adds what is left of all changes to their side."""
    number, firsts = numbered_rows(delta.columns, len(delta))
    left = np.zeros(len(firsts), np.int64)
    np.add.at(left, number, delta.n)
    places, new, gone = firsts[left != 0], ([], []), []
    for key, row, n, place in zip(tuples(keys, places), tuples(delta.columns, places),
                                  left[left != 0].tolist(), places.tolist()):
        entry, is_new = side.entry(key, row)
        if is_new:
            new[0].append(entry[0])
            new[1].append(place)
        entry[1] += n
        if not entry[1]:
            gone.append(entry[0])
            side.forget(key, row)
    side.store(*new, delta)
    side.free.extend(gone)


MANY = 256
"""A run of so many changes is worth the calls for all of them at once."""


class Join:
    """Each row of the left with each row of the right of the same key. Null equals nothing."""

    ordered = True

    def __init__(self, left: Sequence[Compute], right: Sequence[Compute], nullable: Sequence[bool]):
        self.keys, self.sides, self.nullable = (left, right), (Side(), Side()), nullable

    def run(self, now: Slice, *relations: Delta) -> Delta:
        relations = [self._known(*each) for each in zip(self.keys, relations)]
        at = np.concatenate([delta.at for delta in relations])
        side = np.repeat([0, 1], [len(delta) for delta in relations])
        order = stable_order(2 * at + side)
        place = np.where(side, np.arange(len(at)) - len(relations[0]), np.arange(len(at)))[order]
        parts = [self._part(side[order][a:b], place[a:b], relations)
                 for a, b in runs(side[order])]
        return _joined(parts or [self._part(side, side, relations)])

    def _known(self, keys: Sequence[Compute], delta: Delta) -> Delta:
        """The rows without null in their keys."""
        for key, maybe in zip(keys, self.nullable):
            if maybe:
                delta = delta.taken(key(delta.columns, len(delta)) != NULL)
        return delta

    def _part(self, turns: np.ndarray, places: np.ndarray, relations: Sequence[Delta]) -> Delta:
        """The pairs of some changes: whose turn it is, and the place of each in its relation."""
        deltas = [each.taken(places[turns == own]) for own, each in enumerate(relations)]
        keys: list[Keys] = [[key(delta.columns, len(delta)) for key in of]
                            for of, delta in zip(self.keys, deltas)]
        if len(turns) >= MANY and (turns == turns[0]).all():
            own = int(turns[0])
            return at_once(self.sides, own, keys[own], deltas)
        return one_by_one(self.sides, turns.tolist(), keys, deltas)


def runs(turns: np.ndarray) -> Iterator[tuple[int, int]]:
    """From where to where one side changes many times; what is between such runs stays together.

    >>> list(runs(np.array([0, 1, *[0] * MANY, 1, 0])))
    [(0, 2), (2, 258), (258, 260)]
    """
    edges = np.flatnonzero(np.diff(turns, prepend=-1, append=-1))
    long = np.flatnonzero(np.diff(edges) >= MANY)
    cuts = np.unique(np.concatenate([[0], edges[long], edges[long + 1], [len(turns)]]))
    return zip(cuts[:-1].tolist(), cuts[1:].tolist())


def _joined(parts: Sequence[Delta]) -> Delta:
    """Several parts, each behind the one before it in time."""
    if len(parts) == 1:
        return parts[0]
    return Delta(np.concatenate([part.at for part in parts]),
                 np.concatenate([part.n for part in parts]),
                 stacked([part.columns for part in parts]))
