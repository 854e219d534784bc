"""Programs over Spark DataFrames beside what is written for Spark by hand.

    python benchmarks/standalone/dataframes.py [--rows N] [--keys N] [--turns N] [CASE ...]

Each case runs one way after the other, as often as there are turns, in one session on two cores,
and nothing is written. The medians of the seconds are printed, of the clock and of computing: those
of all processes of the session.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import anabranch as ab

STORE = "spark.sql.streaming.stateStore.providerClass"
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


class Payment(ab.Record):
    at: int
    uid: int
    amount: float


class Balance(ab.Record):
    at: int
    uid: int
    total: float


class Account(ab.State):
    total: float = 0.0


@ab.operator(by="uid")
def running(state: Account, p: Payment):
    state.total += p.amount
    yield Balance(p.at, p.uid, state.total)


@ab.operator(by="uid")
def overdrawn(state: Account, p: Payment):
    state.total += p.amount
    if state.total < 0:
        yield Balance(p.at, p.uid, state.total)
        state.total = 0.0


SCHEMA = "at long, uid long, total double"


def halved(rows: ab.Stream) -> ab.Stream:
    return rows.filter(lambda p: p.amount != 7.0).map(lambda p: p.replace(amount=p.amount * 0.5))


def halved_by_hand(rows: DataFrame) -> DataFrame:
    return rows.filter("amount != 7.0").select("at", "uid", (F.col("amount") * 0.5).alias("amount"))


def ours_w1(rows: DataFrame) -> DataFrame:
    return halved(ab.from_spark(rows, Payment, order="at")).apply(running).to_spark()


def window(rows: DataFrame) -> DataFrame:
    past = Window.partitionBy("uid").orderBy("at").rowsBetween(Window.unboundedPreceding, 0)
    return halved_by_hand(rows).select("at", "uid", F.sum("amount").over(past).alias("total"))


def ours_overdrawn(rows: DataFrame) -> DataFrame:
    return ab.from_spark(rows, Payment, order="at").apply(overdrawn).to_spark()


def _overdrawn_of(at: list, uid: list, amount: list, totals: dict) -> pd.DataFrame:
    """The best loop: plain lists, and one dict."""
    found = []
    for when, who, much in zip(at, uid, amount):
        total = totals.get(who, 0.0) + much
        if total < 0:
            found.append((when, who, total))
            total = 0.0
        totals[who] = total
    return pd.DataFrame(found, columns=["at", "uid", "total"])


def by_key(rows: DataFrame) -> DataFrame:
    def one(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.sort_values("at")
        return _overdrawn_of(*(frame[name].tolist() for name in ("at", "uid", "amount")), {})
    return rows.groupBy("uid").applyInPandas(one, SCHEMA)


def by_bucket(rows: DataFrame) -> DataFrame:
    def some(frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.sort_values("at")
        return _overdrawn_of(*(frame[name].tolist() for name in ("at", "uid", "amount")), {})
    return rows.groupBy(F.expr("pmod(hash(uid), 16)")).applyInPandas(some, SCHEMA)


def ours_stateless(rows: DataFrame) -> DataFrame:
    return halved(ab.from_spark(rows, Payment, order="at")).to_spark()


class Quote(ab.Record):
    at: int
    uid: int
    bid: float
    ask: float


class Priced(ab.Record):
    at: int
    uid: int
    amount: float
    middle: float


def quotes_of(rows: DataFrame) -> DataFrame:
    """A quote for each payment, just before it, of whichever symbol."""
    return rows.select("at", F.expr("pmod(uid * 7 + 1, 10000)").alias("uid"),
                       (F.col("amount") + 20).alias("bid"), (F.col("amount") + 21).alias("ask"))


def ours_as_of(rows: DataFrame) -> DataFrame:
    quotes = ab.from_spark(quotes_of(rows), Quote, order="at", time="at")
    trades = ab.from_spark(rows, Payment, order="at", time="at")
    return quotes.join(trades, by="uid", keep=(ab.recent(count=1), ab.recent(count=0)),
                       into=lambda q, t: Priced(t.at, t.uid, t.amount, (q.bid + q.ask) / 2)
                       ).to_spark()


def as_of_by_window(rows: DataFrame) -> DataFrame:
    """The last quote before each trade, by a window function over both."""
    quotes = quotes_of(rows).select("at", "uid", F.lit(0).alias("side"), F.lit(0.0).alias("amount"),
                                    F.expr("(bid + ask) / 2").alias("middle"))
    trades = rows.select("at", "uid", F.lit(1).alias("side"), "amount",
                         F.lit(None).cast("double").alias("middle"))
    past = Window.partitionBy("uid").orderBy("at", "side").rowsBetween(
        Window.unboundedPreceding, 0)
    known = F.last("middle", ignorenulls=True).over(past)
    return quotes.union(trades).withColumn("middle", known).filter(
        "side = 1 and middle is not null").select("at", "uid", "amount", "middle")


def as_of_by_pandas(rows: DataFrame) -> DataFrame:
    def one(trades: pd.DataFrame, quotes: pd.DataFrame) -> pd.DataFrame:
        both = pd.merge_asof(trades.sort_values("at"), quotes.sort_values("at"), on="at", by="uid")
        both["middle"] = (both["bid"] + both["ask"]) / 2
        return both.dropna(subset=["middle"])[["at", "uid", "amount", "middle"]]
    bucket = "pmod(hash(uid), 16)"
    return rows.groupBy(F.expr(bucket)).cogroup(quotes_of(rows).groupBy(F.expr(bucket))
                                                ).applyInPandas(
        one, "at long, uid long, amount double, middle double")


class Visit(ab.Record):
    uid: int
    start: int
    end: int
    total: float


class Session(ab.State):
    start: int = -1
    end: int = 0
    total: float = 0.0


GAP = 15_000


@ab.operator(by="uid")
def sessions(state: Session, p: Payment):
    if state.start >= 0 and p.at - state.end > GAP:
        yield Visit(p.uid, state.start, state.end, state.total)
        state.start = -1
    if state.start < 0:
        state.start = p.at
        state.total = 0.0
    state.end = p.at
    state.total += p.amount


def ours_sessions(rows: DataFrame) -> DataFrame:
    return ab.from_spark(rows, Payment, order="at").apply(sessions).to_spark()


def sessions_by_window(rows: DataFrame) -> DataFrame:
    """All sessions, also the last of each key, which the operator does not give."""
    by_key = Window.partitionBy("uid").orderBy("at")
    begins = (F.col("at") - F.lag("at").over(by_key) > GAP).cast("int")
    numbered = rows.withColumn("begins", F.coalesce(begins, F.lit(0))).withColumn(
        "number", F.sum("begins").over(by_key))
    return numbered.groupBy("uid", "number").agg(F.min("at"), F.max("at"), F.sum("amount"))


class Order(ab.State):
    placed: int = -1
    amount: float = 0.0


@ab.operator(by="uid")
def time_outs(state: Order, p: Payment):
    if state.placed >= 0 and p.at - state.placed > GAP:
        yield Balance(state.placed, p.uid, -state.amount)
        state.placed = -1
    if state.placed < 0:
        state.placed = p.at
        state.amount = p.amount
    elif p.amount > state.amount:
        yield Balance(p.at, p.uid, p.amount)
        state.placed = -1


def ours_time_outs(rows: DataFrame) -> DataFrame:
    return ab.from_spark(rows, Payment, order="at").apply(time_outs).to_spark()


def time_outs_by_hand(rows: DataFrame) -> DataFrame:
    def some(frame: pd.DataFrame) -> pd.DataFrame:
        frame, found, orders = frame.sort_values("at"), [], {}
        for at, uid, amount in zip(*(frame[name].tolist() for name in ("at", "uid", "amount"))):
            placed, much = orders.get(uid, (-1, 0.0))
            if placed >= 0 and at - placed > GAP:
                found.append((placed, uid, -much))
                placed = -1
            if placed < 0:
                placed, much = at, amount
            elif amount > much:
                found.append((at, uid, amount))
                placed = -1
            orders[uid] = placed, much
        return pd.DataFrame(found, columns=["at", "uid", "total"])
    return rows.groupBy(F.expr("pmod(hash(uid), 16)")).applyInPandas(some, SCHEMA)


class OverdrawnByKey(StatefulProcessor):
    """What Spark's documents show: a state for each key."""

    def init(self, handle) -> None:
        self.total = handle.getValueState("total", "total double")

    def handleInputRows(self, key, rows, timerValues) -> Iterator[pd.DataFrame]:
        frame = pd.concat(rows).sort_values("at")
        totals = {key[0]: self.total.get()[0] if self.total.exists() else 0.0}
        made = _overdrawn_of(*(frame[name].tolist() for name in ("at", "uid", "amount")), totals)
        self.total.update((totals[key[0]],))
        yield made

    def close(self) -> None:
        pass


