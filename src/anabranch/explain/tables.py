"""What the language of a program has to say of it, in tables."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.ir.whole import whole_of
from anabranch.plan import Plan

Rows = list[tuple[str, ...]]


def tables(plan: Plan) -> Iterable[tuple[str, tuple[str, ...], Rows]]:
    """Titles, the names of the columns, and the rows."""
    whole = whole_of(plan.program) if plan.program is not None else None
    return () if whole is None else whole.tables()
