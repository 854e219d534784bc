"""Users turn the engine's knobs by name; a wrong one is refused before anything runs."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.multicore import Knobs
from anabranch.engine.multicore.run import Run
from anabranch.engine.multicore.scheduler import Scheduler
from anabranch.plan.physical.stages import Sharing
from interpreting import kernels_in_python

TURNED = ["heuristic=LP", "heuristic=ET", "heuristic=QST", "reorder=lock",
          "slice_size=7", "slice_ms=0", "slices_under_way=1", "processes=always", "moves=random",
          "kernels=never", "kernel_buckets=2"]


class Row(ab.Record):
    key: int
    value: int


class Sum(ab.State):
    total: int = 0


@ab.operator(by="key")
def running(state: Sum, t: Row):
    state.total += t.value
    yield state.total


@pytest.mark.parametrize("knob", TURNED)
def test_a_knob_changes_nothing_but_the_speed(knob):
    name, _, value = knob.partition("=")
    stream = ab.from_iterable([Row(i % 3, 1) for i in range(90)], Row).apply(running)
    found = stream.collect(engine="multicore", workers=2, tune={name: value})
    assert found == [1 + i // 3 for i in range(90)]


def test_a_queue_is_taken_where_threads_serve_and_refused_where_processes_do():
    stream = ab.from_iterable([Row(i % 3, 1) for i in range(90)], Row).apply(running)
    tune = {"queue": "partitioned"}
    found = stream.collect(engine="multicore", workers=2, tune={**tune, "processes": "never"})
    assert found == [1 + i // 3 for i in range(90)]
    with pytest.raises(ab.UsageError) as refused:
        stream.collect(engine="multicore", workers=2, tune=tune)
    assert "queue=partitioned changes nothing here: running may be served" in str(refused.value)
    assert "turn processes=never too" in str(refused.value)


def started(tune: dict, kernels: str = "never") -> Run:
    """A run of two stages, the second by key, that is about to begin."""
    stream = ab.from_iterable([Row(i % 3, 1) for i in range(90)], Row).filter(
        lambda r: r.value > 0).apply(running)
    graph = stream.graph()
    knobs = Knobs.read({"kernels": kernels, "processes": "never"} | tune)
    plan = multicore.multicore_plan(compile_graph(graph), multicore.tuning_of(2, **knobs))
    return Run(plan, lambda op, item: None)


def services(run: Run) -> list:
    runners = {stage.index: run.lines.of(stage) for stage in run.stages
               if stage.sharing is not Sharing.TOGETHER}
    if any(map(run.physical.in_processes, run.stages)):
        run._start_processes(runners, [])
    try:
        return run._network(runners).services
    finally:
        if run.pool:
            run.pool.close()


EFFECTS = {
    "heuristic=LP": lambda run: Scheduler([], run.physical.tuning.heuristic).heuristic,
    "reorder=lock": lambda run: type(services(run)[0].merge.buffer),
    "queue=partitioned": lambda run: (type(services(run)[1].worklist), services(run)[1].buckets),
    "slice_size=7": lambda run: run.intake.size,
    "slice_ms=20": lambda run: run.intake.seconds,
    "slices_under_way=3": lambda run: run.intake.room.bound,
    "processes=always": lambda run: [type(service) for service in services(run)],
    "double_check=never": lambda run: run.lines.doubts is None}
"""What each knob turns in a run that is about to begin."""


@pytest.mark.parametrize("knob", EFFECTS)
def test_a_knob_turns_something(knob):
    name, _, value = knob.partition("=")
    look = EFFECTS[knob]
    assert look(started({name: value})) != look(started({}))


def test_moves_are_chosen_for_buckets_in_processes():
    balances = {type(services(started({"processes": "always", "moves": moves}))[1].balance)
                for moves in ("where it pays", "random", "never")}
    assert len(balances) == 3


def test_kernels_are_made_and_have_buckets_as_wanted():
    with kernels_in_python():
        some = started({"kernel_buckets": 3}, "always").physical
        one = started({}, "always").physical
    keyed = next(stage for stage in some.stages if stage.keys)
    assert some.buckets(keyed) == 3 and some.kernel(keyed) is not None
    assert len(one.stages) == 2 and one.kernel(one.stages[0]) is not None
    assert all(tier.kernel is None for tier in started({}).physical.tiers.values())


@pytest.mark.parametrize("given, message", [
    ("heuristc=LP", "did you mean 'heuristic'?"),
    ("workers=3", "there is no knob 'workers'"),
    ("heuristic=best", "heuristic cannot be 'best'"),
    ("slice_size=many", "slice_size must be a number"),
    ("slice_size=0", "slice_size must be at least 1"),
    ("slices_under_way=-1", "slices_under_way must be at least 1"),
    ("slice_ms=nan", "slice_ms must be at least 0")])
def test_a_wrong_knob_is_refused(given, message):
    name, _, value = given.partition("=")
    with pytest.raises(ab.UsageError) as refused:
        ab.from_iterable([1], int).collect(engine="multicore", tune={name: value})
    assert message in str(refused.value)


@pytest.mark.parametrize("engine, message", [
    ("sequential", "the sequential engine has no knob 'queue'"),
    ("spark", "the spark engine has no knob 'queue'")])
def test_other_engines_have_none_of_these_knobs(engine, message):
    with pytest.raises(ab.UsageError, match=message):
        ab.from_iterable([1], int).collect(engine=engine, tune={"queue": "hybrid"})


def test_every_kind_of_knob_can_be_named():
    assert Knobs.read({"slice_ms": "2.5", "slices_under_way": 3, "reorder": "lock"}) == {
        "slice_ms": 2.5, "slices_under_way": 3, "reorder": "lock"}
