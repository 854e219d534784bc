"""Synchronized operators on Spark: gangs of barrier tasks give the sequential sequence."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

import anabranch as ab
from anabranch.compile import compile_graph, load
from anabranch.engine import spark
from anabranch.engine.sequential import run as sequential
from anabranch.engine.spark.gang import planner
from engines.spark.streams import arrive, parts, streamed
from engines.spark.streams import sequential as in_one_sequence
from sync import counters
from sync import test_sync_keyed as keyed
from sync.counters import Event
from sync.test_sync_examples import EXAMPLES, NAMES
from sync.test_sync_multicore import Sum, Value, in_sequence, outputs, plan_of, values, window_sum

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture
def gangs(request, monkeypatch):
    """The gangs that were made."""
    request.getfixturevalue("spark")
    made: list = []
    found = planner.Planner._gang

    def noted(self, *given):
        made.append(found(self, *given))
        return made[-1]
    monkeypatch.setattr(planner.Planner, "_gang", noted)
    return made


def run(size: int = 40):
    return partial(spark.run, tune={"slice_size": size, "gangs": "always"})


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_give_what_the_sequential_engine_gives(gangs, name):
    plan, expected, out = compile_graph(load(EXAMPLES / f"{name}.py")), [], []

    def items() -> dict:
        return {op.name: iter(op.kind.spec.items(None)) for op in plan.graph.sources}
    sequential.run(plan.program, items(), lambda op, item: expected.append(item))
    run(500)(plan, items(), lambda op, item: out.append(item))
    assert out == expected
    assert [gang.tasks for gang in gangs] == [2]
    assert [bool(gang.split) for gang in gangs] == [name == "page_views"]


@pytest.mark.parametrize("bad", [None, 301])
def test_sums_failures_and_the_rest_at_the_end(gangs, bad):
    events = values(400, bad)
    plan = plan_of(ab.from_iterable(events, Value).map(lambda v: v).apply(window_sum()))
    assert outputs(run(), plan, events) == outputs(in_sequence, plan, events)
    assert gangs[0].tasks == 2


class Seen(ab.State):
    count: int = 0


@ab.operator(by="key")
def repeated(state: Seen, e: Event):
    state.count += 1
    for _ in range(state.count % 3):
        yield e


@pytest.mark.parametrize("wanted", ["always", "never"])
def test_it_composes_with_stages_before_between_and_behind(gangs, wanted):
    events = [Event(n, "r" if n % 17 == 0 else "i", n % 5) for n in range(300)]
    tags = {(kind, key): 1 for kind in "ir" for key in range(5)}
    reads = ab.from_iterable(events, Event).apply(repeated).apply(counters.make(tags=tags))
    again = reads.map(lambda r: Event(r.ts, "r" if r.count % 3 == 0 else "i", r.key))
    windows = again.apply(repeated).apply(counters.make(tags=tags)).aggregate(
        ab.tumbling(count=2), by="key", ts=ab.last("ts"), count=ab.sum("count"))
    plan = plan_of(windows)
    run_it = partial(spark.run, tune={"slice_size": 30, "gangs": wanted})
    assert outputs(run_it, plan, events) == outputs(in_sequence, plan, events)
    assert [gang.tasks for gang in gangs] == ([2, 2] if wanted == "always" else [])


@pytest.mark.parametrize("wanted", ["always", "never"])
def test_hot_keys_are_split_among_other_operators_with_the_same_key(gangs, wanted):
    drawn = [("bad" if n == 390 else "update" if n % 40 == 0 else "view",
              "hot" if n % 3 else f"page {n % 10}") for n in range(400)]
    events = keyed.events_of(drawn)
    plan = plan_of(keyed.among_others(ab.from_iterable(events, keyed.Event)))
    run_it = partial(spark.run, tune={"slice_size": 30, "gangs": wanted})
    assert outputs(run_it, plan, events) == outputs(in_sequence, plan, events)
    assert [gang.tasks for gang in gangs] == ([2] if wanted == "always" else [])


def test_little_to_do_is_no_work_for_a_gang(gangs):
    events = values(400)
    plan = plan_of(ab.from_iterable(events, Value).apply(window_sum()))
    run_it = partial(spark.run, tune={"slice_size": 40})
    assert outputs(run_it, plan, events) == outputs(in_sequence, plan, events)
    assert gangs == [None]


def test_a_killed_task_starts_the_gang_again_and_the_output_is_the_same(gangs, tmp_path):
    """The task dies in the middle of its events, once."""
    marker = str(tmp_path / "has died")

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b), pure=True,
                     optimizer="greedy", tags={"value": 50, "barrier": 1})
    def deadly(state: Sum, e: Value):
        if e.ts == 260 and not os.path.exists(marker):
            Path(marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        state.total += e.value
        if e.kind == "barrier":
            yield Value(e.ts, "sum", state.total)
    deadly.fork(lambda state, left, right: (state, Sum()))
    deadly.join(lambda one, other: Sum(one.total + other.total))
    events = values(400)
    plan = plan_of(ab.from_iterable(events, Value).apply(deadly))
    found = outputs(run(), plan, events)
    assert os.path.exists(marker)
    assert found == outputs(in_sequence, plan, events)
    assert gangs[0].tasks == 2


def test_a_stream_carries_the_state_from_batch_to_batch(gangs, tmp_path):
    """A batch of one task in rows, batches of gangs with kernels, and again one of one task."""
    def program() -> ab.Stream:
        sums = window_sum(tags={"value": 50, "barrier": 1})
        return ab.read_csv(tmp_path / "in", Value).apply(sums).write_csv(tmp_path / "out")

    def happen(number: int, **options) -> None:
        rows = (",".join(map(str, row)) for row in values(400)[130 * number:][:130])
        arrive(tmp_path / "in", number, rows, "ts,kind,value")
        streamed(program, checkpoint=str(tmp_path / "checkpoint"), **options)
    happen(0)
    large = {"small_batch": 0, "worth_kernels": 0, "worth_waiting": 0, "gangs": "always"}
    happen(1, tune=large)
    happen(2, tune=large)
    happen(3, until_idle=0.5)
    assert parts(tmp_path / "out") == in_one_sequence(program, tmp_path / "out")
    assert [gang.tasks for gang in gangs] == [2, 2]
