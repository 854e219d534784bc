"""Order: whether anything downstream can observe the order of the outputs."""

from __future__ import annotations

from collections.abc import Mapping

from anabranch.analysis.fact import Fact, StateKind, StateOf
from anabranch.analysis.facts import declarations
from anabranch.analysis.facts.selectivity import selectivity
from anabranch.ir.graph import Graph, Operator

States = Mapping[str, Fact[StateOf]]


def orders(graph: Graph, states: States) -> dict[str, Fact[bool]]:
    """The fact for every operator: from the observers backwards to all that leads to them."""
    found: dict[str, Fact[bool]] = {}
    waiting = [(op, observed) for op in graph
               if (observed := observes(op, states[op.name])) is not None]
    while waiting:
        reader, observed = waiting.pop(0)
        for op in graph.predecessors(reader):
            if op.name not in found:
                found[op.name] = observed
                if _passes_order_on(graph, op, states[op.name]):
                    waiting.append((op, observed))
    return {op.name: _of_sink(op) if op.is_sink else found.get(op.name) or Fact(
        False, "nothing behind it can tell", op.span) for op in graph}


def order(graph: Graph, op: Operator, states: States) -> Fact[bool]:
    """Whether the order of this operator's outputs is observed, and by whom."""
    return orders(graph, states)[op.name]


def _of_sink(op: Operator) -> Fact[bool]:
    reason = "writes one ordered sequence" if op.kind.ordered else "gives up the order of its items"
    return Fact(op.kind.ordered, reason, op.span)


def observes(op: Operator, state: Fact[StateOf]) -> Fact[bool] | None:
    """An operator whose result depends on the order of its inputs, and why."""
    if op.is_sink:
        return Fact(True, f"{op.name} writes in order", op.span) if op.kind.ordered else None
    if op.is_source or declarations.is_commutative(op) or state.value.kind is StateKind.STATELESS:
        return None
    if state.value.kind is StateKind.UNKNOWN:
        return Fact(True, f"{op.name} may depend on the order: {state.reason}", op.span)
    return Fact(True, f"{op.name} has state that depends on the order", op.span)


def _passes_order_on(graph: Graph, op: Operator, state: Fact[StateOf]) -> bool:
    """Whether an order that is observed behind an operator comes from its inputs: one that
    observes its inputs itself has been counted already."""
    return not op.is_source and observes(op, state) is None and not _gathers(graph, op, state)


def _gathers(graph: Graph, op: Operator, state: Fact[StateOf]) -> bool:
    """Whether all that an operator gives comes at the end from one state, in an order of its own.
    With keys it does not: they come in the order of their first appearance."""
    known = declarations.selectivity(op) or selectivity(graph, op)
    return declarations.is_sorted(op) and known.value.high == 0 and \
        state.value.kind is StateKind.UNPARTITIONED
