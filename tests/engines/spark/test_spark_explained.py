"""What is explained is what Spark does: tiers, exchanges, tasks, and who reads and writes, as the
tasks and the driver have noted it, for every case and example, in batches and in streams."""

from __future__ import annotations

import json

import pytest

import anabranch as ab
from anabranch.cli.stats import stats
from anabranch.compile import compile_graph
from anabranch.engine.run import execute, explained
from anabranch.plan.physical.plan import Execution, StageTier
from anabranch.runtime.options import RunOptions
from applications.programs import PROGRAMS, plan_of
from engines.spark.streams import arrive
from program_cases import CASES

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]

GANG, UNKNOWN = "where a gang of tasks pays", "one task does everything if"


def differences(plan, options: RunOptions) -> list[tuple]:
    """What was told before a run, and what was noted while it ran where that is not the same."""
    told, done = explained(plan, options), execute(plan, options).execution
    stages = {stage.operators: stage for stage in told.stages}
    found = [(told.whole, done.whole)] if not _same_whole(told, done) else []
    found += [(name, told.reads[name], how) for name, how in done.reads.items()
              if not _same_reading(told.reads[name], how)]
    for stage in done.stages:
        if not _same(stages.get(stage.operators), stage, told):
            found.append((stages.get(stage.operators), stage))
    return found


def _same_whole(told: Execution, done: Execution) -> bool:
    if told.whole.startswith("one task does a batch of less than 0 bytes"):
        return done.whole == ""
    # What has come to no task was done by none.
    may = told.whole.startswith((UNKNOWN, "one task does a batch")) or not done.stages
    return may or told.whole.startswith("one task does everything: ") == (
        done.whole == "one task did everything")


def _same_reading(told: str, done: str) -> bool:
    """Rows are an alternative to columns, for what is not plain; never the other way round."""
    (form, place), (form_done, place_done) = (how.split(", ", 1) for how in (told, done))
    plain = form_done in (form, "row by row") or form == "in columns where rows are plain"
    return plain and place.startswith(place_done)


def _same(told: StageTier | None, done: StageTier, all_: Execution) -> bool:
    if told is None or told.tier != done.tier:
        return False
    if done.tasks is None:
        # Who writes a sink is its tier.
        return True
    if GANG in told.arrival:
        return done.tasks <= told.tasks
    conditional = all_.whole.startswith((UNKNOWN, "one task does a batch"))
    alone = conditional and "with every other stage" in done.work
    return alone or (done.arrival in told.arrival and done.tasks <= told.tasks)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases(spark, case):
    """In several tasks, as far as there are some slices."""
    check(case, {"slice_size": 2})


@pytest.mark.parametrize("case", CASES[::6], ids=lambda case: case.name)
def test_cases_of_few_rows(spark, case):
    check(case, None)


def check(case, tune: dict | None) -> None:
    out = []
    plan = compile_graph(case.build().collect_into(out).graph())
    assert differences(plan, RunOptions("spark", master="local[2]", tune=tune)) == []
    assert out == case.expected


@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(spark, name, tmp_path):
    plan = plan_of(name)
    outputs = {op.name: str(tmp_path / f"{op.name}.jsonl") for op in plan.program.sinks}
    options = RunOptions("spark", master="local[2]", outputs=outputs, limit=400)
    assert differences(plan, options) == []


class Reading(ab.Record):
    place: str
    value: int


class Total(ab.State):
    sum: int = 0


@ab.operator(by="place")
def summed(state: Total, r: Reading):
    state.sum += r.value
    yield Reading(r.place, state.sum)


@ab.operator
def numbered(state: Total, r: Reading):
    state.sum += 1
    yield Reading(r.place, state.sum)


SHAPES = {"stateless": lambda s: s.filter(lambda r: r.value > 2),
          "by place": lambda s: s.filter(lambda r: r.value > 2).apply(summed),
          "all to one": lambda s: s.apply(summed).apply(numbered),
          "spread again": lambda s: s.apply(numbered).map(lambda r: r.replace(value=r.value + 1))}
