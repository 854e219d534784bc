"""StreamIt programs give on Spark what they give sequentially, line for line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anabranch.compile import compile_graph, load
from anabranch.core.errors import RunError
from anabranch.engine import spark as engine_spark
from anabranch.engine.run import engine as engine_called
from anabranch.engine.run import execute
from anabranch.engine.sequential import run as sequential
from anabranch.runtime.options import RunOptions

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


LONG = """
void->int filter Count { int x = 0; work push 1 { push(x++); } }
int->int filter Sum { int s; work pop 2 push 1 { s += pop() * pop(); push(s); } }
void->void pipeline Main { add Count; add Sum; add int->void filter { work pop 1 {
    println(pop()); } }; }
"""


def lines(program: Path, engine: str, iterations: int) -> str:
    plan = compile_graph(load(program, {}, {"iterations": iterations}))
    printed = program.with_name("lines")
    execute(plan, RunOptions(engine=engine, outputs={"print": str(printed)}))
    return printed.read_text()


def test_a_long_program_with_state_is_one_piece(spark, tmp_path):
    (tmp_path / "long.str").write_text(LONG)
    expected = lines(tmp_path / "long.str", "sequential", 40_000)
    assert lines(tmp_path / "long.str", "spark", 40_000) == expected
    assert len(expected.split()) == 40_000
    plan = compile_graph(load(tmp_path / "long.str", {}, {"iterations": 40_000}))
    assert engine_called("spark").execution(plan).tier == "native"


ON_DEMAND = {"dynamic": """
int->int filter Sums { work pop * push 1 { int s = 0; int x = pop();
    while (x % 3 != 2) { s += x; x = pop(); } push(s); } }
void->void pipeline Main { add Count; add Sums; add Print; }
""", "messages": """
int->int filter Gets { int g; handler set(int v) { g = v; } work pop 2 push 1 {
    push(g + pop()); pop(); } }
int->int filter Sends(portal<Gets> p) { int n; work pop 1 push 1 { n++;
    if (n % 3 == 0) p.set(100 * n)[1:1]; push(pop()); } }
void->void pipeline Main { portal<Gets> p; add Count; add Sends(p); add Gets() to p; add Print; }
"""}


@pytest.mark.parametrize("name", ON_DEMAND)
def test_on_demand(spark, tmp_path, name):
    head = LONG.split("int->int", maxsplit=1)[0]
    head += "int->void filter Print { work pop 1 { println(pop()); } }"
    (tmp_path / "demand.str").write_text(head + ON_DEMAND[name])
    expected = lines(tmp_path / "demand.str", "sequential", 9)
    assert lines(tmp_path / "demand.str", "spark", 9) == expected
    assert lines(tmp_path / "demand.str", "multicore", 9) == expected
    assert len(expected.split()) == 9
