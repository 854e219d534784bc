"""StreamIt programs give on Spark what they give sequentially, line for line."""

from __future__ import annotations

from pathlib import Path

import pytest

from anabranch.compile import compile_graph, load
from anabranch.engine import sequential
from anabranch.engine import spark as engine_spark

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

EXAMPLES = Path(__file__).parents[3] / "examples" / "streamit"


@pytest.mark.parametrize("name", ["moving_average", "echo", "mpeg"])
def test_streamit(spark, name):
    graph = load(EXAMPLES / f"{name}.str", {}, {"iterations": 20})

    def items():
        return {op.name: op.kind.spec.items(None) for op in graph.sources}
    expected, got = [], []
    sequential.run(graph, items(), lambda op, item: expected.append(item))
    engine_spark.run(compile_graph(graph), items(), lambda op, item: got.append(item))
    assert got == expected
    assert len(expected) >= 20
