"""Runs a program on the session that the tests share."""

from __future__ import annotations

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine import spark
from anabranch.engine.sequential import run as sequential
from anabranch.ir.graph import Graph


def items_of(graph: Graph) -> dict:
    return {op.name: op.kind.spec.items(None) for op in graph.sources}


def spark_outputs(graph: Graph, slice_size: int | None = None, **options
                  ) -> tuple[list, str | None]:
    """What every sink is given, in order, with the sink's name; and the error, if there is one."""
    tune = {"slice_size": slice_size} if slice_size else None
    return _outcome(lambda emit: spark.run(compile_graph(graph), items_of(graph), emit, tune=tune,
                                           **options))


def sequential_outputs(graph: Graph) -> tuple[list, str | None]:
    return _outcome(lambda emit: sequential.run(graph, items_of(graph), emit))


def _outcome(run) -> tuple[list, str | None]:
    out: list = []
    try:
        run(lambda op, item: out.append((op.name, item)))
    except AnabranchError as error:
        return out, str(error)
    return out, None
