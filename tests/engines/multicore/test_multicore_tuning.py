"""Users turn the engine's knobs by name; a wrong one is refused before anything runs."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.engine.multicore import Knobs

TURNED = ["heuristic=LP", "heuristic=ET", "heuristic=QST", "reorder=lock", "queue=partitioned",
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


@pytest.mark.parametrize("engine", ["sequential", "spark"])
def test_other_engines_have_no_knobs(engine):
    with pytest.raises(ab.UsageError, match="takes no --tune: only the multicore engine has"):
        ab.from_iterable([1], int).collect(engine=engine, tune={"queue": "hybrid"})


def test_every_kind_of_knob_can_be_named():
    assert Knobs.read({"slice_ms": "2.5", "slices_under_way": 3, "reorder": "lock"}) == {
        "slice_ms": 2.5, "slices_under_way": 3, "reorder": "lock"}
