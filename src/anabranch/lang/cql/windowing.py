"""The operators of windows that are not cut up by a key."""

from __future__ import annotations

from datetime import timedelta
from fractions import Fraction

from anabranch.ir.operators import Apply
from anabranch.ir.types import INT, TIMESTAMP, Type
from anabranch.lang.common.code import function
from anabranch.lang.cql.code import RUNNING, row_of
from anabranch.lang.cql.running.windows import Kept, Partitions
from anabranch.lang.cql.sra import Window, column_term

BODIES = {"now": "now(state, batch)", "range": "recent(state, batch, length)",
          "rows": "last_rows(state, batch, count)"}
SLIDING = {"range": "sliding(state, batch, length, slide)",
           "rows": "sliding_rows(state, batch, count, slide)"}


def window(node: Window, time: Type) -> Apply:
    """The operator of a window, on streams whose timestamps are of the type."""
    slide = duration(node.slide, time if node.kind == "range" else INT)
    scope = {**RUNNING, "count": node.rows, "length": duration(node.length, time), "slide": slide}
    body = (BODIES if slide is None else SLIDING).get(node.kind)
    if node.kind == "partitioned":
        key = row_of(tuple(column_term(node.relation, i) for i in node.by))
        body = f"last_recent_rows(state, batch, lambda r: {key}, count, length)"
    state = Partitions if node.kind == "partitioned" else Kept
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
