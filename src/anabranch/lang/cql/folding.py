"""The folds of a query's aggregates."""

from __future__ import annotations

from anabranch.ir.operators import Apply
from anabranch.ir.types import without_none
from anabranch.lang.common.code import function
from anabranch.lang.cql.code import RUNNING, row_of
from anabranch.lang.cql.running.folds import fold_of
from anabranch.lang.cql.running.relations import Whole
from anabranch.lang.cql.sra import AggregateCall, Group


def fold_kinds(calls: tuple[AggregateCall, ...]) -> tuple:
    """For each call its fold, and whether it sees distinct values."""
    return tuple((_fold(call), call.distinct) for call in calls)


def _fold(call: AggregateCall) -> type:
    value = None if call.argument is None else str(without_none(call.argument.type))
    return fold_of(call.function, value)


def aggregation(node: Group, kinds: tuple) -> Apply:
    """The operator of aggregates over all rows."""
    values = row_of(tuple(c.argument for c in node.calls))
    body = f"lambda state, batch: aggregated(state, batch, lambda r: {values}, kinds)"
    return Apply(function(body, node.span, RUNNING | {"kinds": kinds}), Whole)
