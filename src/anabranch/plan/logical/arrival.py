"""Merges by time of live sources pass items on as they arrive.

A merge by time holds an item back until all its inputs have reached its time. Sources with times
are read in the order of these, so behind them that holds anyway; and a source that sends only
heartbeats has nothing by which the merge could see how far it has come.
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Filter, Union


def by_arrival(graph: Graph) -> Graph:
    """The graph whose merges of live sources by their times take items as they arrive."""
    return graph.with_operators(
        _as_it_comes(op) if _arrives_in_order(graph, op) else op for op in graph)


def _as_it_comes(op: Operator) -> Operator:
    return replace(op, kind=replace(op.kind, on=None), reads=(), writes=())


def _arrives_in_order(graph: Graph, op: Operator) -> bool:
    if not isinstance(op.kind, Union) or op.kind.on is None:
        return False
    sources = [_source_of(graph, queue) for queue in op.inputs]
    if any(source is None or source.kind.time != op.kind.on for source in sources):
        return False
    places = [graph.position(source) for source in sources]
    is_live = any(source.kind.heartbeats is not None for source in sources)
    # Items of one time come in the order of the sources, and go in the order of the ports.
    return is_live and places == sorted(set(places))


def _source_of(graph: Graph, queue: str) -> Operator | None:
    """The source whose items, as they are, are on the queue."""
    writer = graph.writer(queue)
    if writer.is_source:
        return writer
    return _source_of(graph, writer.inputs[0]) if isinstance(writer.kind, Filter) else None
