"""The operators of `running` for one instant after another: what columns have no way for.

Each comes with the instants at which it must be called: see `ByRows`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from anabranch.ir.types import Type
from anabranch.lang.common.code import function
from anabranch.lang.common.terms import Term
from anabranch.lang.cql import sra
from anabranch.lang.cql.code import RUNNING, condition, keyed, row_of
from anabranch.lang.cql.columns.rows import Operate
from anabranch.lang.cql.folding import fold_kinds
from anabranch.lang.cql.running import marks, relations, streams, windows
from anabranch.lang.cql.running.batches import Batch, Change, Pair
from anabranch.lang.cql.running.shards import Entry, Shard
from anabranch.lang.cql.windowing import duration

Placed = tuple[Operate, str]


@singledispatch
def row_operator(node: sra.Node, clock: Type) -> Placed:
    """The operator of a node, and at which instants it is called."""
    raise TypeError(f"no operator on rows is known for a {type(node).__name__}")


@row_operator.register
def _window(node: sra.Window, clock: Type) -> Placed:
    if node.kind == "rows":
        kept, slide = windows.Kept(), int(node.slide)
        return lambda time, rows: windows.sliding_rows(
            kept, Batch(time, rows), node.rows, slide)[0].changes, "change"
    key = tuple(sra.column_term(node.relation, i) for i in node.by)
    state = windows.Partitions()
    of, length = function(f"lambda r: {row_of(key)}", node.span).call, duration(node.length, clock)
    return lambda time, rows: windows.last_recent_rows(
        state, Batch(time, rows), of, node.rows, length)[0].changes, "instant"


@row_operator.register
def _to_stream(node: sra.ToStream, clock: Type) -> Placed:
    state = streams.Present()
    return lambda time, changes, came: streams.rstream(
        state, Pair(time, changes, came))[0].changes, "change"


@row_operator.register
def _group(node: sra.Group, clock: Type) -> Placed:
    values, kinds = row_of(tuple(c.argument for c in node.calls)), fold_kinds(node.calls)
    if node.keys:
        groups, entries = relations.Groups(), _entries(node.keys, values)
        return lambda time, changes: relations.grouped(
            groups, _shard(time, entries(changes)), kinds)[0].changes, "change"
    whole, of = relations.Whole(), function(f"lambda r: {values}", node.span).call
    return lambda time, changes: relations.aggregated(
        whole, Batch(time, changes), of, kinds)[0].changes, "first"


@row_operator.register
def _mark(node: sra.Mark, clock: Type) -> Placed:
    left, right, mark = _entries(node.left_keys), _entries(node.right_keys), _marking(node)
    return lambda time, a, b: mark(_shard(time, left(a), right(b)))[0].changes, "change"


def _marking(node: sra.Mark) -> Callable[[Shard], list]:
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
