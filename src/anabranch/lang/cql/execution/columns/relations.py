"""Operators on relations over columns: from a slice's changes to the result's.

Also the steps of a group, from the aggregates that it has, where there are no keys too: one row at
any instant, also when there is nothing to aggregate. Relations become streams, and what is written,
as in `rows.operators`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
import pyarrow as pa

from anabranch.ir.types import FLOAT, INT, STR, Type
from anabranch.lang.cql import algebra
from anabranch.lang.cql.execution.columns.aggregates import (
    ORDERED,
    SIGNS,
    Amounts,
    Extreme,
    Known,
    Moves,
    Result,
    Sums,
    Totals,
    begins,
    moves,
    result,
    summed,
)
from anabranch.lang.cql.execution.columns.slices import (
    Delta,
    Slice,
    nothing,
    stable_order,
    together,
)
from anabranch.lang.cql.execution.columns.terms import Compute, computed
from anabranch.lang.cql.execution.columns.values import (
    NULL,
    Ranked,
    Texts,
    packed,
    ranked,
    to_array,
    words,
)
from anabranch.plan.logical.whole import Unfinished


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


TAKEN = {"count": None, "sum": (INT, FLOAT), "avg": (INT, FLOAT), "min": ORDERED, "max": ORDERED}
"""The types of values that columns can aggregate; a count is of any."""


def is_known(call: algebra.AggregateCall) -> bool:
    """Whether columns have a way for an aggregate."""
    if call.distinct or (call.argument is not None and call.argument.optional):
        return False
    types = TAKEN.get(call.function, ())
    return types is None or call.argument.type in types


def grouped(node: algebra.Group, keys: Sequence[Compute], texts: Texts) -> tuple:
    """Adds up, looks up, and gives the rows that change."""
    def value(call: algebra.AggregateCall) -> Compute:
        return computed(call.argument, node.relation.schema, texts)
    values = [Amounts(value(call), call.argument.type)
              for call in node.calls if call.function in ("sum", "avg")]
    extremes = [Extreme(value(call), call.argument.type, SIGNS[call.function])
                for call in node.calls if call.function in SIGNS]
    amounts = 1 + sum(each.count for each in values)
    results = _results(node.calls, values, extremes, amounts)
    sums = GroupSums(keys, [key.type for key in node.keys], values, extremes, texts)
    last = Groups(results, [c.type for c in node.schema]) if node.keys else _ungrouped(
        node, results, amounts + len(extremes))
    return sums, Known(amounts, len(extremes)), last


def _results(calls: Sequence[algebra.AggregateCall], values: Sequence[Amounts],
             extremes: Sequence[Extreme], amounts: int) -> list[Result]:
    places = iter(accumulate((each.count for each in values), initial=1))
    shown = (_shown(extreme, amounts + number) for number, extreme in enumerate(extremes))
    return [next(shown) if call.function in SIGNS else result(call, places) for call in calls]


def _shown(extreme: Extreme, place: int) -> Result:
    return lambda totals: extreme.shown(totals[place])


def _ungrouped(node: algebra.Group, results: Sequence[Result], totals: int) -> Ungrouped:
    return Ungrouped([how if call.function == "count" else or_null(how, column.type.item)
                      for how, call, column in zip(results, node.calls, node.schema)], totals)


class Ungrouped:
    """What `results` says of the totals of all rows, from the first instant on."""

    ordered = True

    def __init__(self, results: Sequence[Result], amounts: int):
        self.results, self.begun = results, False
        self.nothing = (np.zeros(1, np.int64),) * amounts

    def run(self, now: Slice, known: tuple | None) -> Delta:
        moved = self._none() if known is None else moves(*known)
        there = np.ones(len(moved.at), np.bool_)
        if self.begun:
            return replaced(moved, self.results, there, there)
        self.begun = True
        if not len(moved.at) or moved.at[0]:
            moved, there = self._from_nothing(moved), np.append(there, True)
        return replaced(moved, self.results, np.arange(len(there)) > 0, there)

    def _none(self) -> Moves:
        never = np.zeros(0, np.int64)
        return Moves(never, never, (), *2 * (tuple(total[:0] for total in self.nothing),))

    def _from_nothing(self, moved: Moves) -> Moves:
        """As if something had happened at the first instant."""
        def extended(totals: Totals) -> Totals:
            return tuple(map(np.append, self.nothing, totals))
        return Moves(np.append(0, moved.at), np.append(0, moved.row), moved.columns,
                     extended(moved.before), extended(moved.after))


def or_null(how: Result, kind: Type) -> Result:
    """What an aggregate that is not a count says: of no rows, nothing."""
    return lambda totals: np.where(totals[0] > 0, words(how(totals), kind), NULL)


class Changed:
    """The rows that are new at each instant, or with `sign` -1 those that are gone, in order."""

    ordered = False

    def __init__(self, types: Sequence[Type], sign: int, texts: Texts):
        self.types, self.sign, self.texts = types, sign, texts

    def run(self, now: Slice, relation: Delta) -> Delta:
        places, n = net(relation, self.types, self.texts)
        found = n * self.sign > 0
        places = _each(places[found], n[found])
        return Delta(relation.at[places], np.ones(len(places), np.int64),
                     tuple(column[places] for column in relation.columns))


class Written:
    """The batches of a sink: the time, `op` for a relation, and the columns."""

    ordered = False

    def __init__(self, types: Sequence[Type], clock: Type, is_stream: bool, texts: Texts,
                 schema: pa.Schema):
        self.types, self.clock, self.is_stream = types, clock, is_stream
        self.texts, self.schema = texts, schema

    def run(self, now: Slice, result: Delta) -> pa.RecordBatch:
        if self.is_stream:
            return self._batch(now.times[result.at], [], result.columns)
        places, n = net(result, self.types, self.texts)
        order = stable_order(2 * result.at[places] + (n > 0))
        places, n = places[order], n[order]
        rows = _each(places, n)
        return self._batch(now.times[result.at[rows]], [_signs(_each(n, n))],
                           [column[rows] for column in result.columns])

    def _batch(self, times: np.ndarray, leading: list[pa.Array], columns: Sequence[np.ndarray]
               ) -> pa.RecordBatch:
        arrays = [to_array(c, t, self.texts) for c, t in zip(columns, self.types)]
        return pa.RecordBatch.from_arrays(
            [to_array(times, self.clock, self.texts), *leading, *arrays], schema=self.schema)


def _signs(n: np.ndarray) -> pa.Array:
    return pa.array(["-", "+"]).take(pa.array((n > 0).astype(np.int8)))


def _each(rows: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Every row as often as it is there, or is gone."""
    times = np.abs(n)
    return np.repeat(rows, times) if (times > 1).any() else rows


def net(delta: Delta, types: Sequence[Type], texts: Texts) -> tuple[np.ndarray, np.ndarray]:
    """A place of every row that changes, by instants and then by the order of the rows, and how
    often it is added in all."""
    if not len(delta):
        return delta.at, delta.n
    rows = [(delta.at, int(delta.at[-1]) + 1),
            *(ranked(c, t, texts) for c, t in zip(delta.columns, types))]
    numbers, _ = packed(rows, len(delta))
    order = stable_order(numbers)
    starts = np.flatnonzero(begins(numbers[order]))
    n = np.add.reduceat(delta.n[order], starts)
    changed = n != 0
    return order[starts][changed], n[changed]
