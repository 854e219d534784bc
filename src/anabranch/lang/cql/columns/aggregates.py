"""Aggregates that follow from totals: what is summed for each of them, and what the totals say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from anabranch.ir.types import FLOAT, Type
from anabranch.ir.whole import Unfinished
from anabranch.lang.cql.columns.delta import Delta
from anabranch.lang.cql.columns.exact import LIMBS, limbs, quotients
from anabranch.lang.cql.columns.terms import Compute
from anabranch.lang.cql.columns.values import bounded, largest
from anabranch.lang.cql.sra import AggregateCall

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
