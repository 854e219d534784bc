"""Plans run on the multicore engine and on the sequential one, for comparison."""

from __future__ import annotations

from anabranch.compile import compile_graph
from anabranch.engine import multicore, sequential
from anabranch.ir.graph import Graph


def items_of(graph: Graph) -> dict[str, list]:
    return {op.name: list(op.kind.spec.items(None)) for op in graph.sources}


def multicore_outputs(graph: Graph, sources: dict | None = None, **knobs) -> list:
    """What every sink is given, in order, with the sink's name."""
    out: list = []
    multicore.run(compile_graph(graph), sources or items_of(graph),
                  lambda op, item: out.append((op.name, item)), **knobs)
    return out


def sequential_outputs(graph: Graph, sources: dict | None = None) -> list:
    out: list = []
    sequential.run(graph, sources or items_of(graph),
                   lambda op, item: out.append((op.name, item)))
    return out