def stream_by_key(rows: DataFrame) -> DataFrame:
    return rows.groupBy("uid").transformWithStateInPandas(OverdrawnByKey(), SCHEMA, "append",
                                                          "none")


BATCH = {"w1": {"window function": window, "anabranch": ours_w1},
         "overdraft": {"applyInPandas by key": by_key, "applyInPandas by bucket": by_bucket,
                       "anabranch": ours_overdrawn},
         "as-of": {"window function": as_of_by_window, "merge_asof by bucket": as_of_by_pandas,
                   "anabranch": ours_as_of},
         "sessions": {"window functions": sessions_by_window, "anabranch": ours_sessions},
         "time-outs": {"applyInPandas by bucket": time_outs_by_hand, "anabranch": ours_time_outs},
         "stateless": {"select": halved_by_hand, "anabranch": ours_stateless}}
STREAMS = {"stream": {"transformWithState by key": stream_by_key, "anabranch": ours_overdrawn},
           "stateless-stream": {"select": halved_by_hand, "anabranch": ours_stateless}}


def session() -> SparkSession:
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    made = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
        "spark.driver.memory", "3g").config("spark.sql.shuffle.partitions", "2").config(
        STORE, ROCKS).getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def prepared(spark: SparkSession, folder: str, rows: int, keys: int) -> str:
    """The input as two files, whose rows are in order. Each key has about as many rows."""
    path = f"{folder}/in"
    spark.range(0, rows, 1, 2).selectExpr(
        "id as at", f"pmod(xxhash64(id), {keys}) as uid",
        "cast(pmod(xxhash64(id, 7), 41) - 20 as double) as amount").write.parquet(path)
    return path


