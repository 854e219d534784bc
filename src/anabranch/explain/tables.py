"""What there is to say of a program beyond its operators and regions, in tables."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.explain.synchronization import synchronization
from anabranch.ir.whole import whole_of
from anabranch.plan import Plan

Rows = list[tuple[str, ...]]


def tables(plan: Plan) -> Iterable[tuple[str, tuple[str, ...], Rows]]:
    """Titles, the names of the columns, and the rows."""
    whole = whole_of(plan.program) if plan.program is not None else None
    return (*synchronization(plan), *(() if whole is None else whole.tables()))
