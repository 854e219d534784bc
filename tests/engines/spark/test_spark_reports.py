"""Reports of runs on Spark: what each operator did and when, and how long the rows of batches took.
"""

from __future__ import annotations

import re

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.engine.spark.job.lines import TaskMeasurement
from anabranch.engine.spark.job.metrics import MOST, Timeline, halved, partly
from anabranch.engine.spark.job.pieces import SlicePiece
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.reading import Asked
from anabranch.runtime.options import RunOptions
from engines.spark.streams import arrive, parts, sequential, streamed


class Reading(ab.Record):
    key: int
    value: int


class Sum(ab.State):
    total: int = 0


@ab.operator(by="key")
def summed(state: Sum, r: Reading):
    state.total += r.value
    yield Reading(r.key, state.total)


def program(folder) -> ab.Stream:
    return ab.read_csv(folder / "in", Reading).filter(lambda r: r.value % 3 > 0).apply(
        summed).write_csv(folder / "out", name="out")


def arrived(folder, numbers) -> None:
    for number in numbers:
        arrive(folder / "in", number, (f"{n % 7},{n}" for n in range(300)), "key,value")


def headings(page: str) -> list[str]:
    return re.findall("<h2>(.*?)</h2>", page)


def figures_of(page: str, operator: str) -> str:
    return re.search(rf"<td>{operator}</td>.*?</tr>", page, re.DOTALL)[0]


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_a_batch_shows_each_operator_over_time(spark, tmp_path):
    arrived(tmp_path, range(3))
    execute(compile_graph(program(tmp_path).graph()),
            RunOptions("spark", report=str(tmp_path / "run.html")))
    page = (tmp_path / "run.html").read_text()
    assert headings(page) == ["Plan", "Totals", "Throughput of the sources and sinks",
                              "Throughput of the operators", "Workers", "What was not measured"]
    assert ">900<" in figures_of(page, "filter") and ">600<" in figures_of(page, "filter")
    assert ">600<" in figures_of(page, "summed")
    assert "What waits lies in its shuffles" in page


@pytest.mark.slow
@pytest.mark.xdist_group("spark")
def test_a_stream_shows_how_long_its_rows_took(spark, tmp_path):
    arrived(tmp_path, range(3))
    report = streamed(lambda: program(tmp_path), files_per_batch=1,
                      report=str(tmp_path / "run.html"))
    page = (tmp_path / "run.html").read_text()
    assert {"Batches", "Throughput of the operators", "Latency"} <= set(headings(page))
    assert ">900<" in figures_of(page, "filter")
    assert [stage.rows_in for stage in report.stages] == [900, 600]
    assert parts(tmp_path / "out") == sequential(lambda: program(tmp_path), tmp_path / "out")


@pytest.fixture
def timeline(tmp_path):
    """The first stage worked for two seconds from 10 on, the second for one from 12 on."""
    found = Timeline(spark_plan(compile_graph(program(tmp_path).graph()),
                                asked=Asked(stream=True)), {})
    first, second = (stage.index for stage in found.stages.before)
    found.note(SlicePiece((0, 0), {}, measured=(
        TaskMeasurement(first, 100, 60, 2.0, 0, began=10.0, ended=12.0),
        TaskMeasurement(second, 60, 60, 1.0, 0, began=12.0, ended=13.0))))
    return found


def test_work_is_shown_when_it_was_done(timeline):
    at = timeline.at([9.0, 11.0, 12.0, 12.5, 14.0])
    assert [[stage.rows_in for stage in now] for now in at] == [
        [0, 0], [50, 0], [100, 0], [100, 30], [100, 60]]
    assert [now[0].each[0].rows_out for now in at] == [0, 30, 60, 60, 60]
    assert [stage.seconds for stage in at[-1]] == [2.0, 1.0]
    assert at[-1] == tuple(timeline.metrics())


def test_a_stage_that_did_nothing_has_done_nothing(timeline):
    timeline.notes = timeline.notes[:1]
    assert [now[1].rows_in for now in timeline.at([11.0, 20.0])] == [0, 0]


def test_what_is_not_known_stays_unknown(timeline):
    [stage] = timeline.metrics()[:1]
    assert stage.waiting is None and partly(stage, 0.5).each[0].queue is None


def test_notes_of_an_endless_stream_take_no_more_and_more_memory(timeline):
    timeline.notes = halved(timeline.notes * 2)
    assert [(s.rows_in, s.seconds) for s in timeline.metrics()] == [(200, 4.0), (120, 2.0)]
    for _ in range(MOST):
        timeline.note(SlicePiece((0, 0), {}, measured=tuple(timeline.notes[:1])))
    assert len(timeline.notes) <= MOST
