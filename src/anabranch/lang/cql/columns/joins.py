"""Joins over columns: the changes of a slice in runs, in each of which one side changes only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from anabranch.lang.cql.columns.delta import Delta, stable_order, stacked
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.nulls import NULL
from anabranch.lang.cql.columns.pairs import Keys, at_once, one_by_one
from anabranch.lang.cql.columns.sides import Side
from anabranch.lang.cql.columns.terms import Compute

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
