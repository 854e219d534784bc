"""The query log analyzer in Sawzall on Spark, against PySpark by hand.

This is the calibration of Soulé et al., "River: an intermediate language for stream processing".

Both run in one session, which has started before. The programs are those of
`benchmarks/standalone/sawzall.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pyarrow as pa

from anabranch.engine.spark.session.context import spark_context
from benchmarks import data
from benchmarks.measurement import Contender, Outcome, Run, Setting
from benchmarks.runner import at_least, compared, ratio
from benchmarks.standalone import sawzall as script

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


CASE = "lines to tables"
OURS, PEER = "anabranch", "pyspark"


def measure(setting: Setting) -> Outcome:
    path = data.written("lines", setting.rows, "txt")
    with _session() as session:
        ways = {OURS: lambda: script.program(path, engine="spark", session=session),
                PEER: lambda: script.by_hand(path, session)}
        for way in ways.values():
            way()
        contenders = [Contender(name, lambda way=way: timed_counts(way), ours=name == OURS)
                      for name, way in ways.items()]
        outcome = compared(CASE, contenders, _table(script.plain_loop(path)), setting.rows, setting)
    return outcome.joined(Outcome(goals=[
        at_least("Sawzall on Spark, against PySpark", ratio(outcome, CASE, OURS, PEER), 0.9)]))


@contextmanager
def _session() -> Iterator[SparkSession]:
    from pyspark.sql import SparkSession

    with spark_context("local[2]") as context:
        session = SparkSession(context)
        session.conf.set("spark.sql.shuffle.partitions", 2)
        yield session


def timed_counts(way: Callable[[], dict]) -> Run:
    """How long it takes to count, and the counts."""
    began = time.perf_counter()
    counts = way()
    return Run(time.perf_counter() - began, _table(counts))


def _table(counts: dict[str, dict]) -> pa.Table:
    """The counts in an order of their own: a table in Sawzall is a set of sums."""
    lines = sorted((name, *place, n) for name, found in counts.items() for place, n in
                   found.items())
    return pa.table({f"c{n}": column for n, column in enumerate(zip(*lines))})
