"""A wrong program ends in one clear message, which underlines what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.compile import compile_graph
from anabranch.core.errors import AnabranchError, ProgramError
from anabranch.lang.cql import compiled

BEFORE = "S := {int a, string s} stream; R := {int a, float x} relation;\n"
WRONG = """\
select b from S
select S.b from S
select T.a from S
select * from Ss
select a from S, R
select * from S, S
select * fom S
select a, from S
select * from S where a = 'x
select * from S /* open
select * from S where
select a + s from S
select a from S where a
select a from S where not s
select foo(a) from S
select length(a) from S
select case when a = 1 then s else a end from S
select a, count(*) from S
select * from S group by a
select sum(s) from S
select sum(*) from S
select sum(count(*)) from S
select a from S where count(*) > 1
select mode(distinct a) from S
select sum(a) over (partition by s) from S
select a from S group by 2
select median(s) from S
select * from R [now]
select * from S [rows 0]
select * from S [range 5 slide 0]
select * from S [rows 5 slide 0]
select * from S [partition by a rows 5 range 9 slide 2]
select * from S [range 5 months]
select * from S [partition by b rows 1]
select * from S order by b
select a from S order by s desc
select a from S order by 2
select a from S order by a limit
select * from S left join R
select * from S cross join R on S.a = R.a
select * from S where a > all (select * from R)
select * from S where s > all (select a from R)
select * from S where a > any (select max(a) from R)
select * from S where a = (select a from R)
select * from S where a = (select max(a), min(a) from R)
select (select max(a), 1 from R) from S
select a from S group by (select max(a) from R)
select max(a) from S having max(a) > (select max(a) from R where R.x > S.a)
select a from S where a > (select max(a) from R where R.a = S.a group by a)
select * from S where a = (select max(a) from R limit 1)
(select a from S) / (select count(*) from R)
(select count(*) from S) + (select max(s), 1 from S)
select * from S natural join (select x from R) as q
select * from S full join R using (a)
select * from S join R using (s)
select a from S left join R on S.a = R.a
source : /data/S.dat
vquery : select a from S; select a from S
create relation V as istream(select a from S)
select timestamp from S
select top 5 * from S
select a a a from S
select * from S [range -5]
select * from S [range 5
select * from S [rows 2.5]
select * from S where a like 'x'
select * from S where s between 1 and 2
select * from S where a in ('x')
select * from S where (a = 1
select * from S where a = 1)
T : {int a, a int} stream
T : {int int} stream
select a in (select a from R) from S
select * from S where a in (select * from R)
select * from S where s in (select a from R)
select * from S where exists (select count(*) from R where R.a = S.a)
select * from S where exists (select istream(a) from R where R.a = S.a)
select a from S union select s from S
select a from S union select a, s from S
istream(select istream(a) from S)
S := {int a} stream
T := {int a, int A} stream
T := {number a} stream
T := {int class} stream
select a as lambda from S
import := select a from S
T := {int a} streem
T := {int a, string op} relation
V : {string a} stream = select a from S
V : {int a} relation = select istream(a) from S
create view V(p, q) as select a from S
select time 'yesterday' from S
create view V as select a from S
select sum(distinct a, s) from S
select length(s) filter (where a > 1) from S
select max(a) filter (where s) from S
select * from S [hop 5 slide 0]
select * from S [session 0]
select * from S [hop 1 week slide 1 second]
select * from S [hop 2.5 slide 2]
select * from S [partition by b session 5]
select regexp_like(s, '(') from S
select regexp_extract(s, 1) from S
select positoin('x' in s) from S
select extract(a + 1 from a) from S
create function f(x int) as y; select f(a) from S
create function length(x int) as x; select a from S
create function f(x int) as f(x); select f(a) from S
create function f(x int) as max(x); select f(a) from S
create aggregate g(x int) as x + 1; select g(a) from S
create function f(x int) returns string as x; select f(a) from S
create function f(x int) as x; select f(s) from S
create function f(x int, y int) as x + y; select f(a) from S
create function f(x int, x int) as x; select f(a, a) from S
create aggregate g(x int) as max(x); select a from S where g(a) > 1
select a + 1 as b, count(*) as n from S group by n
select count() from S
selct a from S
select a from S grup by a
""".splitlines()


def message(text: str) -> str:
    with pytest.raises(ProgramError) as caught:
        compiled(BEFORE + text, "wrong.cql")
    return str(caught.value)


def test_messages(golden):
    golden("lang/cql_errors.txt", "\n\n".join(map(message, WRONG)) + "\n")


TEXT = """select istream dstream ( ) * a b s S R x from where group by having count sum distinct ,
; . = < + - / any all
minus 1 2.5 'x' [now] [range 5] [rows 2 ] union except in exists and or not case when then
else end as null is between like := : { } int string stream relation register"""
PIECES = st.sampled_from(TEXT.split())


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25), st.booleans())
def test_any_text_gives_a_graph_or_our_error(pieces, declared):
    try:
        compile_graph(compiled(BEFORE * declared + " ".join(pieces), "random.cql"))
    except AnabranchError as error:
        assert str(error).startswith("error: ")


def test_deep_nesting_is_refused():
    with pytest.raises(ProgramError, match="nested too deeply"):
        compiled(BEFORE + f"select {'(' * 300}a{' + 1)' * 300} from S", "deep.cql")
