"""CQL queries over DataFrames give what the sequential engine gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import DataFrame, SparkSession

import anabranch as ab
from anabranch.api.frames import cql_graph
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.io.python.objects import ListSink
from anabranch.runtime.options import RunOptions
from engines.spark.frame_stream import with_store

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

QUERIES = [
    "select istream(symbol, price * 2 as twice) from quotes [now] where price > 3.0",
    "select symbol, sum(price) as total, count(*) as n from quotes [range 2] group by symbol",
    "select istream(q.symbol, t.n) from quotes [now] as q, trades [range 3] as t "
    "where q.symbol == t.symbol",
    "select istream(t.symbol, t.n, q.price) from quotes [partition by symbol rows 1] as q, "
    "trades [now] as t where q.symbol == t.symbol"]


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
    given = frames if "trades" in query else {"quotes": frames["quotes"]}
    found: list = []
    graph = cql_graph(query, "at", "n", given, None)
    listed = graph.with_operators(replace(op, kind=replace(op.kind, spec=ListSink(found)))
                                  if op.is_sink else op for op in graph)
    execute(compile_graph(listed), RunOptions("sequential"))
    rows = ab.cql(query, time="at", order="n", position="o", **given).orderBy("o").drop("o")
    assert [tuple(row) for row in rows.collect()] == [tuple(item) for item in found] != []


def test_a_query_over_a_stream(frames, tmp_path):
    """It goes on from its checkpoint; what it gives is a beginning of what it gives at the end."""
    quotes, session = frames["quotes"], with_store(frames["quotes"].sparkSession)

    def asked(**given) -> DataFrame:
        return ab.cql(QUERIES[1], time="at", order="n", position="o", **given)
    for low in (0, 30):
        quotes.where(f"n between {low} and {low + 29}").write.mode("append").parquet(
            f"{tmp_path}/in")
        rows = session.readStream.schema(quotes.schema).parquet(f"{tmp_path}/in")
        asked(quotes=rows).writeStream.option("checkpointLocation", f"{tmp_path}/state").option(
            "path", f"{tmp_path}/out").trigger(availableNow=True).start().awaitTermination()
    found, whole = (frame.orderBy("o").collect() for frame in (
        session.read.parquet(f"{tmp_path}/out"), asked(quotes=quotes)))
    assert len(whole) - 10 < len(found) < len(whole) and found == whole[:len(found)]


def test_what_does_not_fit_is_told_at_the_query(frames):
    quotes = frames["quotes"]
    with pytest.raises(ab.ProgramError, match="there is no attribute 'smbol'") as caught:
        ab.cql("select smbol from quotes [now]", quotes=quotes, time="at", order="n")
    assert "did you mean 'symbol'" in str(caught.value) and "<query>:1" in str(caught.value)
    with pytest.raises(ab.ProgramError, match="has no column 'att' for its time"):
        ab.cql("select symbol from quotes [now]", quotes=quotes, time="att", order="n")
    with pytest.raises(ab.ProgramError, match="several queries give several results"):
        ab.cql("select symbol from quotes [now]; select price from quotes [now];", quotes=quotes,
               time="at", order="n")