def batch(spark: SparkSession, path: str, made: Callable[[DataFrame], DataFrame]) -> None:
    made(spark.read.parquet(path)).write.format("noop").mode("overwrite").save()


def stream(spark: SparkSession, path: str, made: Callable[[DataFrame], DataFrame]) -> None:
    """One file for each micro-batch."""
    rows = spark.readStream.schema("at long, uid long, amount double").option(
        "maxFilesPerTrigger", 1).parquet(path)
    folder = tempfile.mkdtemp()
    try:
        made(rows).writeStream.format("noop").option("checkpointLocation", folder).trigger(
            availableNow=True).start().awaitTermination()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def computing() -> float:
    """The seconds of computing of this process and of all that it has started."""
    parents, seconds = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(stat.parent.name)
        parents[number] = int(text[1])
        seconds[number] = sum(map(int, text[11:15])) / os.sysconf("SC_CLK_TCK")
    ours = {os.getpid()}
    while more := {number for number, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(seconds[number] for number in ours if number in seconds)


def measured(run: Callable, *given: object) -> tuple[float, float]:
    clock, busy = time.monotonic(), computing()
    run(*given)
    return time.monotonic() - clock, computing() - busy


def compare(spark: SparkSession, name: str, path: str, turns: int) -> None:
    run, ways = (batch, BATCH[name]) if name in BATCH else (stream, STREAMS[name])
    found: dict[str, list] = {way: [] for way in ways}
    for turn in range(turns + 1):
        for way, made in ways.items():
            seconds = measured(run, spark, path, made)
            if turn:  # The first turn warms the session and the workers.
                found[way].append(seconds)
    medians = {way: [statistics.median(each) for each in zip(*own)] for way, own in found.items()}
    ours = medians["anabranch"]
    for way, (clock, busy) in medians.items():
        print(f"{name:17} {way:26} {clock:7.2f} s  {busy:7.2f} s computing   anabranch is "
              f"{clock / ours[0]:.2f} times as fast, {busy / ours[1]:.2f} by computing", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    spark = session()
    with tempfile.TemporaryDirectory() as folder:
        path = prepared(spark, folder, options.rows, options.keys)
        for name in options.cases or (*BATCH, *STREAMS):
            compare(spark, name, path, options.turns)


if __name__ == "__main__":
    main()
