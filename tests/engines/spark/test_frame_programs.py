"""Programs in SPL and in other languages over DataFrames give what the sequential engine gives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine.run import execute
from anabranch.io.python.objects import IterableSource, ListSink
from anabranch.ir.graph import Graph
from anabranch.lang.spl import compiled
from anabranch.runtime.options import RunOptions

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

PROGRAM = """composite Main { graph
  stream<int64 n, rstring symbol, float64 price> Quotes = FileSource() { param file: "none"; }
  stream<Quotes, tuple<float64 sum>> Sums = Custom(Quotes) {
    logic state: mutable map<rstring, float64> sums = {};
    onTuple Quotes: {
      sums[symbol] = (symbol in sums ? sums[symbol] : 0.0) + price;
      submit({n = n, symbol = symbol, price = price, sum = sums[symbol]}, Sums);
    } }
  stream<rstring symbol, float64 mean, int32 many> Out = Aggregate(Sums) {
    window Sums: tumbling, count(4), partitioned; param partitionBy: symbol;
    output Out: mean = Average(sum), many = Count(); }
  () as Sink = FileSink(Out) { param file: "none"; } }"""
FILE = """output sums;
input quotes : Quote;
(sums : Quote) <- total(quotes);
"""
FUNCTIONS = """import anabranch as ab

class Quote(ab.Record):
    n: int
    symbol: str
    price: float

class Sum(ab.State):
    total: float = 0.0

@ab.operator(by="symbol")
def total(state: Sum, quote: Quote):
    state.total += quote.price
    yield quote.replace(price=state.total)
"""


@pytest.fixture(scope="module")
def quotes(spark):
    session = SparkSession(spark).newSession()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session.range(60).selectExpr("id as n", "concat('s', id % 4) as symbol",
                                        "cast(id * 7 % 10 as double) as price")


def sequential(graph: Graph, rows: list) -> list[tuple]:
    found: list = []

    def bound(op):
        if op.is_source:
            make = graph.output_types(op)[0]
            return replace(op, kind=replace(op.kind, spec=IterableSource(
                [make.cls(*row) for row in rows], make)))
        return replace(op, kind=replace(op.kind, spec=ListSink(found))) if op.is_sink else op
    execute(compile_graph(graph.with_operators(map(bound, graph))), RunOptions("sequential"))
    return [tuple(item) for item in found]


def in_order(frame) -> list[tuple]:
    return [tuple(row) for row in frame.orderBy("o").drop("o").collect()]


def test_a_program_in_spl(quotes):
    expected = sequential(compiled(PROGRAM, "p.spl"), [tuple(r) for r in quotes.collect()])
    given = quotes.repartition(3)
    assert in_order(ab.spl(PROGRAM, Quotes=given, order="n", position="o")) == expected != []


def test_a_program_of_a_file(quotes, tmp_path):
    (tmp_path / "sums.py").write_text(FUNCTIONS)
    path = tmp_path / "sums.river"
    path.write_text(FILE)
    expected = sequential(load(path), [tuple(r) for r in quotes.collect()])
    assert in_order(ab.program(path, quotes=quotes.repartition(3), order="n",
                               position="o")) == expected != []


def test_what_does_not_fit_is_told(quotes):
    with pytest.raises(ab.ProgramError, match="there is no DataFrame for the input 'Quotes'"):
        ab.spl(PROGRAM, quotes=quotes)
    with pytest.raises(ab.ProgramError, match="the program has no input 'Other'"):
        ab.spl(PROGRAM, Quotes=quotes, Other=quotes)
    with pytest.raises(ab.ProgramError, match="price"):
        ab.spl(PROGRAM, Quotes=quotes.drop("price"), order="n")
    with pytest.raises(ab.ProgramError, match="several sinks"):
        ab.spl(PROGRAM.replace("() as Sink", '() as A = FileSink(Out) { param file: "a"; } '
                               '() as Sink'), Quotes=quotes)
    with pytest.raises(ab.ProgramError, match="nothing here is called prise") as caught:
        ab.spl(PROGRAM.replace("price = price", "price = prise"), Quotes=quotes)
    assert "<program>:7" in str(caught.value)
