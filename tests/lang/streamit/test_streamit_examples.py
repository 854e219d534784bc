"""The examples, on the engines: the same output, byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anabranch.compile import compile_graph, load
from anabranch.core.errors import UsageError
from anabranch.engine import run as base
from anabranch.engine import spark
from anabranch.engine.run import execute
from anabranch.lang.streamit.execution import program as wholly
from anabranch.lang.streamit.execution.program import computed
from anabranch.plan.logical.whole import whole_of
from anabranch.runtime.ends.binding import bound_graph
from anabranch.runtime.options import RunOptions

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "streamit").glob("*.str"))
SEQUENTIAL = RunOptions("sequential")
COPY = """
float->float filter Sums(int n) { work pop 1 push 1 peek n { float s = 0;
    for (int i = 0; i < n; i++) s += peek(i); pop(); push(s); } }
void->void pipeline Main { add FileReader<float>("in.raw"); add Sums(3);
    add FileWriter<float>("out.raw"); }
"""


def printed(program: Path, capsys, engine: str = "sequential", **options) -> str:
    own = {"iterations": 4}
    execute(compile_graph(load(program, {}, own)), RunOptions(engine, **options))
    return capsys.readouterr().out


def test_examples(golden, capsys):
    shown = [f"== {path.name}\n{printed(path, capsys)}" for path in EXAMPLES]
    golden("streamit/examples.txt", "".join(shown))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_in_blocks(path, capsys):
    expected = printed(path, capsys)
    assert printed(path, capsys, engine="multicore", workers=1) == expected
    assert printed(path, capsys, engine="multicore", workers=3) == expected


@pytest.mark.parametrize("name", ["fm_radio", "fft", "echo"])
def test_examples_compiled(name, capsys, monkeypatch):
    path = next(p for p in EXAMPLES if p.stem == name)
    expected = printed(path, capsys)
    monkeypatch.setattr(wholly, "WORTH_COMPILING", 0)
    assert printed(path, capsys, engine="multicore", workers=2) == expected
    assert printed(path, capsys) == expected


def test_several_filters_print_beside_a_feedback_loop(tmp_path, capsys):
    """What is behind the loop waits for it, so that a filter before it prints first."""
    program = tmp_path / "loop.str"
    program.write_text("""
void->void pipeline Main {
    add void->int filter { int n; work push 1 { push(n++); } };
    add splitjoin { split duplicate;
        add int->int filter { prework push 1 { push(0); } work pop 1 push 1 {
            println(peek(0)); push(pop()); } };
        add int->int feedbackloop { join roundrobin; body int->int filter { work pop 2 push 1 {
            push(pop() + 2 * pop()); } }; loop Identity<int>; split duplicate; enqueue 0; };
        join roundrobin(1); };
    add int->void filter { work pop 1 { println(1000 + pop()); } };
}""")
    expected = printed(program, capsys)
    assert printed(program, capsys, engine="multicore", workers=2) == expected
    assert len(expected.splitlines()) > 8


def test_what_has_no_pieces_goes_to_spark_as_a_graph(tmp_path, monkeypatch):
    """No engine runs a program in another one's way: `explain` and the run agree."""
    program = tmp_path / "sums.str"
    program.write_text("""
void->void pipeline Main {
    add void->int filter { int n; work push 1 { push(n++); } };
    add int->void filter { int s; work pop 1 { s += pop(); println(s); } };
}""")
    plan = compile_graph(load(program, {}, {"iterations": 4}))
    seen = []
    monkeypatch.setattr(spark, "run_files", lambda *given: seen.append(given))
    execute(plan, RunOptions("spark"))
    assert len(seen) == 1
    shown = {stage.tier for stage in base.engine("spark").execution(plan).stages}
    assert "native" not in shown


