"""Operators that go through the rows of a slice in plain Python, instant by instant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from anabranch.errors import AnabranchError
from anabranch.ir.types import INT, Type
from anabranch.ir.whole import Unfinished
from anabranch.lang.cql.columns.delta import Delta
from anabranch.lang.cql.columns.inputs import Slice
from anabranch.lang.cql.columns.values import Texts, of_values, to_values
from anabranch.lang.cql.running.batches import Change

Operate = Callable[..., Sequence[Change]]
"""The changes of a result at a time, from those of each input."""


class ByRows:
    """An operator of `running` for one instant after another. `at_each` says which: those with
    changes ("change"), also the first of all ("first"), or every one ("instant")."""

    ordered = True

    def __init__(self, operate: Operate, inputs: Sequence[Sequence[Type]], types: Sequence[Type],
                 clock: Type, texts: Texts, at_each: str = "change"):
        self.operate, self.inputs, self.types = operate, inputs, types
        self.clock, self.texts, self.at_each = clock, texts, at_each
        self.begun = False

    def run(self, now: Slice, *relations: Delta) -> Delta:
        changes = [self._by_instant(r, types) for r, types in zip(relations, self.inputs)]
        at, rows = [], []
        times = to_values(now.times, self.clock, self.texts)
        try:
            for i in self._instants(changes, len(times)):
                found = self.operate(times[i], *(c.get(i, ()) for c in changes))
                at += [i] * len(found)
                rows += found
        except (AnabranchError, ArithmeticError, ValueError, TypeError):
            raise Unfinished from None
        return self._delta(at, rows)

    def _instants(self, changes: list[dict], count: int) -> Sequence[int]:
        if self.at_each == "instant":
            return range(count)
        first = {0} if self.at_each == "first" and not self.begun else set()
        self.begun = True
        return sorted(first.union(*changes))

    def _by_instant(self, delta: Delta, types: Sequence[Type]) -> dict[int, Sequence[Change]]:
        values = [to_values(c, t, self.texts) for c, t in zip(delta.columns, types)]
        changes = list(zip(zip(*values), delta.n.tolist()))
        starts = np.flatnonzero(np.append(True, delta.at[1:] != delta.at[:-1]) if len(delta)
                                else delta.at)
        ends = np.append(starts[1:], len(delta))
        return {int(delta.at[a]): changes[a:b] for a, b in zip(starts.tolist(), ends.tolist())}

    def _delta(self, at: list[int], changes: list[Change]) -> Delta:
        columns = zip(*(row for row, _ in changes)) if changes else [()] * len(self.types)
        return Delta(np.array(at, np.int64), np.array([n for _, n in changes], np.int64),
                     tuple(of_values(c, t, self.texts) for c, t in zip(columns, self.types)))


class WithArrivals(ByRows):
    """As `ByRows`, for an operator that is also given what came from some inputs of the program."""

    def __init__(self, names: Collection[str], *of_rows: object):
        super().__init__(*of_rows)
        self.names, self.inputs = names, [*self.inputs, [INT]]

    def run(self, now: Slice, *relations: Delta) -> Delta:
        at = np.unique(np.concatenate([now.inputs[name].at for name in self.names]))
        return super().run(now, *relations, Delta(at, np.ones(len(at), np.int64), (at,)))
