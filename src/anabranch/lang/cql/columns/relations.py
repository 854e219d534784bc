"""Operators on relations over columns: from the changes of a slice to those of the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from anabranch.ir.types import STR, Type
from anabranch.ir.whole import Unfinished
from anabranch.lang.cql.columns.aggregates import Amounts
from anabranch.lang.cql.columns.delta import Delta, stable_order, together
from anabranch.lang.cql.columns.extremes import Extreme
from anabranch.lang.cql.columns.inputs import Slice, nothing
from anabranch.lang.cql.columns.ranking import Ranked, ranked
from anabranch.lang.cql.columns.terms import Compute
from anabranch.lang.cql.columns.totals import Moves, Sums, moves, summed
from anabranch.lang.cql.columns.values import Texts


class Same:
    """An input of the slice, or the rows of a window that never ends."""

    ordered = False

    def __init__(self, name: str | None = None):
        self.name = name

    def run(self, now: Slice, *relation: Delta) -> Delta:
        return now.inputs[self.name] if self.name else relation[0]


class Filter:
    ordered = False

    def __init__(self, holds: Compute):
        self.holds = holds

    def run(self, now: Slice, relation: Delta) -> Delta:
        return relation.taken(self.holds(relation.columns, len(relation)))


class Project:
    ordered = False

    def __init__(self, terms: Sequence[Compute]):
        self.terms = terms

    def run(self, now: Slice, relation: Delta) -> Delta:
        return Delta(relation.at, relation.n, tuple(
            term(relation.columns, len(relation)) for term in self.terms))


class UnionAll:
    ordered = False

    def run(self, now: Slice, left: Delta, right: Delta) -> Delta:
        return together([left, right])


class GroupSums:
    """Adds up, for each key, the number of its rows and its values."""

    ordered = False

    def __init__(self, keys: Sequence[Compute], types: Sequence[Type], values: Sequence[Amounts],
                 extremes: Sequence[Extreme], texts: Texts):
        self.keys, self.types, self.texts = keys, types, texts
        self.values, self.extremes = values, extremes

    def run(self, now: Slice, relation: Delta) -> Sums | None:
        columns, rows, n = relation.columns, len(relation), relation.n
        if not rows:
            return None
        keys = tuple(key(columns, rows) for key in self.keys)
        amounts = [n, *(amount for value in self.values for amount in value.of(relation))]
        return summed(relation.at, keys, ranks(keys, self.types, self.texts), amounts,
                      [extreme.of(relation) for extreme in self.extremes])


class Groups:
    """A row for each key that has rows: the key, and what `results` says of its totals."""

    ordered = False

    def __init__(self, results: Sequence[Callable], types: Sequence[Type]):
        self.results, self.types = results, types

    def run(self, now: Slice, known: tuple | None) -> Delta:
        if known is None:
            return nothing(self.types)
        moved = moves(*known)
        return replaced(moved, self.results, moved.before[0] > 0, moved.after[0] > 0)


def replaced(moved: Moves, results: Sequence[Callable], old: np.ndarray, new: np.ndarray) -> Delta:
    """The rows of keys and results that go and come, where there is an old and a new one."""
    before, after = ([how(totals) for how in results] for totals in (moved.before, moved.after))
    same = old & new & np.logical_and.reduce(list(map(np.equal, before, after)))
    order = stable_order(moved.at)
    found = np.flatnonzero(_in_turn(old & ~same, new & ~same).reshape(-1, 2)[order])
    which, is_new = order[found >> 1], found & 1
    columns = (_in_turn(*both)[2 * which + is_new] for both in zip(before, after))
    return Delta(moved.at[which], 2 * is_new - 1, (*moved.keys(which), *columns))


def _in_turn(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """What goes and what comes, one after the other.

    >>> _in_turn(np.array([1, 2]), np.array([3, 4])).tolist()
    [1, 3, 2, 4]
    """
    return np.stack([old, new], 1).ravel()


class RowSums:
    """Adds up how often each row is in each of the relations."""

    ordered = False

    def __init__(self, types: Sequence[Type], texts: Texts):
        self.types, self.texts = types, texts

    def run(self, now: Slice, *relations: Delta) -> Sums | None:
        both = together([Delta(r.at, r.n, (*r.columns, np.full(len(r), i)))
                         for i, r in enumerate(relations)])
        if not len(both):
            return None
        *columns, side = both.columns
        amounts = [np.where(side == i, both.n, 0) for i in range(len(relations))]
        return summed(both.at, tuple(columns), ranks(columns, self.types, self.texts), amounts)


class Counted:
    """Each row as often as `times` says, of how often it is in each of the relations."""

    ordered = False

    def __init__(self, times: Callable, types: Sequence[Type]):
        self.times, self.types = times, types

    def run(self, now: Slice, known: tuple | None) -> Delta:
        if known is None:
            return nothing(self.types)
        moved = moves(*known)
        n = self.times(*moved.after) - self.times(*moved.before)
        which = np.flatnonzero(n)
        which = which[stable_order(moved.at[which])]
        return Delta(moved.at[which], n[which], moved.keys(which))


def there(count: np.ndarray) -> np.ndarray:
    """The times of a row in a relation from outside, which cannot lose what it has not."""
    if (count < 0).any():
        raise Unfinished
    return count


def ranks(columns: Sequence[np.ndarray], types: Sequence[Type], texts: Texts) -> list[Ranked]:
    """The ranks of columns as keys, for which texts need no order."""
    return [_unordered(c) if t == STR else ranked(c, t, texts) for c, t in zip(columns, types)]


def _unordered(codes: np.ndarray) -> Ranked:
    return codes, int(codes.max()) + 1
