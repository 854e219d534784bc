"""Outer joins, queries as values, orders, windows that end: as the definition of the language says.

The denotational semantics evaluates what is written; the language makes joins, marks and groups of
it. Files go through slices of three rows.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from anabranch.lang.cql.execution.columns import slices as column_inputs
from lang.cql.denotational import outputs
from lang.cql.queries import DECLARATIONS, some_contents
from lang.cql.test_cql_columns import HEADERS, ran, written_files
from lang.cql.test_cql_meaning import written

QUERIES = Path(__file__).with_name("depth.cql").read_text().split(";\n")[:-1]
NULLS = """\
create view N as select a, case when b > 1 then b end as b from S [range 4];
create view M as select a, case when d > 1 then d end as d from R;
"""
# All inputs drive the clock.
ALL = ";\nselect * from S;\nselect * from T;\nselect * from R"
CONTENTS = [some_contents(seed) for seed in range(3)]


@pytest.mark.parametrize("query", QUERIES)
def test_queries(query, tmp_path, monkeypatch):
    text = DECLARATIONS + NULLS + query + ALL
    found = [written(text, each) for each in CONTENTS]
    assert found == [outputs(text, each) for each in CONTENTS]
    assert any(each[0] for each in found), "a query without results proves nothing"
    monkeypatch.setattr(column_inputs, "SLICE", 3)
    files = written_files(tmp_path, HEADERS, CONTENTS[0])
    expected, *_ = ran(text, files, tmp_path, "sequential")
    assert ran(text, files, tmp_path, "multicore", 2)[0] == expected


PROGRAM = """\
register stream Sales(shop string, item string, price float);
register relation Stock(item string, shelf int);
create aggregate mean(x float, weight float) returns float as sum(x * weight) / sum(weight);
create view Latest as select shop, item, price from Sales [partition by shop rows 2];
select L.shop, L.item, K.shelf from Latest as L left join Stock as K on L.item = K.item;
select L.shop, L.price from Latest as L
where L.price >= (select avg(price) from Latest where Latest.shop = L.shop) order by price desc;
select istream(shop, mean(price, 2.0) as price, count(*) filter (where price > 2.0) as n)
from Sales [partition by shop session 3] group by shop;
select istream(item, price) from Sales [hop 4 slide 2] order by price desc limit 2;
"""


@pytest.mark.parametrize("engine", ["multicore", "spark"])
def test_engines_agree(engine, tmp_path):
    rows = [(t, f"s{t % 3}", f"i{t % 4}", t * 7 % 5 + 0.5) for n in range(30) for t in [n + n // 7]]
    stock = [(0, "+", "i0", 1), (3, "+", "i2", 2), (9, "-", "i0", 1), (11, "+", "i0", 4)]
    headers = {"Sales": "timestamp,shop,item,price", "Stock": "timestamp,op,item,shelf"}
    files = written_files(tmp_path, headers, {"Sales": rows, "Stock": stock})
    expected, *_ = ran(PROGRAM, files, tmp_path, "sequential")
    assert all(len(text.splitlines()) > 5 for text in expected.values())
    workers = 2 if engine == "multicore" else None
    assert ran(PROGRAM, files, tmp_path, engine, workers)[0] == expected


REGEXPS = """\
S := {string s} stream;
select regexp_like(s, '^a+$') as a, regexp_extract(s, 'b([0-9]*)', 1) as b,
       regexp_replace(s, '([ab])', '<\\1>') as c, split_index(s, '/', 1) as d,
       split_part(s, '/', 1) as e, position('b' in s) as f, substring(s from 2 for 2) as g,
       char_length(s) as h
from S;
"""


def test_texts():
    assert written(REGEXPS, {"S": [(1, "aa"), (2, "b12/x")]}) == [[
        (1, True, None, "<a><a>", None, "aa", 0, "a", 2),
        (2, False, "12", "<b>12/x", "x", "b12", 1, "12", 5)]]


FUNCTIONS = """\
S := {int a, float x, string s} stream;
select sign(a) as a, sign(x) as b, trunc(x) as c, log10(100.0) as d, pi() as e,
       atan2(0.0, 1.0) as f, nullif(a, 1) as g, left(s, 2) as h, right(s, 2) as i,
       lpad(s, 6, '.') as j, rpad(s, 6) as k, reverse(s) as l, repeat(s, 2) as m, initcap(s) as n,
       ltrim(' b ') as o, rtrim(' b ') as p, starts_with(s, 'ab') as q
from S [now];
"""


def test_functions():
    expected = (-1, 1, 2, 2.0, 3.141592653589793, 0.0, -1, "ab", "cd", "..abcd", "abcd  ", "dcba",
                "abcdabcd", "Abcd", "b ", " b", True)
    [found] = written(FUNCTIONS, {"S": [(1, -1, 2.5, "abcd")]})
    assert [row[1:] for row in found] in ([expected], [("+", *expected)])
    [(_, *found)] = written("S := {int a} stream; select nullif(a, 1) as g from S;",
                            {"S": [(1, 1)]})[0]
    assert found[-1] is None


def test_a_number_in_group_by_is_an_item_of_the_list():
    text = "S := {int a} stream; select a / 10 as b, count(*) as n from S [unbounded] group by 1;"
    assert written(text, {"S": [(1, 11), (1, 12), (2, 25)]})[0] == [
        (1, "+", 1, 2), (2, "+", 2, 1)]


def test_views_of_one_query_and_what_is_not_known():
    text = """S := {int a, int b} stream;
with T as (select a, nullif(b, 0) as b from S [now]), U(n) as (select a from T where b > 1)
select a, n from T, U where ((b > 2) is not true) and a = n;
with V as (select a, nullif(b, 0) > 1 as c from S [now]) select a from V where c is not false;
"""
    first, second = written(text, {"S": [(1, 1, 2), (1, 2, 3), (1, 3, 0)]})
    assert [row[2:] for row in first if row[1] == "+"] == [(1, 1)]
    assert [row[2:] for row in second if row[1] == "+"] == [(1,), (2,), (3,)]


def test_a_program_may_define_what_the_library_has():
    text = """S := {int a} stream;
create aggregate median(x int) as max(x);
select median(a) as m from S [now];
"""
    assert written(text, {"S": [(1, 1), (1, 5)]})[0][0] == (1, "+", 5)


def test_a_function_takes_and_gives_what_it_declares():
    """A whole number that is handed over as a float is divided as one."""
    text = """\
register stream S(a int, b int);
create function half(x float) returns float as x / 2;
create function next(x int) returns float as x + 1;
create aggregate mean(x float, w float) as sum(x * w) / sum(w);
select half(a) as h, next(a) / 2 as n from S;
select mean(a, b) as m from S;
"""
    found, means = written(text, {"S": [(1, 1, 3), (2, 2, 1)]})
    assert [tuple(map(repr, row)) for row in found] == [("1", "0.5", "1.0"), ("2", "1.0", "1.5")]
    assert [row[-1] for row in means] == [1.0, 1.0, 1.25]
