"""Random programs give what the denotational semantics says, exactly and in order."""

from __future__ import annotations

from hypothesis import given, settings

from anabranch.engine.sequential import run as sequential
from anabranch.ir.verify import verify
from anabranch.lang.cql import compiled
from lang.cql.denotational import outputs
from lang.cql.queries import DECLARATIONS, contents, queries

CASES = settings(max_examples=150, deadline=None)
ALL = "select t0.a, t1.a, t2.a from S as t0, T as t1, R as t2;"


def written(text: str, inputs: dict[str, list[tuple]]) -> list[list[tuple]]:
    """What each sink of a program gets."""
    graph = verify(compiled(text, "program.cql"))
    rows = {op.name: [graph.output_types(op)[0].cls(*row) for row in inputs[op.name]]
            for op in graph.sources}
    out = {op.name: [] for op in graph.sinks}
    sequential.run(graph, rows, lambda op, item: out[op.name].append(tuple(item)))
    return list(out.values())


@CASES
@given(queries(), contents())
def test_random_queries(query, inputs):
    # The last query reads all inputs, so that every one of them drives the clock.
    text = DECLARATIONS + query + ALL
    assert written(text, inputs) == outputs(text, inputs)
