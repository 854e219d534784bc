"""CQL queries over DataFrames give what the sequential engine gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.api.frames import cql_graph
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.io.python.objects import ListSink
from anabranch.runtime.options import RunOptions

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

QUERIES = [
    "select istream(symbol, price * 2 as twice) from quotes [now] where price > 3.0",
    "select symbol, sum(price) as total, count(*) as n from quotes [range 2] group by symbol"]
MEETING = ("select istream(q.symbol, t.n) from quotes [now] as q, trades [range 3] as t "
           "where q.symbol == t.symbol")


@pytest.fixture(scope="module")
def frames(spark):
    session = SparkSession(spark).newSession()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    made = session.range(60).selectExpr(
        "id as n", "id div 3 as at", "concat('s', id % 4) as symbol",
        "cast(id * 7 % 10 as double) as price", "cast(id as decimal(9, 2)) as unseen")
    return {"quotes": made.repartition(3), "trades": made.where("n % 5 = 0")}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query(frames, query):
    given = {"quotes": frames["quotes"]}
    found: list = []
    graph = cql_graph(query, "at", "n", given, None)
    listed = graph.with_operators(replace(op, kind=replace(op.kind, spec=ListSink(found)))
                                  if op.is_sink else op for op in graph)
    execute(compile_graph(listed), RunOptions("sequential"))
    rows = ab.cql(query, time="at", order="n", position="o", **given).orderBy("o").drop("o")
    assert [tuple(row) for row in rows.collect()] == [tuple(item) for item in found] != []


def test_what_does_not_fit_is_told_at_the_query(frames):
    quotes = frames["quotes"]
    with pytest.raises(ab.ProgramError, match="there is no attribute 'smbol'") as caught:
        ab.cql("select smbol from quotes [now]", quotes=quotes, time="at", order="n")
    assert "did you mean 'symbol'" in str(caught.value) and "<query>:1" in str(caught.value)
    with pytest.raises(ab.ProgramError, match="has no column 'att' for its time"):
        ab.cql("select symbol from quotes [now]", quotes=quotes, time="att", order="n")
    with pytest.raises(ab.ProgramError, match="it comes to 'pair' by two ways"):
        ab.cql(MEETING, time="at", order="n", **frames)
    with pytest.raises(ab.ProgramError, match="several queries give several results"):
        ab.cql("select symbol from quotes [now]; select price from quotes [now];", quotes=quotes,
               time="at", order="n")
