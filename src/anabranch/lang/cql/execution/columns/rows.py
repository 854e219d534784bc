"""Operators that go through the rows of a slice in plain Python, instant by instant.

The operators of `rows` for one instant after another: what columns have no way for.

Each comes with the instants at which it must be called: see `ByRows`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import singledispatch

import numpy as np

from anabranch.core.errors import AnabranchError
from anabranch.ir.types import INT, Type
from anabranch.lang.common.codegen import function
from anabranch.lang.common.terms import Term
from anabranch.lang.cql import algebra
from anabranch.lang.cql.codegen import RUNNING, condition, fold_kinds, keyed, row_of, window
from anabranch.lang.cql.execution.columns.slices import Delta, Slice
from anabranch.lang.cql.execution.columns.values import Texts, of_values, to_values
from anabranch.lang.cql.execution.rows import operators as marks
from anabranch.lang.cql.execution.rows import operators as relations
from anabranch.lang.cql.execution.rows import operators as streams
from anabranch.lang.cql.execution.rows.batches import Batch, Change, Entry, Pair, Shard
from anabranch.plan.logical.whole import Unfinished

Operate = Callable[..., Sequence[Change]]
"""The changes of a result at a time, from those of each input."""


class ByRows:
    """An operator on rows for one instant after another. `at_each` says which: those with
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


Placed = tuple[Operate, str]


@singledispatch
def row_operator(node: algebra.Node, clock: Type) -> Placed:
    """The operator of a node, and at which instants it is called."""
    raise TypeError(f"no operator on rows is known for a {type(node).__name__}")


@row_operator.register
def _window(node: algebra.Window, clock: Type) -> Placed:
    kind = window(node, clock)
    state, operate = kind.state(), kind.function.call
    at_each = "change" if node.kind == "rows" else "instant"
    return lambda time, rows: operate(state, Batch(time, rows))[0].changes, at_each


@row_operator.register
def _to_stream(node: algebra.ToStream, clock: Type) -> Placed:
    state = streams.Present()
    return lambda time, changes, came: streams.rstream(
        state, Pair(time, changes, came))[0].changes, "change"


@row_operator.register
def _group(node: algebra.Group, clock: Type) -> Placed:
    values, kinds = row_of(tuple(c.argument for c in node.calls)), fold_kinds(node.calls)
    if node.keys:
        groups, entries = relations.Groups(), _entries(node.keys, values)
        return lambda time, changes: relations.grouped(
            groups, _shard(time, entries(changes)), kinds)[0].changes, "change"
    whole, of = relations.Whole(), function(f"lambda r: {values}", node.span).call
    return lambda time, changes: relations.aggregated(
        whole, Batch(time, changes), of, kinds)[0].changes, "first"


@row_operator.register
def _mark(node: algebra.Mark, clock: Type) -> Placed:
    left, right, mark = _entries(node.left_keys), _entries(node.right_keys), _marking(node)
    return lambda time, a, b: mark(_shard(time, left(a), right(b)))[0].changes, "change"


def _marking(node: algebra.Mark) -> Callable[[Shard], list]:
    if node.condition is None:
        members = marks.Members()
        return lambda shard: marks.marked(members, shard)
    goes_with = function(f"lambda r, q: {condition(node.condition, nested=True)}", node.span).call
    matches = marks.Matches()
    return lambda shard: marks.matched(matches, shard, goes_with)


def _entries(keys: tuple[Term, ...], values: str = "r") -> Callable[[list[Change]], list[Entry]]:
    """The entries of changes, for operators that work by keys."""
    return function(f"lambda changes: {keyed('changes', keys, values)}", None, RUNNING).call


def _shard(time: object, left: list[Entry], right: list[Entry] | tuple = ()) -> Shard:
    """All keys in one."""
    return Shard(time, 0, 1, left, right)
