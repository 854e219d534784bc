"""Programs in CQL and in Sawzall give on Spark what they give sequentially."""

from __future__ import annotations

import random

import pytest

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError
from anabranch.engine import spark as engine_spark
from anabranch.engine.run import execute
from anabranch.engine.sequential import run as sequential
from anabranch.engine.spark.job import sources as files
from anabranch.engine.spark.run import NOT_SEEN
from anabranch.io.text import places
from anabranch.lang import cql, sawzall
from anabranch.lang.sawzall import lower
from anabranch.plan.physical import cost
from anabranch.runtime.options import RunOptions
from engines.spark.support import sequential_outputs, spark_outputs

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

DECLARED = "S := {int a, int b} stream; T := {int a, float c} stream; R := {int a, int d} relation;"
QUERIES = [
    "select a, count(*), sum(b) from S [range 5] group by a",
    "select istream(S.a, S.b, T.c) from S [rows 5], T [range 3] where S.a = T.a",
    "select distinct a from S [partition by a rows 2]; select a, max(d) from R group by a",
    "select a from S [now] where a not in (select a from R)",
    "select a, b from S [rows 6 slide 3] where b > any (select d from R) "
    "and a <= (select count(*) from T [rows 4])",
    "select rstream(a) from S [range 4 slide 2] union all select rstream(a) from T [now]",
]


def contents(seed: int) -> dict[str, list[tuple]]:
    """Rows for the three inputs, in time order."""
    some = random.Random(seed)
    times = {name: sorted(some.randrange(40) for _ in range(60)) for name in "STR"}
    present: list[tuple] = []
    relation = []
    for t in times["R"]:
        if present and some.random() < 0.4:
            relation.append((t, "-", *present.pop(some.randrange(len(present)))))
        else:
            present.append((some.randrange(4), some.randrange(9)))
            relation.append((t, "+", *present[-1]))
    return {"S": [(t, some.randrange(4), some.randrange(9)) for t in times["S"]],
            "T": [(t, some.randrange(4), some.random()) for t in times["T"]], "R": relation}


@pytest.mark.parametrize("query", QUERIES)
def test_cql(spark, query):
    graph = cql.compiled(f"{DECLARED} {query}", "program.cql")
    given = contents(len(query))

    def items():
        return {op.name: [graph.output_types(op)[0].cls(*row) for row in given[op.name]]
                for op in graph.sources}
    expected, got = [], []
    sequential.run(graph, items(), lambda op, item: expected.append((op.name, item)))
    engine_spark.run(compile_graph(graph), items(), lambda op, item: got.append((op.name, item)))
    assert len(expected) > 5
    for name in {name for name, _ in expected}:
        assert [i for n, i in got if n == name] == [i for n, i in expected if n == name]


PROGRAM = """
    fields: array of bytes = splitcsvline(input); w := string(fields[0]);
    n := int(string(fields[1]), 10); static half := function(x: int): int { return x / 2; };
    count: table sum[string] of int; best: table top(3) of string weight int;
    every: table collection[int] of string; seen: table unique(20) of int;
    emit count[w] <- half(n); emit best <- w weight n; emit every[n % 3] <- w; emit seen <- n;
    if (n % 7 == 0) emit stdout <- w;
"""


@pytest.mark.parametrize("tables", [False, True])
def test_sawzall(spark, tmp_path, monkeypatch, tables):
    monkeypatch.setattr(places, "SIZE", 100)
    monkeypatch.setattr(lower, "FOLDED", 100)
    path = tmp_path / "words.csv"
    path.write_text("".join(f"w{i * i % 11},{i * 31 % 97}\n" for i in range(400)))
    graph = sawzall.compiled(PROGRAM, "program.szl", (str(path),), table_output=tables)
    expected, failure = sequential_outputs(graph)
    assert failure is None and len(expected) > 20
    assert spark_outputs(graph) == (expected, None)


def run_on(engine: str, text: str, path, capsys) -> tuple[str, str, int]:
    """What is printed, the failure if there is one, and how many records were read."""
    plan = compile_graph(sawzall.compiled(text, "program.szl", (str(path),), table_output=True))
    try:
        read = execute(plan, RunOptions(engine=engine)).read["input"]
    except AnabranchError as error:
        return capsys.readouterr().out, str(error), 0
    return capsys.readouterr().out, "", read


@pytest.mark.parametrize("more", ["", 'assert(n != 45, "not this");'])
def test_executors_read_pieces_of_the_files(spark, tmp_path, monkeypatch, capsys, more):
    monkeypatch.setattr(lower, "FOLDED", 100)
    (tmp_path / "in").mkdir()
    for number in range(3):
        lines = (f"w{i * i % 11},{i * 31 % 97}\n" for i in range(number, 150))
        (tmp_path / "in" / f"{number}.csv").write_text("".join(lines))
    expected = run_on("sequential", PROGRAM + more, tmp_path / "in", capsys)
    assert expected[2] == (0 if more else 447) and "w" in expected[0]
    assert run_on("spark", PROGRAM + more, tmp_path / "in", capsys) == expected


def test_executors_run_compiled_loops(spark, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lower, "FOLDED", 1000)
    path = tmp_path / "words.csv"
    path.write_text("".join(f"w{i * i % 11},{i * 31 % 97}\n" for i in range(400)) + '"w, 1",7\n')
    text = """fields := splitcsvline(input); n := int(string(fields[1]), 10);
        count: table sum[string] of int; best: table top(3) of string weight int;
        emit count[string(fields[0])] <- n; emit best <- string(fields[0]) weight 2;"""
    expected = run_on("sequential", text, path, capsys)
    monkeypatch.setattr(cost, "BYTES_WORTH_COMPILING", 0)
    assert "w, 1" in expected[0] and expected[2] == 401
    assert run_on("spark", text, path, capsys) == expected


def test_files_that_executors_do_not_see_are_read_by_the_driver_which_says_so(
        spark, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lower, "FOLDED", 100)
    path = tmp_path / "words.csv"
    path.write_text("".join(f"w{i * i % 11},{i * 31 % 97}\n" for i in range(400)))
    expected = run_on("sequential", PROGRAM, path, capsys)
    plan = compile_graph(sawzall.compiled(PROGRAM, "program.szl", (str(path),), table_output=True))
    for is_seen in (True, False):
        monkeypatch.setattr(files, "seen_by_executors", lambda *given, seen=is_seen: seen)
        report = execute(plan, RunOptions(engine="spark"))
        assert (capsys.readouterr().out, report.read["input"]) == (expected[0], expected[2])
        assert report.note == ("" if is_seen else NOT_SEEN)
