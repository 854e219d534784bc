"""How the tests of synchronized operators run their programs."""

from __future__ import annotations

import anabranch as ab
from anabranch.api.node import graph_of
from anabranch.compile import compile_graph
from anabranch.engine.sequential import run as sequential


def plan_of(stream):
    stream.collect_into([])
    return compile_graph(graph_of([stream.node.readers[-1]]))


def outputs(run, plan, events):
    """What reaches the sink, and the error, if there is one."""
    out: list = []
    try:
        run(plan, {plan.graph.sources[0].name: iter(events)}, lambda op, item: out.append(item))
    except ab.AnabranchError as error:
        return out, str(error), error.where
    return out, None, None


def in_sequence(plan, items, emit):
    sequential.run(plan.program, items, emit)
