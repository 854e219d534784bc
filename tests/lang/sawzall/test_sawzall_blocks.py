"""Workers that read their own blocks of the files give what one process gives."""

from __future__ import annotations

import multiprocessing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.run import engine, execute
from anabranch.explain import explain
from anabranch.io.text.places import LineBlocks
from anabranch.lang.sawzall import compiled, lower
from anabranch.runtime.options import RunOptions
from lang.sawzall.test_sawzall_engines import ANALYSIS

PROGRAM = ANALYSIS.replace(", rand()", ", 0.5")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(lower, "FOLDED", 64)
    for number, count in enumerate((200, 0, 3, 97)):
        lines = [f"{'abcde'[i * i % 5]}{i % 7},{i * 37 % 101}" for i in range(count)]
        (tmp_path / f"{number}.csv").write_text("\n".join(lines))
    return tmp_path


def children() -> set[int]:
    """The processes of this one."""
    return {process.pid for process in multiprocessing.active_children()}


def outcome(text: str, path, capsys, **options: object) -> tuple[str, str, str]:
    plan = compile_graph(compiled(text, "p.szl", (str(path),), table_output=True))
    try:
        failure = str(execute(plan, RunOptions(**options)).read)
    except AnabranchError as error:
        failure = str(error)
    return *capsys.readouterr(), failure


STOPS = 'assert(n != 45, "not this");'


@pytest.mark.parametrize("more", ["", STOPS])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_tables_texts_and_failures_are_those_of_one_process(folder, capsys, workers, more):
    expected = outcome(PROGRAM + more, folder, capsys, engine="sequential")
    assert "300" in expected[2] or "assertion failed" in expected[2]
    assert outcome(PROGRAM + more, folder, capsys, engine="multicore",
                   workers=workers) == expected


def test_no_process_outlives_a_failure_that_somebody_keeps(folder):
    before = children()
    plan = compile_graph(compiled(PROGRAM + STOPS, "p.szl", (str(folder),), table_output=True))
    with pytest.raises(AnabranchError, match="not this") as kept:
        execute(plan, RunOptions(engine="multicore", workers=3))
    assert kept.value.__traceback__ is not None and children() == before


def test_blocks_tell_the_numbers_of_records(folder, capsys):
    text = 't: table collection[string] of int; emit t[string(input_key)] <- nrand(99);'
    expected = outcome(text, folder, capsys, engine="sequential")
    assert "t[199]" in expected[0] and "300" in expected[2]
    assert outcome(text, folder, capsys, engine="multicore", workers=2) == expected


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.lists(st.binary(max_size=9).filter(lambda b: b"\n" not in b), max_size=12),
                      min_size=1, max_size=4),
       ends=st.booleans(), size=st.integers(1, 12), holds=st.booleans(), most=st.integers(0, 40))
def test_every_line_is_in_one_block(texts, ends, size, holds, most, tmp_path_factory):
    base, files, expected = tmp_path_factory.mktemp("lines"), [], []
    for number, lines in enumerate(texts):
        files.append(str(base / str(number)))
        data = b"\n".join(lines) + (b"\n" if ends and lines else b"")
        (base / str(number)).write_bytes(data)
        expected += [(files[-1], n, line) for n, line in enumerate(
            data.removesuffix(b"\n").split(b"\n") if data else [])]
    blocks = list(LineBlocks(tuple(files), most, size, holds=holds).items(None))
    found = [(block.file, block.first + n, line) for block in blocks
             for n, line in enumerate(block.data.split(b"\n"))]
    assert found == expected[:most]
    assert [block.number for block in blocks] == list(range(len(blocks)))
    assert sum(block.records for block in blocks) == len(found)
    assert not holds or not any(block.path for block in blocks)


def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path):
    path = tmp_path / "lines"
    path.write_text("one\ntwo\n")
    [block] = LineBlocks((str(path),)).items(None)
    path.write_text("one\n")
    with pytest.raises(RunError, match="has become shorter"):
        print(block.data)


def test_explain_is_that_of_any_program(folder):
    graph = compiled(PROGRAM, "p.szl", (str(folder),), table_output=True)
    plan = compile_graph(graph)
    text = " ".join(explain(plan, execution=engine("multicore").execution(plan)).split())
    assert "program > tables row by row: " in text and "is not compiled p.szl:" in text
    assert "collect apply by table" in text and "reduce apply, in any order by table" in text