TUNES = {"one split": {}, "splits": {"smallest_split": 64, "largest_split": 256},
         "compiled": {"smallest_split": 64, "largest_split": 256, "worth_compiling": 0}}


@pytest.mark.parametrize("shape, form", [*((shape, "csv") for shape in SHAPES),
                                         ("by place", "jsonl"), ("stateless", "parquet")])
@pytest.mark.parametrize("tune", TUNES)
def test_files(spark, tmp_path, shape, tune, form):
    path, out = tmp_path / f"in.{form}", f"{tmp_path}/out"
    items = ab.from_iterable([Reading(f"p{n % 5}", n % 9) for n in range(100)], Reading)
    getattr(items, f"write_{form}")(path).run(engine="sequential")
    for target in (f"{out}/", f"{out}.{form}"):
        stream = SHAPES[shape](getattr(ab, f"read_{form}")(path, Reading))
        plan = compile_graph(getattr(stream, f"write_{form}")(target).graph())
        assert differences(plan, RunOptions("spark", master="local[2]", tune=TUNES[tune])) == []


def test_stats_use_the_same_words(spark, tmp_path):
    items = ab.from_iterable([Reading(f"p{n % 5}", n % 9) for n in range(100)], Reading)
    items.write_csv(tmp_path / "in.csv").run(engine="sequential")
    plan = compile_graph(SHAPES["by place"](ab.read_csv(tmp_path / "in.csv", Reading)).write_csv(
        f"{tmp_path}/out/").graph())
    options = RunOptions("spark", master="local[2]", tune=TUNES["splits"])
    report = execute(plan, options)
    text, data = stats(report, "text"), json.loads(stats(report, "json"))["execution"]
    assert "as it ran on the spark engine" in text and "read in columns, by tasks" in text
    [_, keyed, written] = explained(plan, options).stages
    assert keyed.arrival in text and data["stages"][1]["arrival"] == keyed.arrival
    assert data["stages"][2]["tier"] == written.tier == "parts"
    assert report.stages[1].work == data["stages"][1]["work"]


QUOTED = [f'"p{n % 5}\n",{n % 9}' for n in range(100)]
STRAY = [f'p"{n % 5},{n % 9}' for n in range(100)]


@pytest.mark.parametrize("lines, told", [(QUOTED, "in 3 splits"), (STRAY, "in 1 split")])
def test_quotes(spark, tmp_path, lines, told):
    (tmp_path / "in.csv").write_text("\n".join(["place,value", *lines]) + "\n")
    plan = compile_graph(ab.read_csv(tmp_path / "in.csv", Reading).apply(summed).write_csv(
        f"{tmp_path}/out/").graph())
    options = RunOptions("spark", master="local[2]", tune=TUNES["splits"])
    shown = explained(plan, options)
    assert told in shown.reads["in"]
    assert ("a quote stands within a cell" in shown.whole) == (lines is STRAY)
    assert differences(plan, options) == []
    read = ab.read_csv(f"{tmp_path}/out/", Reading).collect()
    assert read == ab.read_csv(tmp_path / "in.csv", Reading).apply(summed).collect()


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_streams(spark, tmp_path, shape, large):
    for number in range(2):
        arrive(tmp_path / "in", number, (f"p{n % 5},{n % 9}" for n in range(60)), "place,value")
    plan = compile_graph(SHAPES[shape](ab.read_csv(tmp_path / "in", Reading)).write_csv(
        tmp_path / "out").graph())
    tune = {"small_batch": 0, "worth_kernels": 0, "worth_waiting": 0, "smallest_split": 64}
    options = RunOptions("spark", master="local[2]", stream=True, trigger="once",
                         tune=tune if large else None)
    found = differences(plan, options)
    if not large:
        # Kernels are an alternative for batches that are worth it; these are not.
        found = [pair for pair in found if pair[1].tier != "rows"]
    assert found == []
