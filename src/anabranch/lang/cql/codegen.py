"""The bodies of operators as Python source: terms over rows, folds, and windows.

In the source `r` is a row, and `q` one of a query inside of a condition.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from fractions import Fraction

from anabranch.ir.operators import Apply
from anabranch.ir.types import INT, TIMESTAMP, Type, without_none
from anabranch.lang.common.codegen import function, generated, truth
from anabranch.lang.common.terms import Term
from anabranch.lang.cql.algebra import AggregateCall, Group, Window, column_term
from anabranch.lang.cql.execution.rows import batches, operators
from anabranch.lang.cql.execution.rows import batches as shards
from anabranch.lang.cql.execution.rows.folds import fold_of
from anabranch.lang.cql.execution.rows.operators import Hops, Kept, Partitions, Sessions, Whole

RUNNING = {name: value for module in (batches, operators, operators, shards, operators, operators)
           for name, value in vars(module).items() if not name.startswith("_")}


def column(slot: object) -> str:
    return f"r[{slot}]"


def column_of_either(slot: object) -> str:
    """In a condition that names two queries: `r` is a row of the outer one."""
    return f"r[{slot[1]}]" if isinstance(slot, tuple) else f"q[{slot}]"


def condition(term: Term, nested: bool = False) -> str:
    return truth(term, column_of_either if nested else column)


def row_of(terms: Iterable[Term | None]) -> str:
    """A tuple of terms; nothing becomes None.

    >>> row_of((None,))
    '(None,)'
    """
    texts = ["None" if term is None else generated(term, column) for term in terms]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def keyed(changes: str, keys: tuple[Term, ...] | None, values: str = "r") -> str:
    """The entries of changes: each with its key, which is the whole row without terms for it."""
    key = "r" if keys is None else row_of(keys)
    return f"[({key}, {values}, n) for r, n in {changes}]"


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


BODIES = {"now": "now(state, batch)", "range": "recent(state, batch, length)",
          "rows": "last_rows(state, batch, count)"}
STATES = {"partitioned": Partitions, "hop": Hops, "session": Sessions}
SLIDING = {"range": "sliding(state, batch, length, slide)",
           "rows": "sliding_rows(state, batch, count, slide)",
           "hop": "hopped(state, batch, length, slide)"}
OF_KEYS = {"partitioned": "last_recent_rows(state, batch, lambda r: {key}, count, length)",
           "session": "ended_sessions(state, batch, lambda r: {key}, length)"}


def window(node: Window, time: Type) -> Apply:
    """The operator of a window, on streams whose timestamps are of the type."""
    slide = duration(node.slide, INT if node.kind == "rows" else time)
    scope = {**RUNNING, "count": node.rows, "length": duration(node.length, time), "slide": slide}
    body = (BODIES if slide is None else SLIDING).get(node.kind)
    if node.kind in OF_KEYS:
        key = row_of(tuple(column_term(node.relation, i) for i in node.by))
        body = OF_KEYS[node.kind].format(key=key)
    state = STATES.get(node.kind, Kept)
    return Apply(function(f"lambda state, batch: {body}", node.span, scope), state)


def duration(seconds: Fraction | None, time: Type) -> object:
    """A length of time in the unit of the timestamps: numbers count seconds.

    >>> duration(Fraction(60), TIMESTAMP), duration(Fraction(1, 2), Type())
    (datetime.timedelta(seconds=60), 0.5)
    """
    if seconds is None:
        return None
    if time == TIMESTAMP:
        return timedelta(microseconds=int(seconds * 1_000_000))
    return int(seconds) if seconds.denominator == 1 else float(seconds)
