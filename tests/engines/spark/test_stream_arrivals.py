"""When files come, and what has come when a stream ends: nothing that has come is lost."""

from __future__ import annotations

import threading
import time

import pytest

import anabranch as ab
from anabranch.core.errors import RunError
from anabranch.engine.spark.stream import query
from anabranch.engine.spark.stream import run as stream
from anabranch.plan.physical.spark.cluster import Cluster
from engines.spark.streams import arrive, parts, sequential, streamed

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


class Reading(ab.Record):
    ts: int
    key: int
    value: int


class Level(ab.State):
    sum: int = 0


@ab.operator(by="key")
def summed(state: Level, r: Reading):
    state.sum += r.value
    yield Reading(r.ts, r.key, state.sum)


HEADER = "ts,key,value"


def rows(file: int, count: int = 200) -> list[str]:
    return [f"{file * 1000 + n},{n % 7},{n}" for n in range(count)]


def test_files_that_come_while_the_first_batch_takes_long(spark, tmp_path, monkeypatch):
    """Spark calls for it later than the stream waits for files, most of which come meanwhile."""
    batch, slow = query.Query._batch, [2.0]

    def slowly(self, *given):
        if slow:
            time.sleep(slow.pop())
            # On a busy machine they come later.
            feeding.join()
        batch(self, *given)
    monkeypatch.setattr(query.Query, "_batch", slowly)
    arrive(tmp_path / "in", 0, rows(0), HEADER)

    def feed():
        for number in range(1, 16):
            time.sleep(0.1)
            arrive(tmp_path / "in", number, rows(number), HEADER)
    feeding = threading.Thread(target=feed)
    feeding.start()

    def program():
        return ab.read_csv(tmp_path / "in", Reading).apply(summed).write_csv(
            tmp_path / "out", name="out")
    report = streamed(program, until_idle=0.8)
    feeding.join()
    assert report.read == {"in": 16 * 200}
    assert parts(tmp_path / "out") == sequential(program, tmp_path / "out")


def test_sources_of_different_rates_are_merged_by_time(spark, tmp_path):
    """One source has eight files and the other two; rows wait for the slower one."""
    def program():
        fast = ab.read_csv(tmp_path / "fast", Reading, time="ts")
        slow = ab.read_csv(tmp_path / "slow", Reading, time="ts")
        return fast.union(slow, on="ts").apply(summed).write_csv(tmp_path / "out", name="out")
    for number in range(8):
        arrive(tmp_path / "fast", number, rows(number, 20), HEADER)
    for number in (0, 5):
        arrive(tmp_path / "slow", number, rows(number, 5), HEADER)
    told: list[tuple] = []
    options = {"checkpoint": str(tmp_path / "ck"), "files_per_batch": 1,
               "progress": lambda read, batches: told.append((dict(read), batches))}
    streamed(program, **options)
    assert [batches for _, batches in told] == list(range(1, 9))
    # Of the fast source, what is later than the last row of the slow one waits.
    assert told[-1][0] == {"fast": 105, "slow": 10}
    streamed(program, until_idle=0.5, **options)
    assert told[-1][0] == {"fast": 55, "slow": 0}
    assert parts(tmp_path / "out") == sequential(program, tmp_path / "out")


@ab.synchronized(tag=lambda r: r.key > 0, depends=lambda a, b: not (a and b))
def since_zero(state: Level, r: Reading):
    if r.key == 0:
        yield Reading(r.ts, 0, state.sum)
        state.sum = 0
    else:
        state.sum += r.value


since_zero.fork(lambda state, left, right: (Level(state.sum), Level()))
since_zero.join(lambda one, other: Level(one.sum + other.sum))


def test_the_state_of_a_synchronized_operator_outlives_a_batch(spark, tmp_path):
    def program():
        return ab.read_csv(tmp_path / "in", Reading).apply(since_zero).write_csv(
            tmp_path / "out", name="out")
    for number in range(4):
        arrive(tmp_path / "in", number, rows(number, 50), HEADER)
        streamed(program, checkpoint=str(tmp_path / "ck"), files_per_batch=1)
    assert parts(tmp_path / "out") == sequential(program, tmp_path / "out")


def test_a_function_that_fails_says_where_and_with_what(spark, tmp_path):
    """Its line, the tuple, and nothing of Spark's; the batches before it are there."""
    def inverse(r: Reading) -> Reading:
        return Reading(r.ts, r.key, 100 // r.value)

    def program():
        return ab.read_csv(tmp_path / "in", Reading).map(inverse, to=Reading).write_csv(
            tmp_path / "out", name="out")
    arrive(tmp_path / "in", 0, ["1,1,5"], HEADER)
    arrive(tmp_path / "in", 1, ["2,2,4", "3,3,0", "4,4,1"], HEADER)
    with pytest.raises(RunError, match="ZeroDivisionError") as caught:
        streamed(program, checkpoint=str(tmp_path / "ck"), files_per_batch=1)
    text = str(caught.value)
    assert "100 // r.value" in text
    assert "Reading(ts=3, key=3, value=0)" in text
    assert not any(word in text for word in ("Py4J", "py4j", "org.apache", "pyspark"))
    assert parts(tmp_path / "out") == ["1,1,20"]


def test_a_stream_goes_on_with_another_number_of_cores(tmp_path, spark, monkeypatch):
    """The number of buckets is the checkpoint's; how many tasks share them is each run's own."""
    def program():
        return ab.read_csv(tmp_path / "in", Reading).apply(summed).write_csv(
            tmp_path / "out", name="out")
    for number, cores in enumerate((2, 1, 5, 3)):
        monkeypatch.setattr(stream, "cluster_of", lambda context, cores=cores: Cluster(cores))
        arrive(tmp_path / "in", number, rows(number, 60), HEADER)
        streamed(program, checkpoint=str(tmp_path / "ck"), tune={"small_batch": 0})
    assert parts(tmp_path / "out") == sequential(program, tmp_path / "out")
