"""Several streaming DataFrames in one program: their rows come in the order of their times."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.core.errors import DataError
from anabranch.engine.spark.frames.held import HeldRows
from anabranch.engine.spark.frames.merging import MergeProcessor, TimedSource
from engines.spark.frame_stream import with_store
from engines.spark.test_frame_lateness import arrivals, readings, value
from engines.test_lateness import Reading

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Pair(ab.Record):
    ts: int
    key: int
    before: int


def paired(left, right) -> ab.Stream:
    """Each row of the one beside the last three of the other with its key."""
    others = ab.from_spark(right, Reading, order="n", time="ts")
    return readings(left).join(others, by="key", keep=ab.recent(count=3),
                               into=lambda one, other: Pair(one.ts, one.key, other.ts))


def others(session, low: int, high: int):
    return session.range(low, high).selectExpr("id as n", "id div 2 * 2 as ts",
                                               "pmod(id * 7, 5) as key")


@pytest.mark.long
def test_a_join_of_streams_that_stops_and_goes_on(spark, tmp_path):
    session = with_store(SparkSession(spark))
    for low, high in pairwise([0, 70, 90, 160]):
        for name, made in (("left", arrivals), ("right", others)):
            made(session, low, high).repartition(2).write.mode("append").parquet(
                f"{tmp_path}/{name}")
        left, right = (session.readStream.schema("n long, ts long, key long").parquet(
            f"{tmp_path}/{name}") for name in ("left", "right"))
        paired(left, right).to_spark(order="position").writeStream.format("parquet").option(
            "checkpointLocation", f"{tmp_path}/kept").option("path", f"{tmp_path}/out").trigger(
            availableNow=True).start().awaitTermination()
    found = session.read.parquet(f"{tmp_path}/out").orderBy("position").drop("position").collect()
    wanted = paired(arrivals(session, 0, 160), others(session, 0, 160)).collect()
    assert [tuple(row) for row in found] == [tuple(item) for item in wanted][:len(found)]
    assert len(found) > 200


def processor(count: int) -> MergeProcessor:
    made = MergeProcessor(tuple(TimedSource(n, f"s{n}", "ts", None) for n in range(count)),
                          ("time", "src", "o"), HeldRows({}))
    made.held, made.reached = value(), value()
    return made


def batch(rows: list[tuple]) -> pa.RecordBatch:
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), names=["time", "src", "o"])


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2))), st.lists(st.integers(0, 40)))
def test_rows_go_when_nothing_can_come_before_them(rows, cuts):
    """However the rows of three sources are cut into batches, each in the order of its times."""
    rows = [(time, src, n) for n, (time, src) in enumerate(sorted(rows))]
    shuffled = sorted(rows, key=lambda row: (row[2] * 7 // (5 + row[1]), row[2]))
    served, found = processor(3), []
    for low, high in pairwise([0, *sorted(cuts), len(rows)]):
        out = served.advanced(batch(sorted(shuffled[low:high], reverse=True)))
        found += zip(*(out.column(n).to_pylist() for n in range(3)))
    last = {src: time for time, src, _ in rows}
    bound = min(((time, src) for src, time in last.items()), default=None)
    assert found == ([row for row in rows if row[:2] <= bound] if len(last) == 3 else [])


def test_a_source_that_goes_back_in_time_is_told():
    served = processor(2)
    served.advanced(batch([(5, 0, 0), (1, 1, 1)]))
    with pytest.raises(DataError, match="goes back in time from batch to batch"):
        served.advanced(batch([(4, 0, 2)]))


def test_rows_that_wait_are_known_by_the_names_of_their_columns():
    batch = pa.record_batch({"v0_0": [1, 2], "v0_1": ["a", "b"]})
    saved = HeldRows({"v0_0": "n", "v0_1": "who"}).saved(batch)
    turned = pa.schema({"p0": pa.int64(), "v0_0": pa.string(), "v0_1": pa.int64()})
    found = HeldRows({"v0_0": "who", "v0_1": "n"}).read(saved, turned)
    assert found.to_pylist()[0] == {"p0": 0, "v0_0": "a", "v0_1": 1}
    with pytest.raises(ab.RunError, match="rows that wait for others, and their 'extra'"):
        HeldRows({"v0_0": "extra"}).read(saved, turned)
