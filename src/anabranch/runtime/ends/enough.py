"""How many items are enough, where only the first ones are asked for."""

from __future__ import annotations

from anabranch.analysis.fact import StateKind
from anabranch.io.lateness import InTime
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Apply, Head, Map
from anabranch.plan.logical.plan import Plan


def enough(plan: Plan) -> dict[str, int]:
    """How many items each sink will get before nothing more can come; empty, if not all of them
    stand behind a `head`, or if somebody can see which rows are read."""
    graph = plan.program
    most = {op.name: _most(graph, op) for op in graph.sinks}
    if None in most.values() or not all(_only_computes(plan, op) for op in graph):
        return {}
    return most


def _most(graph: Graph, op: Operator) -> int | None:
    """How many items come to an operator at most, and no fewer where there are so many."""
    if len(op.inputs) != 1:
        return None
    before = graph.writer(op.inputs[0])
    kind = before.kind
    if isinstance(kind, Map):
        return _most(graph, before)
    is_head = isinstance(kind, Apply) and kind.stateful and issubclass(kind.state, Head)
    return kind.state.most if is_head and not kind.by else None


def _only_computes(plan: Plan, op: Operator) -> bool:
    if op.is_source:
        return not isinstance(op.kind.spec, InTime)
    known = plan.known_of(op.name)
    return op.is_sink or (known is not None and known.state.value.kind is not StateKind.UNKNOWN)
