"""Neither the schedule nor the engine changes what a CQL program writes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from anabranch.ir.graph import Graph, Variable
from anabranch.ir.operators import Union
from anabranch.ir.verify import verify
from anabranch.lang.cql import compiled
from engines.multicore.support import multicore_outputs, sequential_outputs
from lang.cql.denotational import outputs
from lang.cql.queries import DECLARATIONS, contents, queries
from lang.cql.test_cql_meaning import ALL
from oracles.brooklet import explore, lower

FEW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def rows_of(graph: Graph, inputs: dict[str, list[tuple]]) -> dict[str, list]:
    return {op.name: [graph.output_types(op)[0].cls(*row) for row in inputs[op.name]]
            for op in graph.sources}


@settings(FEW, max_examples=12)
@given(queries(), contents())
def test_every_brooklet_schedule_has_the_meaning(query, inputs):
    text = DECLARATIONS + query + ALL
    graph = merged_by_time(compiled(text, "program.cql"))
    finals = explore(lower(graph), rows_of(graph, inputs), schedules=3)
    assert len(finals) == 1
    found = [list(map(tuple, finals[0].outputs[op.name])) for op in graph.sinks]
    assert found == outputs(text, inputs)


def merged_by_time(graph: Graph) -> Graph:
    """The engines merge sources by time before anything fires; Brooklet needs that in the graph."""
    kind = Union(3, on="timestamp")
    return verify(graph.with_operators(
        (replace(op, kind=kind, reads=("$merged",), writes=("$merged",))
         if isinstance(op.kind, Union) else op for op in graph),
        variables=[Variable("$merged", kind.start)]))


@pytest.mark.parametrize("processes", ["never", "always"])
def test_the_multicore_engine_gives_the_same(processes):
    @FEW
    @given(queries(), contents())
    def check(query, inputs):
        text = DECLARATIONS + query + ALL
        graph = verify(compiled(text, "program.cql"))
        rows = rows_of(graph, inputs)
        found = multicore_outputs(graph, rows, processes=processes, workers=2, slice_size=3)
        assert found == sequential_outputs(graph, rows)
    check()
