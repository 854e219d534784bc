"""Running totals of keys: what they are before and after every instant that changes them.

Of all this only `Known` needs the slices in order, and it does little: it looks up the totals that
the keys of a slice have had. Adding up before it, and what follows from the totals behind it, is
done for several slices at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.lang.cql.columns.delta import stable_order
from anabranch.lang.cql.columns.extremes import First
from anabranch.lang.cql.columns.ranking import Ranked, numbered, packed, tuples
from anabranch.lang.cql.columns.values import bounded, largest

Columns = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Sums:
    """For every key and instant that changes it, by keys and then by instants: the instant, the
    number of the key, and the sum of each amount. Each key has its values, the number of a `row`
    with it among the `columns`, and its `first` sum. Each sum `starts` at a place among `rows`:
    how often each row is added, and the values of which the first in order counts."""

    at: np.ndarray
    key: np.ndarray
    sums: Columns
    first: np.ndarray
    row: np.ndarray
    columns: Columns
    starts: np.ndarray
    rows: Columns

    @property
    def keys(self) -> list[tuple]:
        return list(tuples(self.columns, self.row))


@dataclass(frozen=True)
class Moves:
    """For every key and instant that changes it: the number of a `row` with the key among the
    columns, and the key's totals."""

    at: np.ndarray
    row: np.ndarray
    columns: Columns
    before: Columns
    after: Columns

    def keys(self, which: np.ndarray) -> Columns:
        """The keys of some moves."""
        row = self.row[which]
        return tuple(column[row] for column in self.columns)


def summed(at: np.ndarray, columns: Columns, ranks: Sequence[Ranked],
           amounts: Sequence[np.ndarray], values: Sequence[np.ndarray] = ()) -> Sums:
    """The amounts of each key at each instant added up; `at` is in order, and there are rows."""
    numbers, rows = numbered(*packed(ranks, len(at)))
    order = stable_order(numbers)
    key, time = numbers[order], at[order]
    starts = np.flatnonzero(begins(key) | begins(time))
    key, time = key[starts], time[starts]
    sums = tuple(np.add.reduceat(amount[order], starts) for amount in amounts)
    bounded(*(float(np.abs(s.astype(np.float64)).sum()) for s in sums))
    single = tuple(column[order] for column in (amounts[0], *values)) if values else ()
    return Sums(time, key, sums, np.flatnonzero(begins(key)), rows, columns, starts, single)


def begins(numbers: np.ndarray) -> np.ndarray:
    """Whether a number differs from the one before it."""
    return np.append(True, numbers[1:] != numbers[:-1])


class Known:
    """The totals of all keys; one of which nothing is left is forgotten."""

    ordered = True

    def __init__(self, amounts: int, extremes: int = 0):
        self.totals: dict[tuple, tuple[int, ...]] = {}
        self.extremes = [First() for _ in range(extremes)]
        self.nothing = (0,) * amounts

    def run(self, now: object, sums: Sums | None) -> tuple[Sums, Columns, list] | None:
        """The sums, the totals that each of their keys has had, and the first values before and
        after each sum; None when nothing changes."""
        if sums is None:
            return None
        keys = sums.keys
        before = np.array([self.totals.get(key, self.nothing) for key in keys], np.int64).T
        bounded(*map(largest, before))
        after = [b + np.add.reduceat(s, sums.first) for b, s in zip(before, sums.sums)]
        for key, totals in zip(keys, zip(*(column.tolist() for column in after))):
            if any(totals):
                self.totals[key] = totals
            else:
                self.totals.pop(key, None)
        return sums, tuple(before), self._first(sums, keys) if self.extremes else []

    def _first(self, sums: Sums, keys: list[tuple]) -> list[tuple[np.ndarray, np.ndarray]]:
        of = [keys[number] for number in sums.key.tolist()]
        n, *values = (column.tolist() for column in sums.rows)
        starts = sums.starts.tolist()
        return [each.moved(of, starts, own, n) for each, own in zip(self.extremes, values)]


def moves(sums: Sums, initial: Columns, extremes: Sequence[tuple[np.ndarray, np.ndarray]]) -> Moves:
    """The totals of each key, and behind them the extremes, before and after each of its sums."""
    after = tuple(_running(s, sums.first, i, sums.key) for s, i in zip(sums.sums, initial))
    before = tuple(a - s for a, s in zip(after, sums.sums))
    return Moves(sums.at, sums.row[sums.key], sums.columns, (*before, *(b for b, _ in extremes)),
                 (*after, *(a for _, a in extremes)))


def _running(sums: np.ndarray, first: np.ndarray, initial: np.ndarray, key: np.ndarray
             ) -> np.ndarray:
    total = np.cumsum(sums)
    return total + (initial - (total[first] - sums[first]))[key]
