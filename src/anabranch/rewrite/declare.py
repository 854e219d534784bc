"""What is known of a straight line of operators, as annotations of the one that replaces it."""

from __future__ import annotations

from anabranch.analysis.facts import Facts, Forwarding, StateKind
from anabranch.ir.graph import Annotation, Graph, Operator
from anabranch.ir.types import fields_of
from anabranch.rewrite.extensions import ALL
from anabranch.rewrite.growth import Growth
from anabranch.rewrite.safety import Context


def declared(graph: Graph, facts: Facts, parts: list[Operator]) -> tuple[Annotation, ...]:
    """State, selectivity, forwarding and purity of `parts`, one after another."""
    context = Context(graph, facts, ALL)
    whole = Growth.at(context, parts[0])
    for part in parts[1:]:
        whole = whole and whole.with_operator(context, part)
    selectivity = facts[parts[0].name].selectivity.value
    for part in parts[1:]:
        selectivity = selectivity.then(facts[part.name].selectivity.value)
    pure = not any(facts[part.name].purity.value for part in parts)
    return (*_state(facts, parts, whole),
            Annotation("Selectivity", (selectivity.low, selectivity.high)),
            Annotation("Forwards", tuple(_forwarded(graph, facts, parts))),
            *([Annotation("Pure")] if pure else []))


def _state(facts: Facts, parts: list[Operator], whole: Growth | None) -> list[Annotation]:
    """None at all when a part's state is unknown: then that of the whole is unknown too."""
    kinds = {facts[part.name].state.value.kind for part in parts}
    if StateKind.UNKNOWN in kinds:
        return []
    if StateKind.UNPARTITIONED in kinds or whole is None:
        return [Annotation("Unpartitioned")]
    key = whole.routing_key(0)
    return [Annotation("Keys", key) if key else Annotation("Stateless")]


def _forwarded(graph: Graph, facts: Facts, parts: list[Operator]) -> list[str]:
    """`output=input` for every attribute that comes unchanged through all parts."""
    steps = [facts[part.name].forwarding[0].value for part in parts]
    origins = {out: _origin(out, steps) for out in _outputs(graph, parts, steps)}
    return [out if out == given else f"{out}={given}" for out, given in origins.items() if given]


def _outputs(graph: Graph, parts: list[Operator], steps: list[Forwarding]) -> list[str]:
    """The names that could be forwarded: those of the last part that changes the item."""
    changing = next((step for step in reversed(steps) if not step.everything), None)
    if changing is not None:
        return [out for out, _ in changing.pairs]
    return list(fields_of(graph.queue(parts[-1].outputs[0]).type) or ())


def _origin(attribute: str, steps: list[Forwarding]) -> str | None:
    for step in reversed(steps):
        if (attribute := step.origin(attribute)) is None:
            return None
    return attribute
