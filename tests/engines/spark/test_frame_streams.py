"""Streaming DataFrames: a query goes on where it stopped, also as a program that has changed."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

import anabranch as ab
from engines.spark import frame_stream as streams
from engines.spark.frame_stream import Payment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def session(spark):
    return streams.with_store(SparkSession(spark))


def test_a_query_goes_on_as_a_changed_program(session, tmp_path):
    folder = str(tmp_path)
    for program, low, high in [(streams.first, 0, 400), (streams.second, 400, 500)]:
        streams.arrive(session, folder, low, high)
        assert streams.run(session, folder, program) == ""
    assert streams.found(session, folder) == streams.expected()
    streams.arrive(session, folder, 500, 510)
    told = streams.run(session, folder, streams.other_key)
    assert "the key of 'overdrawn' is another one" in told and "checkpointLocation" in told
    assert "with another type" in streams.run(session, folder, streams.other_type)


def test_what_a_stream_cannot_have_is_refused(session, tmp_path):
    plain = session.newSession()
    rows = plain.readStream.schema("at long, account string, amount double").parquet(str(tmp_path))
    one = ab.from_spark(rows, Payment, order="at")
    with pytest.raises(ab.UsageError, match="needs the state store of RocksDB"):
        one.apply(streams.first()).to_spark()
    with pytest.raises(ab.ProgramError, match="a stream has one source here"):
        one.union(ab.from_spark(rows, Payment, order="at"), arrival=True).to_spark()
    with pytest.raises(ab.ProgramError, match="is read by Spark alone"):
        one.collect()
    assert one.filter(lambda p: p.at > 3).to_spark().isStreaming
