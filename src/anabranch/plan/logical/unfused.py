"""Takes fused operators apart, so that a failure names the user's own operator.

A stage runs its operators one after another anyway; nothing is gained by keeping them fused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators import Fused
from anabranch.plan.logical.plan import Plan


def unfused(plan: Plan) -> Plan:
    """The plan with the parts of every fused operator in its place, also in the regions."""
    operators = [part for op in plan.graph for part in _parts(op)]
    inner = [Queue(q) for op in operators for q in op.outputs]
    known = [*inner, *(plan.program.queues if plan.program else ()), *plan.graph.queues]
    regions = tuple(replace(region, operators=_names(plan.graph, region.operators))
                    for region in plan.regions)
    graph = Graph(plan.graph.operators, (), plan.graph.variables)
    fusions = tuple(tuple(part.name for part in _parts(op)) for op in plan.graph
                    if isinstance(op.kind, Fused))
    return replace(plan, graph=graph.with_operators(operators, known), regions=regions,
                   fusions=fusions)


def _names(graph: Graph, operators: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.name for name in operators for part in _parts(graph[name]))


def _parts(op: Operator) -> Iterator[Operator]:
    if isinstance(op.kind, Fused):
        for part in op.kind.parts:
            yield from _parts(part)
    else:
        yield op
