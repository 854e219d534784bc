"""Workers that read their own pieces of the files give what one process gives."""

from __future__ import annotations

import multiprocessing
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.run import engine, execute
from anabranch.explain import explain
from anabranch.ir.whole_program import whole_of
from anabranch.lang.sawzall import compiled
from anabranch.lang.sawzall.execution import pieces as wholly
from anabranch.lang.sawzall.execution.pieces import pieces_of
from anabranch.runtime.options import RunOptions
from anabranch.runtime.processes.fork_pool import forked
from lang.sawzall.test_sawzall_engines import ANALYSIS

PROGRAM = ANALYSIS.replace(", rand()", ", 0.5")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(wholly, "FOLDED", 64)
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


def test_the_number_of_a_record_needs_all_before_it(folder):
    for text, in_pieces in (("emit t <- 1;", True), ("emit t <- nrand(3);", False),
                            ("emit t <- len(input_key);", False)):
        graph = compiled("t: table sum of int; " + text, "p.szl", (str(folder),),
                         table_output=True)
        assert (whole_of(graph) is not None) == in_pieces
    assert whole_of(compiled(PROGRAM, "p.szl", ("-",), table_output=True)) is None
    assert whole_of(compiled(PROGRAM, "p.szl", (str(folder),))) is None


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.lists(st.binary(max_size=9).filter(lambda b: b"\n" not in b), max_size=12),
                      min_size=1, max_size=4),
       ends=st.booleans(), count=st.integers(1, 9), size=st.integers(1, 12))
def test_every_line_is_in_one_piece(texts, ends, count, size, tmp_path_factory):
    base, files, expected = tmp_path_factory.mktemp("lines"), [], []
    for number, lines in enumerate(texts):
        files.append(str(base / str(number)))
        data = b"\n".join(lines) + (b"\n" if ends and lines else b"")
        (base / str(number)).write_bytes(data)
        expected += [(files[-1], n, line) for n, line in enumerate(
            data.removesuffix(b"\n").split(b"\n") if data else [])]
    found = [(chunk.file, part.before() + chunk.first + n, line)
             for piece in pieces_of(files, count, 1) for part in piece
             for chunk in part.chunks(size) for n, line in enumerate(chunk.data.split(b"\n"))]
    assert found == expected


def test_explain_says_what_keeps_an_order(folder):
    graph = compiled(PROGRAM, "p.szl", (str(folder),), table_output=True)
    plan = compile_graph(graph)
    text = " ".join(explain(plan, execution=engine("multicore").execution(plan)).split())
    assert "workers read their own pieces of the files" in text
    assert "none: commutative" in text and "that of the records" in text


def test_results_come_in_the_order_of_the_items():
    assert list(forked(lambda n: n * n, range(50), 3)) == [n * n for n in range(50)]
    assert list(forked(abs, [], 3)) == []


def test_a_failure_comes_in_its_turn():
    def halved(n):
        if n == 5:
            raise RunError("no")
        return n // 2
    found = forked(halved, range(8), 2)
    assert [next(found) for _ in range(5)] == [0, 0, 1, 1, 2]
    with pytest.raises(RunError, match="no"):
        next(found)


def test_a_process_that_dies_is_noticed():
    before = children()
    with pytest.raises(RunError, match="ended with 9"):
        list(forked(lambda n: os._exit(9) if n == 3 else n, range(6), 2))
    assert children() == before
