"""Queries whose rows are items: compiled, in order, and the same on all engines."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import DataError
from anabranch.engine.run import execute
from anabranch.ir.changes import SortTies
from anabranch.ir.graph import Graph
from anabranch.lang.cql import compiled
from anabranch.runtime.options import RunOptions
from lang.cql.denotational import outputs
from lang.cql.queries import DECLARATIONS, contents, some_contents
from lang.cql.test_cql_meaning import written

S = "register stream S(a int, x float, s string);\n"
QUERIES = """\
select a, x from S where a > 1 and s <> 'b'
select s, a + 1 as a, case when x > 1.0 then x end as y from S
select rstream(a as b, length(s) as n) from S [now] where x < 2.0
create view V as select a + a as b, s from S where a > 0;
  create view W as rstream(select s, b from V [now]); select istream(b, s) from V; select s from W
register query Q as S
istream(select * from S [range unbounded])
select a, count(*) as n, sum(a) as t, avg(a) as m from S group by a
istream(select s, sum(a) as n from S group by s having count(*) > 1)
dstream(select a + 1 as b, s from S [now] where a > 0)
select s, count(*) as n from S group by s; select x from S [range 1.5]
select s, min(a) as l, max(x) as m, count(*) as n from S group by s
select s, max(case when x > 1.0 then x end) as m from S group by s
select s, min(case when a > 9 then a end) as l, count(*) as n from S group by s
select distinct a, s from S
istream(select s, count(*), max(a) from (select distinct a, s from S) group by s)"""


def queries() -> list[str]:
    return QUERIES.replace(";\n  ", "; ").split("\n")


ROWS = [(n // 3, (n * 7) % 5, (n * 3 % 8) / 2, "abc"[n % 3]) for n in range(60)]


def ran(text: str, folder: Path, engine: str, rows=ROWS, header="timestamp,a,x,s", times=None,
        **options) -> dict[str, str]:
    data = folder / "S.csv"
    data.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    plan = compile_graph(compiled(text, "linear.cql", times or {}))
    assert has_items(plan.program)
    files = {op.name: str(folder / f"{engine}-{op.name}") + ".csv" for op in plan.program.sinks}
    report = execute(plan, RunOptions(engine, inputs={"S": str(data)}, outputs=files, **options))
    if options.get("tune"):
        assert {stage.tier for stage in report.stages if stage.tier} <= {"native", "columns"}
    return {name: Path(file).read_text() for name, file in files.items()}


def has_items(graph: Graph) -> bool:
    return any(isinstance(op.kind, SortTies) for op in graph)


COMPILED = {"workers": 2, "tune": {"kernels": "always"}}


@pytest.mark.parametrize("query", queries())
def test_queries(query, tmp_path):
    expected = ran(S + query, tmp_path, "sequential")
    assert all(len(text.splitlines()) > 5 for text in expected.values())
    nulls = "case" in query
    options = {"workers": 2} if nulls else COMPILED
    assert ran(S + query, tmp_path, "multicore", **options) == expected


ONE_BY_ONE = """\
select a, b from S where b > 0;
select rstream(b, a) from S [now];
create view V as select a, b + 1 as c from S where a < 3;
select c, a from V where c > 1
"""


@pytest.mark.parametrize("seed", range(5))
def test_the_definition(seed):
    rows = some_contents(seed)
    assert written(DECLARATIONS.splitlines()[0] + ONE_BY_ONE, {"S": rows["S"]}) == outputs(
        DECLARATIONS.splitlines()[0] + ONE_BY_ONE, {"S": rows["S"]})


CLOCKS = {"int": ("int", range(3, 9)), "float": ("float", [0.5, 0.5, 0.75, 1.0, 2.5, 2.5]),
          "time": ("time", [f"2024-01-0{n}T12:00:00" for n in (1, 1, 2, 3, 3, 4)])}


@pytest.mark.parametrize("clock", CLOCKS)
def test_clocks(clock, tmp_path):
    kind, times = CLOCKS[clock]
    text = f"register stream S(at {kind}, a int); select a, at from S where a <> 1"
    rows = [(time, 5 - n) for n, time in enumerate(times)]
    found = [ran(text, tmp_path, engine, rows, "at,a", {"S": "at"}, **options)
             for engine, options in (("sequential", {}), ("multicore", COMPILED))]
    assert found[0] == found[1]
    assert found[0]["output"].splitlines()[0] == "timestamp,a,at"


@pytest.mark.parametrize(("rows", "what"), [
    ([(2, 1, 1.0, "a"), (1, 9, 1.0, "b")], "'timestamp' goes back in time"),
    ([(1, 1, 1.0, "a"), (1, 9, "nan", "b")], "NaN cannot stand in a row of CQL")])
@pytest.mark.parametrize("options", [{"engine": "sequential"}, {"engine": "multicore", **COMPILED}])
def test_wrong_rows_that_nobody_wants(rows, what, options, tmp_path):
    """A filter leaves out the row that is wrong, and it is refused all the same."""
    with pytest.raises(DataError, match=what):
        ran(S + "select s from S where a < 5", tmp_path, rows=rows, **options)


WINDOWS = st.sampled_from(["", " [now]", " [range 2]", " [range 3.5]", " [rows 1]", " [rows 3]"])
VALUES = st.sampled_from(["a", "b", "a + b", "case when b > 1 then b end"])
CALLS = st.sampled_from(["count(*)", "count({})", "sum({})", "avg({})",
                         "sum({}) filter (where a < 2)"])


@st.composite
def random_queries(draw) -> str:
    window, where = draw(WINDOWS), draw(st.sampled_from(["", " where a > 0", " where a <> b"]))
    form = draw(st.sampled_from(["{}", "istream({})", "dstream({})"]))
    if draw(st.booleans()):
        return form.format(f"select {draw(VALUES)} as c, b from S{window}{where}")
    calls = ", ".join(f"{draw(CALLS).format(draw(VALUES))} as c{n}" for n in range(2))
    having = draw(st.sampled_from(["", " having count(*) > 1", " having sum(b) < 4"]))
    key = draw(st.sampled_from(["a", "b", "a + b"]))
    return form.format(f"select {key} as k, {calls} from S{where} group by {key}{having}")


@settings(max_examples=120, deadline=None)
@given(random_queries(), contents())
def test_random_queries(query, rows):
    text = "S := {int a, int b} stream;\n" + query
    graph = compiled(text, "random.cql")
    assert has_items(graph)
    assert written(text, {"S": rows["S"]}) == outputs(text, {"S": rows["S"]})


@pytest.mark.parametrize("query", [
    "select a, 6 / sum(b) as c from S group by a", "select a, count(*) from S [range 3] group by a",
    "select a, sum(x) as c from S group by a", "select count(*) from S",
    "select x, count(*) from S group by x", "select distinct a from S [range 3]",
    "create view V as select istream(a) from S where a > 1; select a from V [range 3]",
    "select a from S [range 4 slide 2]", "select rstream(a) from S [range 3]"])
def test_what_is_left_to_batches(query):
    """A quotient may fail of a sum that is never seen; a row that is left out moves time on; a
    group of a window is forgotten when its last row has left."""
    assert not has_items(compiled(S.replace("x float", "x float, b int") + query, "b.cql"))


def test_all_but_the_order_is_parallel():
    plan = compile_graph(compiled("register stream S(a int); select a + 1 as a from S where a > 2",
                                  "parallel.cql"))
    [region] = [r for r in plan.regions if "filter" in r.operators]
    assert set(region.operators) >= {"filter", "project"}


def test_spark(tmp_path):
    text = S + ("select a, count(*) as n, sum(a) as t from S group by a; select s from S [range 2];"
                "istream(select s, x from S [rows 3] where a > 1); select a + 1 as b from S")
    expected = ran(text, tmp_path, "sequential")
    assert ran(text, tmp_path, "spark") == expected
