"""Aggregates over columns: exact sums, running totals of keys, least and greatest.

Sums and averages of floats that are rounded once, as `rows.folds` rounds them.

A float is a whole multiple of 2 to the power of -80, held in limbs of 32 bits, which are summed one
by one as whole numbers are. A float too large or too fine for that is refused.

Running totals of keys: what they are before and after every instant that changes them.

Of all this only `Known` needs the slices in order, and it does little: it looks up the totals that
the keys of a slice have had. Adding up before it, and what follows from the totals behind it, is
done for several slices at once.

The least and the greatest values of keys, while values come and go.

Values are words whose order is theirs, see `words`; for the greatest, their signs are turned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anabranch.ir.types import BOOL, FLOAT, INT, TIMESTAMP, Type
from anabranch.lang.cql.algebra import AggregateCall
from anabranch.lang.cql.execution.columns.slices import Delta, stable_order
from anabranch.lang.cql.execution.columns.terms import Compute
from anabranch.lang.cql.execution.columns.values import (
    Ranked,
    bounded,
    largest,
    numbered,
    packed,
    tuples,
    unpacked,
    words,
)
from anabranch.lang.cql.execution.rows.folds import Min
from anabranch.plan.logical.whole import Unfinished

WHOLE = 2.0 ** 53
"""Floats hold all whole numbers up to this."""

Totals = tuple[np.ndarray, ...]
"""How many rows a key has, and behind that the totals of all amounts."""

Result = Callable[[Totals], np.ndarray]


@dataclass(frozen=True)
class Amounts:
    """The amounts of the values of a term: they themselves, or the limbs of floats."""

    value: Compute
    type: Type

    @property
    def count(self) -> int:
        return LIMBS if self.type == FLOAT else 1

    def of(self, relation: Delta) -> Iterator[np.ndarray]:
        """The amounts of rows, as often as they are added."""
        column = self.value(relation.columns, len(relation))
        for amount in limbs(column) if self.type == FLOAT else [column]:
            bounded(largest(amount) * largest(relation.n))
            yield amount * relation.n


def result(call: AggregateCall, places: Iterator[int]) -> Result:
    """What an aggregate says of the totals, the first of which is at the next place."""
    if call.function == "count":
        return lambda totals: totals[0]
    first = next(places)
    if call.argument.type == FLOAT:
        return _of_floats(call.function, slice(first, first + LIMBS))
    return _average(first) if call.function == "avg" else lambda totals: totals[first]


def _of_floats(function: str, places: slice) -> Result:
    def nearest(totals: Totals) -> np.ndarray:
        counts = np.maximum(totals[0], 1)
        return quotients(totals[places], counts if function == "avg" else np.ones_like(counts))
    return nearest


def _average(place: int) -> Result:
    def mean(totals: Totals) -> np.ndarray:
        # Python divides whole numbers of any size exactly, arrays only those that floats hold.
        if largest(totals[place]) >= WHOLE:
            raise Unfinished
        return totals[place] / np.maximum(totals[0], 1)
    return mean


LIMBS, BITS, UNIT = 4, 32, 80
MASK = (1 << BITS) - 1
DIGITS = 53
FINER = 3
"""So many limbs more a quotient has, which is then never too short to be rounded."""

MOST = 1 << 31
Limbs = Sequence[np.ndarray]
"""From the lowest to the highest."""


def limbs(column: np.ndarray) -> list[np.ndarray]:
    """The limbs of floats, with the signs of the floats.

    >>> [limb.tolist() for limb in limbs(np.array([-1.5]))]
    [[0], [0], [-98304], [0]]
    """
    digits, shift = _scaled(column)
    sign, size = np.sign(digits), np.abs(digits)
    at, bits = shift // BITS, shift % BITS
    low, high = (size & MASK) << bits, (size >> BITS) << bits
    parts = low & MASK, (low >> BITS) + (high & MASK), high >> BITS
    return [sign * sum(np.where(at == number - place, part, 0) for place, part in enumerate(parts))
            for number in range(LIMBS)]


def _scaled(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and by how many bits each has to be shifted to count the unit."""
    fraction, exponent = np.frexp(column)
    if not np.isfinite(column).all():
        raise Unfinished
    digits = np.ldexp(fraction, DIGITS).astype(np.int64)
    shift = np.where(digits == 0, 0, exponent.astype(np.int64) - DIGITS + UNIT)
    fine = np.clip(-shift, 0, DIGITS + 1)
    if (digits & ((np.int64(1) << fine) - 1)).any() or (shift + DIGITS > LIMBS * BITS).any():
        raise Unfinished
    return digits >> fine, np.maximum(shift, 0)


