"""The knobs of a run on Spark, the cluster that it is planned for, and what is told before it."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import UsageError
from anabranch.engine.run import explained
from anabranch.plan.physical.spark.cluster import Cluster
from anabranch.plan.physical.spark.dataframe import DataFramePlan
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.reading import Asked
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.options import RunOptions


class Pair(ab.Record):
    a: int
    b: str


def plan_of(stream):
    return compile_graph(stream.graph())


@pytest.mark.parametrize("given, wrong", [
    ({"largest": "1"}, "the spark engine has no knob 'largest'"),
    ({"slice_size": "many"}, "slice_size must be a number"),
    ({"slice_size": "0"}, "slice_size must be at least 1"),
    ({"gang_start": "-1"}, "gang_start must be at least 0"),
    ({"gangs": "sometimes"}, "gangs cannot be 'sometimes'")])
def test_knobs_that_are_not_there(given, wrong):
    with pytest.raises(UsageError, match=wrong):
        explained(plan_of(ab.from_iterable([1], int).map(lambda n: n)),
                  RunOptions("spark", tune=given))


@pytest.mark.parametrize("master, cores, told", [
    ("local[3]", 3, "planned for 3 cores of this machine"), ("local", 1, "planned for 1 core of"),
    ("local[3,2]", 3, "planned for 3 cores"), ("yarn", None, "the master tells how many")])
def test_the_master_tells_the_cores(master, cores, told):
    found = Cluster.named(master)
    assert told in str(found) and found.cores == (cores or found.cores)


def test_gangs_need_several_tasks_that_begin_together():
    plan = plan_of(ab.from_iterable([1], int).map(lambda n: n))
    for cluster in (Cluster(1), Cluster(4, local=False, connect=True)):
        assert not spark_plan(plan, cluster=cluster).may_have_gangs
    assert spark_plan(plan, cluster=Cluster(4)).may_have_gangs
    assert not spark_plan(plan, SparkKnobs(gangs="never"), Cluster(4)).may_have_gangs


def test_json_lines_are_read_in_columns_where_loops_are_loaded_or_worth_it(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n' * 100)

    def told(**knobs):
        plan = plan_of(ab.read_jsonl(path, Pair).filter(lambda p: p.a > 0))
        [how] = explained(plan, RunOptions("spark", master="local[2]", tune=knobs)).reads.values()
        return how
    assert told() == "row by row, by tasks, in 1 split, it is too short for compiled loops"
    assert told(worth_compiling=0).startswith("in columns")
    assert told(worth_json_columns=900).startswith("in columns")
    assert told(worth_json_columns=1100).startswith("row by row")


def test_what_is_no_dataframe_has_its_reason(tmp_path):
    rows = [Pair(n, "x") for n in range(3)]
    for number in range(2):
        ab.from_iterable(rows, Pair).write_parquet(tmp_path / f"{number}.parquet").run(
            engine="sequential")
    plan = plan_of(ab.read_parquet(f"{tmp_path}/*.parquet", Pair).filter(lambda p: p.a > 0)
                   .write_parquet(f"{tmp_path}/out/"))
    assert isinstance(spark_plan(plan).frame, DataFramePlan)
    assert "2 files, each of which" in spark_plan(plan, SparkKnobs(most_frame_files=1)).frame.text
    assert "no whole job" in spark_plan(plan, asked=Asked(limit=3)).frame.text


def test_a_plan_for_other_cores_is_made_by_the_same_function(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n" + "1,x\n" * 100)
    plan = plan_of(ab.read_csv(path, Pair).filter(lambda p: p.a > 0))
    knobs = SparkKnobs(smallest_split=1)
    one, four = (spark_plan(plan, knobs, Cluster(cores)) for cores in (1, 4))
    assert (len(one.reading.splits), len(four.reading.splits)) == (1, 4)
    assert len(one.on(Cluster(4)).reading.splits) == 4 and one.on(Cluster(1)) is one


def test_a_pipe_is_read_by_the_tasks_of_each_batch():
    plan = plan_of(ab.read_stdin(Pair).filter(lambda p: p.a > 0))
    told = explained(plan, RunOptions("spark", master="local[2]", stream=True))
    assert told.reads["stdin"].startswith("in columns where rows are plain, by tasks, in splits")
