"""The examples, on the engines: the same output, byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anabranch.compile import compile_graph, load
from anabranch.engine.base import RunOptions, execute
from anabranch.errors import UsageError
from anabranch.lang.streamit import wholly

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "streamit").glob("*.str"))
COPY = """
float->float filter Sums(int n) { work pop 1 push 1 peek n { float s = 0;
    for (int i = 0; i < n; i++) s += peek(i); pop(); push(s); } }
void->void pipeline Main { add FileReader<float>("in.raw"); add Sums(3);
    add FileWriter<float>("out.raw"); }
"""


def printed(program: Path, capsys, **options) -> str:
    own = {"iterations": 4}
    execute(compile_graph(load(program, {}, own)), RunOptions(**options))
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
    monkeypatch.setattr(wholly, "WORTH_COMPILING", 0)
    path = next(p for p in EXAMPLES if p.stem == name)
    assert printed(path, capsys, engine="multicore", workers=2) == printed(path, capsys)


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
        execute(compile_graph(load(copying, {})), RunOptions())


def test_libraries_come_first(tmp_path, capsys):
    (tmp_path / "lib.str").write_text("int->void filter Print { work pop 1 { println(pop()); } }")
    (tmp_path / "main.str").write_text("""
        void->void pipeline Other { add void->int filter { work push 1 { push(5); } }; add Print; }
        void->void pipeline Main { add void->int filter { work push 1 { push(7); } }; add Print; }
    """)
    own = {"files": (tmp_path / "main.str",)}
    for more, expected in (({}, "7\n"), ({"top": "Other"}, "5\n")):
        execute(compile_graph(load(tmp_path / "lib.str", {}, own | more)), RunOptions())
        assert capsys.readouterr().out == expected