def quotients(totals: Limbs, counts: np.ndarray) -> np.ndarray:
    """The floats nearest to totals divided by counts, which are not 0.

    >>> quotients(limbs(np.array([1.0, -0.1])), np.array([3, 1])).tolist()
    [0.3333333333333333, -0.1]
    """
    if len(counts) and counts.max() >= MOST:
        raise Unfinished
    negative = _carried(totals)[-1] < 0
    digits = _carried([np.where(negative, -limb, limb) for limb in totals])
    nothing = np.zeros(len(counts), np.int64)
    quotient, rest = _divided([*[nothing] * FINER, *digits], counts)
    size = _rounded(quotient, rest != 0, -UNIT - FINER * BITS)
    return np.where(negative, -size, size)


def _carried(totals: Limbs) -> list[np.ndarray]:
    """The same number, whose limbs but for the highest are below the base."""
    found, carry = [], np.zeros_like(totals[0])
    for limb in (*totals, np.zeros_like(totals[0])):
        found.append((limb + carry) & MASK)
        carry = (limb + carry) >> BITS
    return [*found, carry]


def _divided(digits: Limbs, counts: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    found, rest = [], np.zeros(len(counts), np.int64)
    for limb in reversed(digits):
        whole = (rest << BITS) | limb
        found.append(whole // counts)
        rest = whole % counts
    return found[::-1], rest


def _rounded(digits: Limbs, more: np.ndarray, exponent: int) -> np.ndarray:
    """The floats nearest to numbers, a bit more than which there is where `more` says so; of two
    that are as near, the even one."""
    stacked = np.stack(digits).astype(np.uint64)
    rows = np.arange(stacked.shape[1])
    top = np.maximum(len(digits) - 1 - np.argmax(stacked[::-1] != 0, 0), 2)
    first, second, third = (stacked[top - down, rows] for down in range(3))
    width = np.frexp(first.astype(np.float64))[1].astype(np.uint64)
    word = (first << (64 - width)) | (second << (BITS - width)) | (third >> width)
    lower = np.cumsum(stacked, 0)[top - 2, rows] - third
    inexact = more | (lower != 0) | ((third & ((np.uint64(1) << width) - 1)) != 0)
    half, rest, kept = np.uint64(1 << 10), word & np.uint64((1 << 11) - 1), word >> np.uint64(11)
    up = (rest > half) | ((rest == half) & (inexact | ((kept & np.uint64(1)) != 0)))
    scale = top * BITS + width.astype(np.int64) - 64 + 11 + exponent
    return np.ldexp((kept + up).astype(np.float64), scale)


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


ORDERED = (INT, FLOAT, BOOL, TIMESTAMP)
"""Values whose words have their order."""

SIGNS = {"min": 1, "max": -1}


@dataclass(frozen=True)
class Extreme:
    """The values of a term of which the first in order counts."""

    value: Compute
    type: Type
    sign: int

    def of(self, relation: Delta) -> np.ndarray:
        return self.sign * words(self.value(relation.columns, len(relation)), self.type)

    def shown(self, found: np.ndarray) -> np.ndarray:
        return unpacked(self.sign * found, self.type)[0]


class First:
    """The first of the values of each key; a key without any is forgotten."""

    def __init__(self):
        self.folds: dict[tuple, Min] = {}

    def moved(self, keys: Sequence[tuple], starts: Sequence[int], values: Sequence[int],
              n: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The first value before and after each of several changes, of which each has a key and
        some values; 0 where there is none."""
        found = [self._changed(key, values[a:b], n[a:b])
                 for key, (a, b) in zip(keys, pairwise([*starts, len(values)]))]
        before, after = np.array(found, np.int64).reshape(-1, 2).T
        return before, after

    def _changed(self, key: tuple, values: Sequence[int], n: Sequence[int]) -> tuple[int, int]:
        fold = self.folds.get(key)
        if fold is None:
            fold = self.folds[key] = Min()
        before = fold.result()
        for value, times in zip(values, n):
            fold.change(value, times)
        after = fold.result()
        if after is None:
            del self.folds[key]
        return before or 0, after or 0
