"""Small programs with known answers: each construct of the language once, by hand."""

from __future__ import annotations

from datetime import datetime

import pytest
from click.testing import CliRunner

from anabranch.cli import commands
from anabranch.core.errors import DataError, ProgramError, RunError, UsageError
from anabranch.lang.cql import compiled
from lang.cql.test_cql_meaning import written

S = "S := {int a, string s} stream;\n"
R = "R := {int a, float x} relation;\n"
ROWS = [(1, 1, "p"), (1, 2, "q"), (3, 1, "p"), (7, 5, "r")]


def result(query: str, **inputs) -> list[tuple]:
    declared = S + (R if "R" in inputs else "")
    return written(declared + query, {"S": ROWS, **inputs})[0]


def columns(query: str, declared: str = S + R) -> tuple[str, ...]:
    graph = compiled(declared + query, "program.cql")
    return graph.input_types(graph.sinks[0])[0].cls._fields


def test_the_bargain_finder_of_the_river_paper():
    text = """
        quotes := {string ticker, int ask} stream;
        history := {string ticker, int low} relation;
        select istream(*) from quotes[now], history
        where quotes.ask <= history.low and quotes.ticker==history.ticker"""
    quotes = [(1, "IBM", 119), (1, "IBM", 124), (2, "XYZ", 35), (2, "IBM", 119)]
    history = [(1, "+", "IBM", 119), (1, "+", "XYZ", 38), (2, "-", "XYZ", 38), (2, "+", "XYZ", 35)]
    assert written(text, {"quotes": quotes, "history": history}) == [
        [(1, "IBM", 119, 119), (2, "XYZ", 35, 35)]]
    assert columns("select istream(*) from quotes [now], history "
                   "where quotes.ticker = history.ticker",
                   "quotes := {string ticker, int ask} stream;"
                   "history := {string ticker, int low} relation;"
                   ) == ("timestamp", "ticker", "ask", "low")


def test_all_kinds_of_comments():
    text = """# a whole line
        select a -- the first
        from S // all of it
        /* in two
           lines */ where s = '#p' or s = 'r' # not in a text"""
    assert result(text) == [(7, 5)]


@pytest.mark.parametrize("query, expected", [
    ("select a from S [now]", [(1, "+", 1), (1, "+", 2), (2, "-", 1), (2, "-", 2), (3, "+", 1),
                               (4, "-", 1), (7, "+", 5)]),
    ("select a from S [range 2]", [(1, "+", 1), (1, "+", 2), (3, "+", 1), (4, "-", 1), (4, "-", 2),
                                   (6, "-", 1), (7, "+", 5)]),
    ("select istream(a) from S [range 0.5 seconds]", [(1, 1), (1, 2), (3, 1), (7, 5)]),
    ("select a from S [range 1 slide 1.5]", [(2, "+", 1), (2, "+", 2), (3, "-", 2),
                                             (5, "-", 1)]),
    ("select a from S [rows 1]", [(1, "+", 2), (3, "-", 2), (3, "+", 1), (7, "-", 1), (7, "+", 5)]),
    ("select a from S [partition by s rows 1]", [(1, "+", 1), (1, "+", 2), (7, "+", 5)]),
    ("select a from S [range 3 slide 3]", [(3, "+", 1), (3, "+", 1), (3, "+", 2), (6, "-", 1),
                                           (6, "-", 2)]),
    ("select a from S", [(1, 1), (1, 2), (3, 1), (7, 5)]),
    ("select a from S [range unbounded]", [(1, 1), (1, 2), (3, 1), (7, 5)]),
    ("dstream(select a from S [rows 2])", [(7, 2)]),
    ("select dstream(a) from S [rows 1]", [(3, 2), (7, 1)]),
    ("select rstream(a) from S [rows 2]", [(1, 1), (1, 2), (3, 1), (3, 2), (7, 1), (7, 5)]),
    ("select distinct s from S", [(1, "p"), (1, "q"), (7, "r")]),
])
def test_windows_and_streams(query, expected):
    assert result(query) == expected


@pytest.mark.parametrize("expression, expected", [
    ("a / 2", 2), ("-7 / 2", -3), ("-7 % 2", -1), ("a / 2.0", 2.5), ("a + 1 * 2", 7),
    ("2 - 1 - 1", 0), ("-a", -5), ("a <> 5", False), ("!(a = 5) || true", True),
    ("s || '!'", "r!"), ("upper(s)", "R"), ("length(concat(s, 'abc'))", 4),
    ("substring('anabranch', 4)", "branch"), ("round(2.5)", 3), ("least(a, 3)", 3),
    ("case a when 5 then 'five' else 'other' end", "five"),
    ("case when a > 9 then 1 end", None), ("coalesce(case when a > 9 then 1 end, 0)", 0),
    ("a between 1 and 5", True), ("a not in (1, 2)", True), ("s like 'r%'", True),
    ("s not like '_x'", True), ("case when null then 1 end is null", True),
    ("cast(a as float)", 5.0), ("cast('12' as integer) + 1", 13), ("string(2)", "2"),
    ("time '2024-05-01T00:00:30' - time '2024-05-01' > 29", True),
    ("year(time '2024-05-01' + 86400)", 2024), ("not (a > 1 and null)", None),
])
def test_expressions(expression, expected):
    assert result(f"select {expression} as v from S where a = 5") == [(7, expected)]


