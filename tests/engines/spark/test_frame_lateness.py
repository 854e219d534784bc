"""DataFrames whose rows come out of order: in batches, in streams, and after restarts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import anabranch as ab
from anabranch.engine.spark.frames.lateness import InTimeProcessor, Waiting
from engines.spark.frame_stream import with_store
from engines.test_lateness import Reading, counted, oracle, totals

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def session(spark):
    return with_store(SparkSession(spark))


def arrivals(session, low: int, high: int):
    return session.range(low, high).selectExpr(
        "id as n", "id + pmod(id * 37, 13) - 6 as ts", "pmod(id, 5) as key")


def readings(frame) -> ab.Stream:
    return ab.from_spark(frame, Reading, order="n", time="ts", lateness=4)


PROGRAMS = {"rows": lambda rows: rows.filter(lambda r: r.key != 3).apply(counted),
            "late": lambda rows: rows.late, "windows": totals}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_batch(session, program):
    made = PROGRAMS[program](readings(arrivals(session, 0, 200).repartition(3)))
    rows = made.to_spark(order="position").orderBy("position").drop("position").collect()
    assert [tuple(row) for row in rows] == [tuple(item) for item in made.collect()] != []


def test_times_of_a_clock(session):
    class Event(ab.Record):
        n: int
        at: datetime
    frame = arrivals(session, 0, 60).selectExpr("n", "timestamp_seconds(ts) as at")
    made = ab.from_spark(frame, Event, order="n", time="at", lateness=timedelta(seconds=4))
    for stream in (made, made.late):
        found = stream.to_spark(order="o").orderBy("o").toArrow().column("n").to_pylist()
        assert found == [e.n for e in stream.collect()] != []
    assert made.collect()[0].at == datetime.fromtimestamp(-6, UTC)


@pytest.mark.long
@pytest.mark.parametrize("program", ["rows", "windows"])
def test_a_stream_that_stops_and_goes_on(session, program, tmp_path):
    """What is given in all of its runs is a beginning of what a batch gives."""
    told: list = []
    for low, high in pairwise([0, 90, 100, 200]):
        arrivals(session, low, high).repartition(2).write.mode("append").parquet(f"{tmp_path}/in")
        rows = session.readStream.schema("n long, ts long, key long").parquet(f"{tmp_path}/in")
        out = PROGRAMS[program](readings(rows)).to_spark(order="position")
        query = out.writeStream.format("parquet").option(
            "checkpointLocation", f"{tmp_path}/kept").option("path", f"{tmp_path}/out").trigger(
            availableNow=True).start()
        query.awaitTermination()
        told += [p.observedMetrics for p in query.recentProgress]
    found = session.read.parquet(f"{tmp_path}/out").orderBy("position").drop("position").collect()
    wanted = PROGRAMS[program](readings(arrivals(session, 0, 200))).collect()
    # Behind the last row by less than the lateness nothing is known to be complete.
    kept = [tuple(item) for item in wanted][:len(found)]
    late = len(readings(arrivals(session, 0, 200)).late.collect())
    assert late == sum(row["late"] or 0 for names in told for name, row in names.items()
                       if "in time" in name)
    assert [tuple(row) for row in found] == kept and 0 < len(wanted) - len(found) < 12


def value() -> SimpleNamespace:
    """A value in Spark's store."""
    kept: list = []
    return SimpleNamespace(exists=lambda: bool(kept), get=lambda: kept[0],
                           update=lambda value: kept.__setitem__(slice(None), [value]))


@given(st.lists(st.integers(0, 30), max_size=30), st.integers(0, 9), st.lists(st.integers(0, 30)))
def test_batches_may_be_cut_anywhere(times, lateness, cuts):
    rows = [(time, n) for n, time in enumerate(times)]
    found = {}
    for late in (False, True):
        served = InTimeProcessor(Waiting("ts", ("n",), lateness, late, "ts", None))
        served.held, served.latest, found[late] = value(), value(), []
        for low, high in pairwise([0, *sorted(cuts), len(rows)]):
            part = rows[low:high]
            batch = pa.RecordBatch.from_arrays(
                [pa.array(np.array([row[c] for row in part], np.int64)) for c in (0, 1)],
                names=["ts", "n"])
            out = served.advanced(batch)
            found[late] += zip(out.column("ts").to_pylist(), out.column("n").to_pylist())
    in_time, late = oracle(rows, lateness)
    done = [row for row in in_time if row[0] <= max(times, default=0) - lateness]
    assert found == {False: done, True: late}


def test_a_row_without_a_time_is_told(session):
    frame = arrivals(session, 0, 9).withColumn("ts", F.expr("nullif(ts, 3)"))
    with pytest.raises(Exception, match="the column 'ts' has a row without a time"):
        readings(frame).to_spark().collect()
