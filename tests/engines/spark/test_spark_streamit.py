"""StreamIt programs give on Spark what they give sequentially, line for line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anabranch.compile import compile_graph, load
from anabranch.engine import sequential
from anabranch.engine import spark as engine_spark
from anabranch.engine.base import RunOptions, execute
from anabranch.errors import RunError

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


FROM_FILE = """
int->int filter Ratios { work pop 1 push 1 peek 3 { push(peek(2) / peek(0)); pop(); } }
void->void pipeline Main { add FileReader<int>("in.raw"); add Ratios;
    add FileWriter<int>("out.raw"); }
"""


@pytest.fixture
def ratios(tmp_path):
    (tmp_path / "ratios.str").write_text(FROM_FILE)
    (np.arange(1, 5001, dtype="<i4") * 7).tofile(tmp_path / "in.raw")
    return tmp_path / "ratios.str"


def outputs(program: Path, **options) -> bytes:
    execute(compile_graph(load(program, {})), RunOptions(**options))
    return program.with_name("out.raw").read_bytes()


def test_pieces_on_executors(spark, ratios):
    expected = outputs(ratios)
    assert outputs(ratios, engine="spark") == expected
    assert len(expected) == 4 * 4998


def test_a_failing_piece_is_our_error(spark, ratios):
    np.zeros(5000, "<i4").tofile(ratios.with_name("in.raw"))
    with pytest.raises(RunError, match="divided by zero"):
        outputs(ratios, engine="spark")
    assert not ratios.with_name("out.raw").exists()