@pytest.mark.parametrize("query, expected", [
    ("select a from S, R", ("timestamp", "op", "a")),
    ("select S.a, R.a from S, R", ("timestamp", "op", "a", "a_2")),
    ("select avg(a), max(a), count(*) from S", ("timestamp", "op", "a", "max", "count")),
    ("select a + 1, a as timestamp from S", ("timestamp", "column1", "timestamp_2")),
    ("create view V(p, q) as select * from S; select * from V", ("timestamp", "p", "q")),
    ("V : {string u, int v} stream = select s, a from S;", ("timestamp", "u", "v")),
])
def test_names_of_columns(query, expected):
    if "select a from S, R" in query:
        query += " where S.a = R.a"
    assert columns(query) == expected


def test_declarations_in_every_form():
    for text in ("S : {a : int, s : string} stream;", "S := {int a, string s} stream;",
                 "S := {a int, char(8) s} stream;",
                 "Register Stream S (a Integer, s char(8));", "register stream S(int a, s text);"):
        assert written(text + "SELECT A FROM s WHERE S = 'r'", {"S": ROWS})[0] == [(7, 5)]


def test_which_queries_are_written():
    graph = compiled(S + "V := select a from S; W := select a from V; create view U as select a "
                     "from S; register query Q as select a from V; select * from U", "p.cql")
    assert [op.name for op in graph.sinks] == ["W", "Q", "output"]


def test_names_of_ours_do_not_take_those_of_the_user():
    text = ("filter := {int a} stream; select a from filter where a > 1; "
            "output := select a + 1 as b from filter; arrival := select b from output where b > 2;")
    graph = compiled(text, "p.cql")
    assert [op.name for op in graph.sources + graph.sinks] == ["filter", "output_2", "arrival"]
    assert written(text, {"filter": [(1, 1), (2, 2)]}) == [[(2, 2)], [(2, 3)]]


def test_a_view_is_read_by_several():
    text = S + "V := select a + 1 as b from S; select b from V; select b * 2 as c from V [now];"
    assert written(text, {"S": ROWS[:2]}) == [[(1, 2), (1, 3)], [(1, "+", 4), (1, "+", 6)]]


def test_a_declared_type_is_that_of_the_result():
    text = (S + "V : {float f} stream = select a from S; W : {float g} relation = select f from V;"
            "X : {float h} stream = V;")
    graph = compiled(text, "p.cql")
    types = [graph.input_types(op)[0].fields for op in graph.sinks]
    assert [str(fields[name]) for fields, name in zip(types, "gh")] == ["float", "float"]
    assert written(text, {"S": ROWS[:1]}) == [[(1, "+", 1)], [(1, 1)]]


def test_set_operations_by_name():
    assert result("A := select a from S; B := select a from S where a > 1; A except B") == [
        (1, "+", 1)]


def test_explicit_joins():
    query = "select istream(S.a, x) from S [now] join R on S.a = R.a where x > 1"
    assert result(query, R=[(1, "+", 1, 0.5), (1, "+", 2, 2.5)]) == [(1, 2, 2.5)]


def test_aliases_in_groups_are_their_expressions():
    query = "select a % 2 as odd, count(*) as n from S group by odd having n > 1 or odd = 0"
    assert result(query) == result(
        "select a % 2 as odd, count(*) as n from S group by a % 2 having count(*) > 1 or a % 2 = 0")
    assert result("select a + 1 as s, s as t from S group by a, s")[:1] == [(1, "+", 2, "p")]


def test_aggregates_over_no_rows():
    assert result("select count(*) as n, sum(a) as t from S where a > 4") == [
        (1, "+", 0, None), (7, "-", 0, None), (7, "+", 1, 5)]


def test_times_as_timestamps():
    text = "S := {time at, int a} stream; select istream(a) from S [range 1 minute] where a > 0;"
    moments = [datetime(2024, 5, 1, 12, 0, s) for s in (0, 30)]
    graph = compiled(text, "p.cql", {"s": "at"})
    assert graph["S"].kind.time == "at"
    assert written(text.replace("at,", "timestamp,"), {"S": [(moments[0], 1), (moments[1], 2)]})[
        0] == [(moments[0], 1), (moments[1], 2)]


def test_unknown_time():
    with pytest.raises(UsageError, match="there is no input 'T'"):
        compiled(S + "select a from S", "p.cql", {"T": "a"})
    with pytest.raises(ProgramError, match="cannot be a timestamp"):
        compiled(S + "select a from S", "p.cql", {"S": "s"})


@pytest.mark.parametrize("query, inputs, error, words", [
    ("select 1 / (a - 1) as v from S", {}, RunError, "division by zero"),
    ("select a from R", {"R": [(1, "-", 1, 1.0)]}, DataError, "deleted that is not in it"),
    ("select a from R", {"R": [(1, "?", 1, 1.0)]}, DataError, "not known"),
    ("select a from R", {"R": [(1, "+", 1, float("nan"))]}, DataError, "NaN"),
    ("select a from S", {"S": [(2, 1, "p"), (1, 1, "p")]}, RunError, "comes late"),
])
def test_failures_while_running(query, inputs, error, words):
    with pytest.raises(error, match=words) as caught:
        result(query, **inputs)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_times_with_an_offset_are_instants(tmp_path, engine):
    text = ("S := {time timestamp, int a} stream; select istream(timestamp as t, a) "
            "from S [range 60 seconds] where timestamp > time '2024-05-01T12:00:30+02:00'")
    program, rows, out = (tmp_path / name for name in ("q.cql", "S.csv", "out.csv"))
    program.write_text(text)
    rows.write_text("timestamp,a\n2024-05-01T10:00:30Z,1\n2024-05-01T12:01:00+02:00,2\n")
    result = CliRunner().invoke(commands, ["run", str(program), "--input", f"S={rows}", "--engine",
                                           engine, "--output", f"output={out}"])
    assert result.exit_code == 0, result.output
    assert out.read_text() == (
        "timestamp,t,a\n2024-05-01T10:01:00+00:00,2024-05-01T10:01:00+00:00,2\n")
