"""Fuses straight-line pipelines: the operators of one `@Fuse(id)` become one operator.

Also what is known of a straight line of operators together, from what is known of each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import reduce
from itertools import pairwise

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
from anabranch.ir.operators import Fused, Kind
from anabranch.plan.logical.growth import Growth
from anabranch.plan.logical.safety import ALL, Context


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


def fuse(graph: Graph, facts: Facts) -> Graph:
    """The graph with every fusible group as one operator."""
    for parts in groups(graph):
        if can_fuse(graph, facts, parts):
            graph = fused(graph, facts, parts)
    return graph


def groups(graph: Graph) -> list[list[Operator]]:
    """The operators of each `@Fuse(id)`, in order."""
    found: dict[tuple, list[Operator]] = defaultdict(list)
    for op in graph:
        if annotation := op.annotation("Fuse"):
            found[annotation.arguments].append(op)
    return list(found.values())


def can_fuse(graph: Graph, facts: Facts, parts: list[Operator]) -> bool:
    """Whether the parts may run as one operator."""
    return len(parts) > 1 and not why_not_fused(graph, facts, parts)


def why_not_fused(graph: Graph, facts: Facts, parts: list[Operator]) -> str:
    """Why some operators cannot be one, in a few words; nothing if they can."""
    if not is_row(graph, parts):
        return "they are no straight line"
    if len(effects := [op.name for op in parts if facts[op.name].purity.value]) > 1:
        return f"{' and '.join(effects)} do more than compute"
    variables = Counter(v for op in parts for v in op.variables)
    if shared := [v for v, users in variables.items() if users > 1]:
        return f"they share the variable {shared[0]}"
    if len({op.annotation("Group") for op in parts} - {None}) > 1:
        return "they are placed apart"
    ending = [op.name for op in _between(graph, parts) if _may_finish(op)]
    return f"{ending[0]} stands between them, and may emit at the end" if ending else ""


def fused(graph: Graph, facts: Facts, parts: list[Operator]) -> Graph:
    """One operator in the place of the last part, which keeps the variables of all."""
    first, last = parts[0], parts[-1]
    variables = tuple(v for op in parts for v in op.variables)
    groups = dict.fromkeys(a for op in parts for a in op.annotations if a.name == "Group")
    kind = Fused(tuple(parts), known_of(graph, facts, parts))
    whole = Operator("+".join(op.name for op in parts), kind, first.inputs, last.outputs,
                     variables, variables, tuple(groups), first.span)
    gone = {op.name for op in parts[:-1]}
    return graph.with_operators(whole if op is last else op
                                for op in graph if op.name not in gone)


def is_row(graph: Graph, parts: list[Operator]) -> bool:
    """Whether operators follow each other, each alone."""
    if any(op.is_source or op.is_sink or op.name in graph.looping for op in parts):
        return False
    if len(parts[0].inputs) != 1 or len(parts[-1].outputs) != 1:
        return False
    return all(left.outputs == right.inputs and len(left.outputs) == 1
               and len(graph.readers(left.outputs[0])) == 1
               for left, right in pairwise(parts))


def _between(graph: Graph, parts: list[Operator]) -> list[Operator]:
    names = {op.name for op in parts}
    span = graph.operators[graph.position(parts[0]):graph.position(parts[-1])]
    return [op for op in span if op.name not in names]


def _may_finish(op: Operator) -> bool:
    return type(op.kind).finish is not Kind.finish
