"""Which state of a team an event belongs to, and its tag: whole columns at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from anabranch.batch.buckets import Route
from anabranch.batch.items import Columns
from anabranch.batch.record_batch import with_dictionary
from anabranch.io.values.scalars import HIGHEST, LOWEST
from anabranch.ir.keys import canonical
from anabranch.ir.operators import key_function
from anabranch.kernels.native.team.distribution import number_among
from anabranch.runtime.gang.tagging import Numbered, Tagging, at_places

COLD = -1
"""Stands for the number of a state where an event goes to a bucket of keys."""


class OnlyState:
    """All events belong to one state; each has the tag that `tagged` finds."""

    def __init__(self, tagged: Tagging):
        self.tagged = tagged

    def numbered(self, items: Sequence[object]) -> Numbered:
        """Pairs of a state's number and a tag, and which of them each item has."""
        tags, number_of, codes = self.tagged.numbered(items)
        return [(0, tag) for tag in tags], number_of, codes


class StateOfKey:
    """Events of `hot` keys have the number of their key, the others the bucket of theirs."""

    def __init__(self, tagged: Tagging, by: tuple[str, ...], hot: Sequence[Hashable], buckets: int):
        self.tagged, self.by, self.key_of = tagged, by, key_function(by)
        self.hot, self.buckets = {key: number for number, key in enumerate(hot)}, buckets
        self.route = Route(0, (by,), buckets)
        self.steps = _steps([key if len(by) > 1 else (key,) for key in hot], len(by))

    def numbered(self, items: Sequence[object]) -> Numbered:
        """The same; instead of a tag the bucket, where the state is `COLD`."""
        buckets = [(COLD, bucket) for bucket in range(self.buckets)]
        if not self.hot:
            return buckets, np.arange(len(buckets)), self.route.buckets_of(items)
        tags, number_of, codes = self.tagged.numbered(items)
        pairs = [*((number, tag) for number in self.hot.values() for tag in tags), *buckets]
        states = self._states(items)
        numbers = states * len(tags) + number_of[codes]
        cold = np.flatnonzero(states == len(self.hot))
        few = items if len(cold) == len(items) else at_places(items, cold)
        numbers[cold] = len(self.hot) * len(tags) + self.route.buckets_of(few)
        return pairs, np.arange(len(pairs)), numbers

    def _states(self, items: Sequence[object]) -> np.ndarray:
        """The number of each item's key; that behind the last one for all that are not hot."""
        if not isinstance(items, Columns):
            return np.array([self._state(item) for item in items], np.int64)
        first, *others = ((_numbers(items.column(attribute), values), table)
                          for attribute, (values, table) in zip(self.by, self.steps))
        # With a single attribute the number of its value is that of the key.
        return reduce(lambda before, step: step[1][before, step[0]], others, first[0])

    def _state(self, item: object) -> int:
        try:
            return self.hot.get(self.key_of(item), len(self.hot))
        except Exception:
            # The operator will fail on this item, and say so better.
            return len(self.hot)


def _steps(keys: list[tuple], attributes: int) -> list[tuple[list, np.ndarray]]:
    """For each attribute, its values in the keys; and from the number of what comes before it, and
    of its value, to the number of both together. Others have the number behind the last.

    >>> [(values, table.tolist()) for values, table in _steps([("a", 1), ("b", 1)], 2)]
    [(['a', 'b'], [[0, 1, 2], [2, 2, 2]]), ([1], [[0, 2], [1, 2], [2, 2]])]
    """
    steps, before = [], {(): 0}
    for place in range(attributes):
        values = list(dict.fromkeys(key[place] for key in keys))
        after = {begin: n for n, begin in enumerate(dict.fromkeys(k[:place + 1] for k in keys))}
        table = np.full((len(before) + 1, len(values) + 1), len(after), np.int64)
        for begin, number in after.items():
            table[before[begin[:-1]], values.index(begin[-1])] = number
        steps.append((values, table))
        before = after
    return steps


def _numbers(column: pa.Array, values: list) -> np.ndarray:
    """Which of the values each entry is; the number behind the last for others."""
    if pa.types.is_integer(column.type) and not column.null_count and set(
            map(type, values)) <= {int} and all(LOWEST <= value <= HIGHEST for value in values):
        return number_among(column.to_numpy(), np.array(values, np.int64))
    coded, numbers = with_dictionary(column), {value: n for n, value in enumerate(values)}
    known = [numbers.get(canonical(value), len(values)) for value in coded.dictionary.to_pylist()]
    return np.array(known, np.int64)[coded.indices.to_numpy()]
