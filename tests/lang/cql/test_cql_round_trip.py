"""What is read, shown as text and read again is the same program."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from anabranch.lang.cql.parser import read
from anabranch.lang.cql.syntax import program_text
from lang.cql.queries import DECLARATIONS, queries

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMS = [
    "S : {int a, s : string} stream; register relation R(a integer, s char(8));",
    "V := select * from S; W : {int a} stream = select a from S; create view X(p) as V;",
    "register query Q as select S.*, t.a as b from S [rows 3] as t where not a = 1 or a <> 2;",
    "select distinct istream(a, count(*), sum(distinct b) as n) from S [range 5 minutes] group by a"
    " having count(*) > 1;",
    "select a from (select a from S [now]) as t, R where t.a in (select a from R) and exists "
    "(select * from R);",
    "select a from S union all (select a from T except select a from R) intersect select a from R;",
    "dstream(select case when a > 1 then 'it''s' else null end, -a, abs(a) from S"
    " [partition by a, b rows 2 range 1 hour]);",
    "select time '2024-05-01T12:00:00', true, 2.5e10, a is null, s like 'x%' from S"
    " [range 4 slide 2.5 seconds];",
    "select a from S where a < all (select a from R) or a = any (select a from R) or a in ((select "
    "a from R)) or a > (select max(a) from R) and a <> some (select a from S [rows 4 slide 2]);",
    "table : register stream S(a integer, s char20); vquery : select a from S [now]; vtable : "
    "register stream V(b integer); query : select b from V minus select all a from S;",
    "create stream S(a int) create relation W as select a from S; select a from S [unbounded];",
    "select a from S where a between 1 and 3 and s not in ('x', 'y') and cast(a as float) < 1;",
]


def same_again(text: str) -> None:
    program = read(text, "program.cql")
    shown = program_text(program)
    assert read(shown, "shown.cql") == program
    assert program_text(read(shown, "shown.cql")) == shown


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text):
    same_again(text)


@pytest.mark.parametrize("name", ["bargains", "linear_road", "log_analyzer"])
def test_examples(name):
    same_again((EXAMPLES / f"{name}.cql").read_text())


@settings(max_examples=60, deadline=None)
@given(queries())
def test_random_queries(query):
    same_again(DECLARATIONS + query)
