"""Programs over files run in columns, and give what the sequential engine gives."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import DataError, RunError
from anabranch.engine.run import execute
from anabranch.lang.cql import compiled
from anabranch.lang.cql.execution.columns import joins
from anabranch.lang.cql.execution.columns import slices as column_inputs
from anabranch.plan.logical.whole import whole_of
from anabranch.runtime.options import RunOptions
from lang.cql.queries import DECLARATIONS, contents, queries
from lang.cql.test_cql_published import DECLARED, INPUTS, QUERIES

HEADERS = {"S": "timestamp,a,b", "T": "timestamp,a,c", "R": "timestamp,op,a,d"}
AUCTIONS = {"PosSpeedStr": "timestamp,vehicleId,speed,xPos,dir",
            "OpenAuction": "timestamp,itemId,sellerId,start_price",
            "ClosedAuction": "timestamp,itemId,buyerId", "Bid": "timestamp,itemId,price,bidderId",
            "Person": "timestamp,op,id,state", "Item": "timestamp,op,id,category"}


def ran(text: str, files: dict[str, Path], folder: Path, engine: str, workers: int | None = None):
    """The files that a program writes, the rows it has read, and the tier in which it ran, where
    some operators of the columns may find their rows one by one."""
    plan = compile_graph(compiled(text, "program.cql"))
    given = {op.name: str(files[op.name]) for op in plan.program.sources}
    outputs = {op.name: str(folder / f"{engine}-{op.name}.csv") for op in plan.program.sinks}
    report = execute(plan, RunOptions(engine, workers, inputs=given, outputs=outputs))
    texts = {name: Path(path).read_text() for name, path in outputs.items()}
    tiers = {stage.tier for stage in report.stages if stage.tier}
    return texts, report.read, "columns" if "columns" in tiers else report.tier


def written_files(folder: Path, headers: dict[str, str], rows: dict[str, list[tuple]]):
    files = {name: folder / f"{name}.csv" for name in headers}
    for name, file in files.items():
        with file.open("w", newline="") as out:
            out.write(headers[name] + "\n")
            csv.writer(out, lineterminator="\n").writerows(rows[name])
    return files


@settings(max_examples=80, deadline=None)
@given(queries(), contents(), st.sampled_from([1, 3, 1 << 16]), st.sampled_from([1, 2]),
       st.sampled_from([1, 2, joins.MANY]))
def test_random_queries(query, inputs, size, workers, many):
    text = DECLARATIONS + query
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        patched.setattr(column_inputs, "SLICE", size)
        patched.setattr(joins, "MANY", many)
        files = written_files(Path(name), HEADERS, inputs)
        expected, read, _ = ran(text, files, Path(name), "sequential")
        found, also_read, _ = ran(text, files, Path(name), "multicore", workers)
    assert (found, also_read) == (expected, read)


@pytest.mark.parametrize("query", QUERIES, ids=range(1, len(QUERIES) + 1))
def test_published_queries(query, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", 5)
    files = written_files(tmp_path, AUCTIONS, INPUTS)
    expected, *_ = ran(DECLARED + query, files, tmp_path, "sequential")
    found, _, tier = ran(DECLARED + query, files, tmp_path, "multicore", 2)
    assert found == expected
    whole = whole_of(compiled(DECLARED + query, "program.cql"))
    assert (tier == "columns") == (whole.why_not is None)


S = "S := {int a, float x, string s, bool b} stream; R := {int a} relation;\n"
ROWS = ["1,5,0.5,p,true", "1,6,1.5,q,false", "2,5,2.5,é,true", "4,7,0.5,p,true", "9,5,9.0,z,false"]


def both(text: str, tmp_path: Path, rows=ROWS, changes=("1,+,5", "4,-,5", "4,+,6")):
    files = {"S": tmp_path / "S.csv", "R": tmp_path / "R.csv"}
    files["S"].write_text("\n".join(["timestamp,a,x,s,b", *rows, ""]))
    files["R"].write_text("\n".join(["timestamp,op,a", *changes, ""]))
    return (lambda engine: ran(S + text, files, tmp_path, engine,
                               2 if engine == "multicore" else None))


@pytest.mark.parametrize("text", [
    "select s, x, b from S [range 2] where s <> 'p' and b",
    "select s, count(*) as n, sum(a) as t, avg(a) as m from S [rows 3] group by s",
    "select s, max(x) as high, sum(x) as t from S [range 3] group by s",
    "select b, min(x) as l, max(x) as h, avg(x) as m, max(a) as k from S [range 3] group by b",
    "select s, max(b) as h, min(b) as l from S [rows 2] group by s",
    "select b, avg(x) as m, count(*) as n, sum(x) as t, sum(a) as k from S [range 3] group by b",
    "select a / 2 as h, a % 4 as r, -a as m, a * a as q, upper(s) as u, x * 2.0 as d from S",
    "select distinct s, b from S [now]", "select istream(s) from S [rows 2] where s < 'q'",
    "select S.s, R.a from S [range 4], R where S.a = R.a",
    "select a from S except select a from R", "select case when b then s else 'no' end as w from S",
    "select s from S where a > (select count(*) as n from S [rows 2])",
    "V := dstream(select a, s from S [rows 1]); select * from V [rows 2]",
])
def test_all_kinds_of_values(text, tmp_path):
    run = both(text, tmp_path)
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("text", [
    "select R.a, S.x, S.b, S.s from R, S",
    "select b, count(*) as n, sum(x) as t from R, S group by b",
    "V := select b, s, sum(x) as t from S group by b, s; select V.t, V.b, V.s, R.a from R, V",
    "V := select distinct x, b, s from S; select V.x, V.b, V.s, R.a from R, V",
    "V := select x, b, s from S union select x, b, s from S [rows 1]; select V.x, V.b from R, V",
])
def test_a_side_of_a_join_that_comes_late_keeps_its_values(text, tmp_path, monkeypatch):
    """Before it, there were slices without any of its rows."""
    monkeypatch.setattr(column_inputs, "SLICE", 1)
    run = both(text, tmp_path, [f"{20 + n},{row[2:]}" for n, row in enumerate(ROWS)])
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("many", [1, 2, 5])
@pytest.mark.parametrize("text", [
    "select istream(S.s, S.x, R.a) from S [now], R where S.a = R.a",
    "select S.s, T.x, R.a from S [range 2], S [rows 2] as T, R where S.s = T.s and T.a = R.a",
    "select S.b, R.a from R, S [range 1]",
    "V := select sum(a) as m from R; select S.s, V.m from S [range 9], V where S.a = V.m",
])
def test_joins_in_runs(text, many, tmp_path, monkeypatch):
    monkeypatch.setattr(joins, "MANY", many)
    monkeypatch.setattr(column_inputs, "SLICE", 7)
    rows = [f"{t // 3},{t % 4},{t % 5}.5,{'pqr'[t % 3]},{'true' if t % 2 else 'false'}"
            for t in range(40)]
    changes = [f"{t},{'+' if t % 4 < 2 else '-'},{t // 4 % 2 + t % 2}" for t in range(12)]
    run = both(text, tmp_path, rows, changes)
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("size", [1, 2, 1 << 16])
@pytest.mark.parametrize("where", ["a > 99", "a > 5", "x = 9.0", "b"])
def test_aggregates_of_all_rows(where, size, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", size)
    run = both("select count(*) as n, sum(a) as t, avg(a) as m, avg(x) as f, sum(x) as u, "
               "min(x) as l, max(a) as h "
               f"from S [range 1] where {where}", tmp_path)
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("size", [1, 4, 1 << 16])
@pytest.mark.parametrize("text", [
    "select * from S [partition by a rows 2]", "select * from S [partition by s, b rows 1]",
    "select a, s from S [partition by b rows 7]", "select x from S [partition by x rows 3] where b",
    "select a from S [partition by a rows 2 range 3]",
])
def test_partitioned_windows(text, size, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", size)
    rows = [f"{t // 3},{t * t % 5},{t % 7}.5,{'pqr'[t % 3]},{'true' if t % 2 else 'false'}"
            for t in range(50)]
    run = both(text, tmp_path, rows)
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("text", [
    "select avg(x) as m, sum(a) as t, min(s) as l, max(b) as h from S [range 2]",
    "select sum(a) as t, count(*) as n from S [now] where a > 5",
    "V := select avg(x) as m from S [range 1]; select V.m, S.s from V, S [range 5] where V.m = S.x",
    "V := select max(b) as m from S [now]; select V.m, S.s from V, S [range 5] where S.b = V.m",
    "V := select case when a > 5 then x end as y from S [range 3];"
    "select y, count(y) as n, count(*) as k, sum(y) as t from V group by y",
    "V := select case when a > 5 then s end as y from S [range 3]; select distinct y from V",
    "V := select case when b then a end as y from S [range 3];"
    "select y from V where y is null or y > 6",
    "V := select max(x) as m from S [range 1]; select istream(m) from V; select rstream(m) from V",
    "select max(a) as a from S [now] union all select a from S",
    "V := select sum(a) as m from S [now] where b;"
    "select V.m, W.m as k from V, V as W where V.m = W.m",
    "select a from S where x in (select coalesce(max(x), 0.5) as x from S [rows 2] where b)",
])
def test_nulls(text, tmp_path):
    run = both(text, tmp_path, rows=[*ROWS, "30,1,-2.5,a,true"])
    assert run("multicore") == (*run("sequential")[:2], "columns")


@pytest.mark.parametrize("row", ["8,5,-0.0,p,true", "8,9223372036854775807,1.0,p,true"])
def test_what_columns_cannot_hold_is_run_in_rows(row, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", 2)
    run = both("select x, a * 2 - a as d, sum(a) as t from S [range 5] group by x, a * 2 - a;\n"
               "select istream(a) from S", tmp_path, rows=[*ROWS[:4], row])
    assert run("multicore")[:2] == run("sequential")[:2]


@pytest.mark.parametrize("rows, changes, error", [
    ([*ROWS[:3], "1,5,0.5,p,true"], ["1,+,5"], DataError),
    ([*ROWS[:3], "8,5,nan,p,true"], ["1,+,5"], DataError),
    ([*ROWS[:3], "8,0,1.0,p,true"], ["1,+,5"], RunError),
    ([*ROWS[:3], "8,99999999999999999999,1.0,p,true"], ["1,+,5"], DataError),
    (ROWS, ["1,+,5", "4,-,6"], DataError), (ROWS, ["1,+,5", "4,*,6"], DataError),
])
def test_wrong_rows_end_the_run_alike(rows, changes, error, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", 1)
    run = both("select 10 / S.a as q, x from S [now], R", tmp_path, rows, changes)
    messages = []
    for engine in ("multicore", "sequential"):
        with pytest.raises((DataError, RunError)) as caught:
            run(engine)
        messages.append(str(caught.value))
    assert messages[0] == messages[1] and isinstance(caught.value, error)


def test_the_state_forgets_what_has_left(tmp_path):
    text = "select a, count(*) as n from S [range 1] group by a; select distinct a from S [now]"
    rows = [f"{i},{i},0.5,p,true" for i in range(500)]
    made = type(whole_of(compiled(S + text, "program.cql")))
    kept, steps = [], made._steps
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(made, "_steps", lambda self: kept.append(steps(self)) or kept[-1])
        patched.setattr(column_inputs, "SLICE", 50)
        both(text, tmp_path, rows)("multicore")
    totals = [s.step.totals for s in kept[0].placed if hasattr(s.step, "totals")]
    assert len(totals) == 2 and all(len(known) <= 2 for known in totals)


@pytest.mark.parametrize("query", [
    "select a, count(*) as n from S [range 1 minute slide 10 seconds] group by a",
    "select a from S [partition by a rows 2 range 20 seconds]",
    "select rstream(a) from S [range 9]",
    "select distinct timestamp as t, a from S [now] where timestamp > time '2024-05-01T12:00:30'",
])
def test_times(query, tmp_path, monkeypatch):
    monkeypatch.setattr(column_inputs, "SLICE", 4)
    rows = [f"2024-05-01T12:{s // 60:02}:{s % 60:02},{s % 5}" for s in range(0, 150, 7)]
    (tmp_path / "S.csv").write_text("\n".join(["timestamp,a", *rows, ""]))
    text, files = "S := {time timestamp, int a} stream; " + query, {"S": tmp_path / "S.csv"}
    found, _, tier = ran(text, files, tmp_path, "multicore", 2)
    assert (found, tier) == (ran(text, files, tmp_path, "sequential")[0], "columns")
