"""What goes with what in a join: change by change, or for many changes of one side at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from anabranch.lang.cql.columns.delta import Delta
from anabranch.lang.cql.columns.ranking import numbered_rows, tuples
from anabranch.lang.cql.columns.sides import Key, Row, Side

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
