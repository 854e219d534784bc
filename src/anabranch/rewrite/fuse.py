"""Fuses straight-line pipelines: the operators of one `@Fuse(id)` become one operator.

    before   @Fuse(x) (b) <- parse(a);  @Fuse(x) (c) <- check(b)
    after    (c) <- Fused(parse, check)(a)

Queues between them become direct calls. It is safe when they form a pipeline without side entries
or exits, share no variable, have at most one of them with effects outside, and when nobody whose
place among the final outputs could change stands between them.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

from anabranch.analysis.fact import Facts
from anabranch.ir.fused import Fused
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Kind
from anabranch.rewrite.known import known_of


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
    variables = [v for op in parts for v in op.variables]
    placed = {op.annotation("Group") for op in parts} - {None}
    effects = [op for op in parts if facts[op.name].purity.value]
    return (len(parts) > 1 and _is_pipeline(graph, parts) and len(effects) <= 1
            and len(set(variables)) == len(variables) and len(placed) <= 1
            and not any(_may_finish(op) for op in _between(graph, parts)))


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


def _is_pipeline(graph: Graph, parts: list[Operator]) -> bool:
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
