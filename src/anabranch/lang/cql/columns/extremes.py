"""The least and the greatest values of keys, while values come and go.

Values are words whose order is theirs, see `nulls`; for the greatest, their signs are turned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anabranch.ir.types import BOOL, FLOAT, INT, TIMESTAMP, Type
from anabranch.lang.cql.columns.delta import Delta
from anabranch.lang.cql.columns.nulls import unpacked, words
from anabranch.lang.cql.columns.terms import Compute
from anabranch.lang.cql.running.folds import Min

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
