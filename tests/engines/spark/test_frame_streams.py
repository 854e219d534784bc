"""Streaming DataFrames: a query goes on where it stopped, also as a program that has changed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

import anabranch as ab
from anabranch.batch.value_codec import decode, encode, standing_for
from anabranch.engine.spark.fields import in_fields
from anabranch.engine.spark.frames.pages import check_same
from engines.spark import frame_stream as streams
from engines.spark.frame_stream import Payment

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def session(spark):
    return streams.with_store(SparkSession(spark))


@pytest.mark.long
def test_a_query_goes_on_as_a_changed_program(session, tmp_path):
    folder = str(tmp_path)
    for program, low, high in [(streams.first, 0, 400), (streams.second, 400, 450),
                               (streams.second, 450, 500)]:
        streams.arrive(session, folder, low, high)
        assert streams.run(session, folder, program) == ""
    assert streams.found(session, folder) == streams.expected()
    streams.arrive(session, folder, 500, 510)
    told = streams.run(session, folder, streams.other_key)
    assert "the key of 'overdrawn' is another one" in told and "checkpointLocation" in told

    def changes(program, name=None, **given) -> list:
        return streams.out_of(session, folder, program, name).state_changes(
            f"{folder}/checkpoint", **given)
    assert changes(streams.second) == []
    assert changes(streams.first) == [("overdrawn", True, "its functions", "other functions"),
                                      ("Balance", True, "count, total", "total")]
    assert [change[:2] for change in changes(streams.other_key)] == [
        ("overdrawn", False), ("Balance", True)]
    assert changes(streams.first, name="renamed", dropped=["overdrawn"]) == [
        ("overdrawn", True, "its state", "its state is forgotten"),
        ("renamed", True, None, "it begins with an empty state"),
        ("Balance", True, "count, total", "total")]


def test_a_field_of_another_type_is_refused():
    was, now = ({"keys": {}, "kinds": {}, "states": {f"{module}:Balance": {"total": kind}}}
                for module, kind in (("__main__", "float"), ("program", "str")))
    with pytest.raises(ab.RunError, match="has 'total' of Balance with another type"):
        check_same(was, now, worker())
    check_same(was, was, worker())


def test_a_page_follows_the_fields_of_a_state():
    page = encode([{"a": streams.balance(gone=1, total=2.5)()}])
    moved = in_fields(page, {f"{streams.__name__}:Balance": {"gone": "int", "total": "float"}},
                      {f"{streams.__name__}:Balance": (new := streams.balance(count=7, total=0.0))})
    with standing_for({f"{streams.__name__}:Balance": new}):
        assert decode(moved) == [{"a": new(count=7, total=2.5)}]


def worker(dropped=(), serving=()) -> SimpleNamespace:
    return SimpleNamespace(serving=serving, task=SimpleNamespace(dropped=dropped))


def test_an_operator_whose_state_nobody_takes_is_refused():
    was = {"keys": {"running": []}, "kinds": {"running": "apply"}, "states": {}}
    now = {"keys": {}, "kinds": {"total": "apply"}, "states": {}, "windows": {}}
    with pytest.raises(ab.RunError, match="has the state of 'running', which is not here any more"):
        check_same(was, now, worker())
    check_same(was, now, worker(dropped=("running",)))


def test_another_window_is_refused():
    was, now = ({"keys": {"sums": []}, "kinds": {"sums": "aggregate"}, "states": {},
                 "windows": {"sums": window}} for window in ("total = Sum", "total = Mean"))
    stage = SimpleNamespace(operators=[SimpleNamespace(name="sums", span=None)])
    given = SimpleNamespace(stage=stage)
    with pytest.raises(ab.RunError, match="'sums' has another window, or computes something else"):
        check_same(was, now, worker(serving=[given]))


class Held(ab.Record):
    at: int
    note: str = "none"


class Bare(ab.Record):
    at: int
    note: str


def test_a_page_follows_the_fields_of_its_records():
    page = encode([Held(3, "x")]).replace(b'[3,"x"]', b"[3]")
    name = f"{__name__}:Held"
    assert decode(in_fields(page, {name: {"at": "int"}}, {name: Held})) == [Held(3)]
    with pytest.raises(ab.RunError, match="items of Bare without 'note', which is new"):
        in_fields(page, {name: {"at": "int"}}, {name: Bare})


def test_what_a_stream_cannot_have_is_refused(session, tmp_path):
    plain = session.newSession()
    rows = plain.readStream.schema("at long, account string, amount double").parquet(str(tmp_path))
    one = ab.from_spark(rows, Payment, order="at")
    with pytest.raises(ab.UsageError, match="needs the state store of RocksDB"):
        one.apply(streams.first()).to_spark()
    with pytest.raises(ab.ProgramError, match="merged by their times, and one has none"):
        one.union(ab.from_spark(rows, Payment, order="at"), arrival=True).to_spark()
    still = ab.from_spark(streams.payments(session, 0, 9), Payment, order="at")
    with pytest.raises(ab.ProgramError, match="a DataFrame that does not grow"):
        one.union(still, arrival=True).to_spark()
    with pytest.raises(ab.ProgramError, match="is read by Spark alone"):
        one.collect()
    assert one.filter(lambda p: p.at > 3).to_spark().isStreaming
