"""What the user is told of programs in columns: how they run, why not, and what each part did."""

from __future__ import annotations

import pytest

from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.explain.tables import tables
from anabranch.lang.cql import compiled
from anabranch.plan.logical.whole import whole_of
from anabranch.runtime.options import RunOptions

DECLARED = "S := {int a, float x} stream;\n"
ROWS = "timestamp,a,x\n1,5,0.5\n1,6,0.0\n2,5,2.5\n9,7,0.5\n"


def test_stages_have_figures(tmp_path):
    (tmp_path / "S.csv").write_text(ROWS)
    text = DECLARED + ("select a, count(*) as n, count(distinct x) as h from S [range 3] "
                       "where x > 0.1 group by a")
    plan = compile_graph(compiled(text, "program.cql"))
    report = execute(plan, RunOptions("multicore", 2, inputs={"S": str(tmp_path / "S.csv")},
                                      outputs={"output": str(tmp_path / "out.csv")}))
    found = [(s.operators[0], s.sharing, s.tier, s.rows_in, s.rows_out) for s in report.stages]
    assert found == [
        ("S", "stateless", "columns", 4, 4), ("[range]", "sequential", "columns", 4, 7),
        ("filter", "stateless", "columns", 7, 5), ("group", "sequential", "rows", 5, 7),
        ("project", "stateless", "columns", 7, 7), ("rows of output", "stateless", "", 7, 7),
        ("text of output", "stateless", "", 7, 7), ("output", "sequential", "", 7, 0)]
    assert all(stage.each[0].seconds >= 0 for stage in report.stages)


@pytest.mark.parametrize("query, why", [
    ("select distinct a from S [range 3]", None),
    ("select a as x from S [now] union select x from S", "a whole number stands for a float"),
])
def test_explain_says_why_columns_are_not_used(query, why):
    plan = compile_graph(compiled(DECLARED + query, "program.cql"))
    assert whole_of(plan.program).why_not == why
    expected = [("not in whole columns", ("why",), ((why,),))] if why else []
    assert list(tables(plan)) == expected