@pytest.fixture
def copying(tmp_path):
    (tmp_path / "copy.str").write_text(COPY)
    np.arange(10, dtype="<f4").tofile(tmp_path / "in.raw")
    return tmp_path / "copy.str"


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_files(copying, engine):
    execute(compile_graph(load(copying, {})), RunOptions(engine))
    assert np.fromfile(copying.with_name("out.raw"), "<f4").tolist() == [3 * i for i in range(1, 9)]
    execute(compile_graph(load(copying, {}, {"iterations": 4})), RunOptions(engine))
    assert np.fromfile(copying.with_name("out.raw"), "<f4").tolist() == [3, 6, 9, 12]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_files_elsewhere(copying, engine, tmp_path):
    np.ones(5, "<f4").tofile(tmp_path / "ones")
    options = RunOptions(engine, inputs={"FileReader": str(tmp_path / "ones")},
                         outputs={"FileWriter": str(tmp_path / "threes")})
    execute(compile_graph(load(copying, {})), options)
    assert np.fromfile(tmp_path / "threes", "<f4").tolist() == [3, 3, 3]


def test_a_file_that_is_not_there(copying):
    copying.with_name("in.raw").unlink()
    with pytest.raises(UsageError, match="there is no file"):
        execute(compile_graph(load(copying, {})), SEQUENTIAL)


SPREAD = """
float->float filter Sums(int n) { work pop 1 push 1 peek n { float s = 0;
    for (int i = 0; i < n; i++) s += peek(i); pop(); push(s); } }
void->void pipeline Main { add FileReader<float>("in.raw"); add Sums(5);
    add splitjoin { split duplicate; add Sums(3);
        add pipeline { add float->float filter { work pop 2 push 1 { push(pop() - pop()); } };
                       add FileWriter<float>("half.raw"); };
        join roundrobin(1, 0); };
    add float->void filter { work pop 3 { println(pop() + pop() + pop()); } }; }
"""


@pytest.mark.parametrize("iterations", [None, 0, 5, 1000])
@pytest.mark.parametrize("count", [1, 2, 7])
def test_pieces_are_the_whole(tmp_path, capsys, count, iterations):
    (tmp_path / "spread.str").write_text(SPREAD)
    np.arange(200, dtype="<f4").tofile(tmp_path / "in.raw")
    own = {} if iterations is None else {"iterations": iterations}
    plan = bound_graph(compile_graph(load(tmp_path / "spread.str", {}, own)), SEQUENTIAL)
    execute(plan, SEQUENTIAL)
    halves, lines = np.fromfile(tmp_path / "half.raw", "<f4"), capsys.readouterr().out
    results = [computed(piece) for piece in whole_of(plan.program).pieces(
        plan.program, SEQUENTIAL, count)]
    assert b"".join(result.values["FileWriter"] for result in results) == halves.tobytes()
    assert "".join(text for result in results for text, _ in result.printed) == lines


def test_state_is_not_spread(copying):
    counting = COPY.replace("float s = 0;", "float s = f; f = s + 1;").replace(
        "{ work", "{ float f; work")
    copying.write_text(counting)
    graph = compile_graph(load(copying, {})).program
    piece, = whole_of(graph).pieces(graph, SEQUENTIAL, 3)
    assert (piece.first, piece.periods) == (0, None)


def test_libraries_come_first(tmp_path, capsys):
    (tmp_path / "lib.str").write_text("int->void filter Print { work pop 1 { println(pop()); } }")
    (tmp_path / "main.str").write_text("""
        void->void pipeline Other { add void->int filter { work push 1 { push(5); } }; add Print; }
        void->void pipeline Main { add void->int filter { work push 1 { push(7); } }; add Print; }
    """)
    own = {"files": (tmp_path / "main.str",)}
    for more, expected in (({}, "7\n"), ({"top": "Other"}, "5\n")):
        execute(compile_graph(load(tmp_path / "lib.str", {}, own | more)), SEQUENTIAL)
        assert capsys.readouterr().out == expected
