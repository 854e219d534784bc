"""Hot keys of windows on Spark: tasks put their items together before the shuffle."""

from __future__ import annotations

import random
from functools import partial

import pytest

import anabranch as ab
from anabranch.api.node import graph_of
from anabranch.compile import compile_graph
from anabranch.engine import spark
from anabranch.engine.run import execute
from anabranch.plan.physical.spark.execution import execution
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.runtime.options import RunOptions
from sync.running import in_sequence, outputs
from sync.test_hot_keys import CALLS, SLIDING, View, costly, drawn_by, pages, views_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]
WINDOWS = [ab.tumbling(time=10, on="ts"), *(ab.sliding(**sizes, on="ts") for sizes in SLIDING)]
run = partial(spark.run, tune={"slice_size": 64})


@pytest.mark.parametrize("seed, window", list(enumerate(WINDOWS)))
def test_every_aggregate_gives_the_sequential_windows(request, seed, window):
    request.getfixturevalue("spark")
    views = views_of(drawn_by(random.Random(seed)))
    plan = pages(views, window=window, **CALLS)
    assert outputs(run, plan, views) == outputs(in_sequence, plan, views)


@pytest.mark.parametrize("bad", [3, 119])
def test_a_failing_value_is_the_failure_of_its_row(request, bad):
    request.getfixturevalue("spark")
    views = [View(n // 7, n % 2, 50 if n == bad else n % 40) for n in range(120)]
    plan = pages(views, total=ab.max(costly))
    found = outputs(run, plan, views)
    assert found == outputs(in_sequence, plan, views) and "ZeroDivisionError" in found[1]


def test_from_file_to_file_few_rows_of_a_hot_key_are_shuffled(request, tmp_path):
    request.getfixturevalue("spark")
    lines = [f"{n // 10},{0 if n % 10 else n},{n % 50}" for n in range(2000)]
    (tmp_path / "views.csv").write_text("\n".join(["ts,page,value", *lines, ""]))
    counted = ab.read_csv(str(tmp_path / "views.csv"), View).aggregate(
        ab.tumbling(time=50, on="ts"), by="page", n=ab.count(), most=ab.max("value"))
    found = {}
    for engine in ("sequential", "spark"):
        counted.write_csv(str(tmp_path / f"{engine}.csv"))
        plan = compile_graph(graph_of([counted.node.readers[-1]]))
        report = execute(plan, RunOptions(engine, single_file=True))
        found[engine] = (tmp_path / f"{engine}.csv").read_text()
    assert found["spark"] == found["sequential"]
    [parts, windows] = report.stages
    assert parts.operators == ("parts of aggregate",) and parts.rows_in == 2000
    assert parts.rows_out == windows.rows_in < 400


def test_explain_shows_what_is_put_together_and_why_not():
    def told(**calls):
        views = [View(n, n, n) for n in range(20)]
        return execution(spark_plan(pages(views, **calls))).stages
    parts, windows, _ = told(n=ab.count())
    assert parts.operators == ("parts of aggregate",) and "hot keys of " in parts.reason.text
    assert parts.arrival.endswith("in batches: a stream has no such stage, and keeps keys whole")
    assert windows.arrival.startswith("a shuffle by page")
    windows, _ = told(half=ab.sum(lambda v: v.value / 2))
    assert "hot keys are not split: parts of half joined would not be" in windows.arrival
