"""What is known of a straight line of operators together, from what is known of each."""

from __future__ import annotations

from functools import reduce

from anabranch.analysis.fact import (
    STATELESS,
    UNPARTITIONED,
    Fact,
    Facts,
    Forwarding,
    Interval,
    OperatorFacts,
    StateKind,
    StateOf,
)
from anabranch.ir.graph import Graph, Operator
from anabranch.rewrite.extensions import ALL
from anabranch.rewrite.growth import Growth
from anabranch.rewrite.safety import Context


def known_of(graph: Graph, facts: Facts, parts: list[Operator]) -> OperatorFacts:
    """The facts of `parts` as one operator; each keeps the reason of the part that decides it."""
    of_parts = [facts[part.name] for part in parts]
    selectivity = reduce(Interval.then, (f.selectivity.value for f in of_parts))
    effects = [f.purity for f in of_parts if f.purity.value]
    span = parts[0].span
    return OperatorFacts(
        _state(graph, facts, parts),
        Fact(selectivity, "follows from its parts", span),
        (Fact(_forwarding(graph, facts, parts), "copied through all parts", span),),
        effects[0] if effects else Fact((), "it only computes", span),
        of_parts[-1].ordered)


def _state(graph: Graph, facts: Facts, parts: list[Operator]) -> Fact[StateOf]:
    """The first part with state that cannot be partitioned decides, else the key they share."""
    states = [facts[part.name].state for part in parts]
    for kind in (StateKind.UNKNOWN, StateKind.UNPARTITIONED, StateKind.FORKABLE):
        if found := next((s for s in states if s.value.kind is kind), None):
            return found
    context, span = Context(graph, facts, ALL), parts[0].span
    whole: Growth | None = Growth.at(context, parts[0])
    for part in parts[1:]:
        whole = whole and whole.with_operator(context, part)
    if whole is None:
        return Fact(UNPARTITIONED, "its parts are partitioned by different keys", span)
    key = whole.routing_key(0)
    if not key:
        return Fact(STATELESS, "none of its parts has state", span)
    return Fact(StateOf(StateKind.PARTITIONED, (key,)), "its parts share this key", span)


def _forwarding(graph: Graph, facts: Facts, parts: list[Operator]) -> Forwarding:
    """What comes unchanged through all parts."""
    steps = [facts[part.name].forwarding[0].value for part in parts]
    changing = next((step for step in reversed(steps) if not step.everything), None)
    if changing is None:
        return Forwarding(everything=True)
    origins = ((out, _origin(out, steps)) for out, _ in changing.pairs)
    return Forwarding(tuple((out, given) for out, given in origins if given is not None))


def _origin(attribute: str | None, steps: list[Forwarding]) -> str | None:
    for step in reversed(steps):
        attribute = None if attribute is None else step.origin(attribute)
    return attribute
