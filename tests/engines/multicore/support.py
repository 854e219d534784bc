"""Plans run on the multicore engine and on the sequential one, for comparison."""

from __future__ import annotations

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.ir.graph import Graph


def items_of(graph: Graph) -> dict[str, list]:
    return {op.name: list(op.kind.spec.items(None)) for op in graph.sources}


def multicore_outputs(graph: Graph, sources: dict | None = None, **knobs) -> list:
    """What every sink is given, in order, with the sink's name."""
    out: list = []
    multicore.run(compile_graph(graph), sources or items_of(graph),
                  lambda op, item: out.append((op.name, item)), **knobs)
    return out


def multicore_outcome(graph: Graph, sources: dict | None = None, **knobs) -> tuple[str, str]:
    return outcome(multicore.run, compile_graph(graph), sources or items_of(graph), **knobs)


def sequential_outputs(graph: Graph, sources: dict | None = None) -> list:
    out: list = []
    sequential.run(graph, sources or items_of(graph),
                   lambda op, item: out.append((op.name, item)))
    return out


def sequential_outcome(graph: Graph, sources: dict | None = None) -> tuple[str, str]:
    return outcome(sequential.run, graph, sources or items_of(graph))


def outcome(run, *given, **knobs) -> tuple[str, str]:
    """All that came out before the end or the error, with its exact types, and the error."""
    out: list = []
    try:
        run(*given, lambda op, item: out.append((op.name, item)), **knobs)
    except AnabranchError as error:
        return repr(out), f"{type(error).__name__}: {error}"
    return repr(out), ""
