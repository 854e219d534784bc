"""The steps of a group, from the aggregates that it has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from anabranch.ir.types import FLOAT, INT
from anabranch.lang.cql import sra
from anabranch.lang.cql.columns.aggregates import Amounts, Result, result
from anabranch.lang.cql.columns.extremes import ORDERED, SIGNS, Extreme
from anabranch.lang.cql.columns.relations import Groups, GroupSums
from anabranch.lang.cql.columns.terms import Compute, computed
from anabranch.lang.cql.columns.totals import Known
from anabranch.lang.cql.columns.ungrouped import Ungrouped, or_null
from anabranch.lang.cql.columns.values import Texts

TAKEN = {"count": None, "sum": (INT, FLOAT), "avg": (INT, FLOAT), "min": ORDERED, "max": ORDERED}
"""The types of values that columns can aggregate; a count is of any."""


def is_known(call: sra.AggregateCall) -> bool:
    """Whether columns have a way for an aggregate."""
    if call.distinct or (call.argument is not None and call.argument.optional):
        return False
    types = TAKEN[call.function]
    return types is None or call.argument.type in types


def grouped(node: sra.Group, keys: Sequence[Compute], texts: Texts) -> tuple:
    """Adds up, looks up, and gives the rows that change."""
    def value(call: sra.AggregateCall) -> Compute:
        return computed(call.argument, node.relation.schema, texts)
    values = [Amounts(value(call), call.argument.type)
              for call in node.calls if call.function in ("sum", "avg")]
    extremes = [Extreme(value(call), call.argument.type, SIGNS[call.function])
                for call in node.calls if call.function in SIGNS]
    amounts = 1 + sum(each.count for each in values)
    results = _results(node.calls, values, extremes, amounts)
    sums = GroupSums(keys, [key.type for key in node.keys], values, extremes, texts)
    last = Groups(results, [c.type for c in node.schema]) if node.keys else _ungrouped(
        node, results, amounts + len(extremes))
    return sums, Known(amounts, len(extremes)), last


def _results(calls: Sequence[sra.AggregateCall], values: Sequence[Amounts],
             extremes: Sequence[Extreme], amounts: int) -> list[Result]:
    places = iter(accumulate((each.count for each in values), initial=1))
    shown = (_shown(extreme, amounts + number) for number, extreme in enumerate(extremes))
    return [next(shown) if call.function in SIGNS else result(call, places) for call in calls]


def _shown(extreme: Extreme, place: int) -> Result:
    return lambda totals: extreme.shown(totals[place])


def _ungrouped(node: sra.Group, results: Sequence[Result], totals: int) -> Ungrouped:
    return Ungrouped([how if call.function == "count" else or_null(how, column.type.item)
                      for how, call, column in zip(results, node.calls, node.schema)], totals)
