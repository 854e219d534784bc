"""Aggregates of all rows: one row at any instant, also when there is nothing to aggregate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.ir.types import Type
from anabranch.lang.cql.columns.aggregates import Result, Totals
from anabranch.lang.cql.columns.delta import Delta
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.nulls import NULL, words
from anabranch.lang.cql.columns.relations import replaced
from anabranch.lang.cql.columns.totals import Moves, moves


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
