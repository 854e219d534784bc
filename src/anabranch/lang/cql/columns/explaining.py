"""What the user is told of a program in columns: how each operator runs, and what it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from anabranch.ir.whole import Measured
from anabranch.lang.cql.columns.joins import Join
from anabranch.lang.cql.columns.measuring import Spent, measured
from anabranch.lang.cql.columns.rows import ByRows
from anabranch.lang.cql.columns.steps import Placed, Steps
from anabranch.lang.cql.sra import Node, Window
from anabranch.plan import Reason, StageTier


def stages(steps: Steps) -> tuple[StageTier, ...]:
    """What goes through whole columns, and what through rows."""
    return tuple(StageTier((_name(node),), *_tier(node, steps.placed[number].step))
                 for node, number in steps.known.items())


def operators(placed: Sequence[Placed], found: Sequence[Spent]) -> Iterator[Measured]:
    """What each operator did, and what was done to write the results."""
    for of, pairs in groupby(zip(placed, found), lambda pair: pair[0].of):
        own, did = zip(*pairs)
        tier = "" if isinstance(of, str) else _tier(of, own[-1].step)[0]
        yield measured(_name(of), tier, own, did)


def _name(of: Node | str) -> str:
    """What the user calls an operator of the algebra."""
    if isinstance(of, str):
        return of
    kind = f"[{of.kind}]" if isinstance(of, Window) else None
    name = kind or getattr(of, "operator", None) or getattr(of, "name", None)
    return name or type(of).__name__.lower()


def _tier(node: Node, step: object) -> tuple[str, Reason | None]:
    if isinstance(step, ByRows):
        return "rows", Reason("it finds its rows one by one, in slices of many instants", node.span)
    if isinstance(step, Join):
        return "columns", Reason("where both sides change in turn, change by change", node.span)
    return "columns", None
