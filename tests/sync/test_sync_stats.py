"""What is told of a synchronized operator after a run, wherever its workers were."""

from __future__ import annotations

import time

import pytest

import anabranch as ab
from anabranch.engine import multicore
from sync.running import plan_of


class Event(ab.Record):
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "read" in (a, b))
def summed(state: Sum, e: Event):
    state.total += e.value
    if e.kind == "read":
        yield state.total


summed.fork(lambda state, left, right: (state, Sum()))
summed.join(lambda one, other: Sum(one.total + other.total))


@summed.at_end
def rest(state: Sum):
    yield state.total


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "read" in (a, b))
def slowly(state: Sum, e: Event):
    for n in range(300):
        state.total += e.value * n
    if e.kind == "read":
        yield state.total


slowly.fork(lambda state, left, right: (state, Sum()))
slowly.join(lambda one, other: Sum(one.total + other.total))


@pytest.mark.parametrize("knobs", [
    {"workers": 2, "processes": "always", "kernels": "never"},
    {"workers": 2, "processes": "always", "kernels": "always"}, {"workers": 1}])
def test_rows_that_went_are_those_that_were_emitted(knobs):
    events = [Event("read" if n % 10 == 9 else "add", n) for n in range(100)]
    plan, out, reports = plan_of(ab.from_iterable(events, Event).apply(summed)), [], []
    multicore.run(plan, {plan.graph.sources[0].name: iter(events)},
                  lambda op, item: out.append(item), report=reports.extend, slice_size=7, **knobs)
    [stage] = [stage for stage in reports if stage.sharing == "synchronized"]
    assert (stage.rows_in, stage.rows_out, len(out)) == (100, 11, 11)
    assert [(one.rows_in, one.rows_out) for one in stage.each] == [(100, 11)]
    [operator] = stage.each
    assert 0 < operator.seconds <= stage.seconds
    assert (operator.workers, operator.most_workers) == (0, knobs["workers"])


@pytest.mark.parametrize("many", [1, 1000])
def test_what_the_workers_of_a_plan_took_is_theirs_alone(many):
    """Whether slices go to them one by one or together."""
    events = [Event("read" if n % 50 == 49 else "add", n) for n in range(2000)]
    plan, reports = plan_of(ab.from_iterable(events, Event).apply(slowly)), []
    multicore.run(plan, {plan.graph.sources[0].name: iter(events)}, lambda op, item: None,
                  report=reports.extend, slice_size=many, workers=2, processes="always")
    [stage] = [stage for stage in reports if stage.sharing == "synchronized"]
    began = time.thread_time()
    for event in events:
        list(slowly(Sum(), event))
    alone = time.thread_time() - began
    assert alone / 10 < stage.each[0].seconds < 10 * alone


@ab.synchronized(by="value", tag=lambda e: e.kind, depends=lambda a, b: "read" in (a, b))
def by_value(state: Sum, e: Event):
    for n in range(3):
        state.total += n
    yield state.total


by_value.fork(lambda state, left, right: (state, Sum()))
by_value.join(lambda one, other: Sum(one.total + other.total))


@pytest.mark.parametrize("operator", [slowly, by_value])
def test_rows_of_workers_that_meet_in_native_code_are_native(operator):
    events = [Event("read" if n % 50 == 49 else "add", n % 3 % 2) for n in range(2000)]
    plan, reports = plan_of(ab.from_iterable(events, Event).map(lambda e: e).apply(operator)), []
    multicore.run(plan, {plan.graph.sources[0].name: iter(events)}, lambda op, item: None,
                  report=reports.extend, workers=2, processes="always", kernels="always")
    [stage] = [stage for stage in reports if stage.sharing == "synchronized"]
    assert stage.tier == "native" and sum(stage.rows_by_tier.values()) == 2000
    assert stage.rows_by_tier["native"] > 1900
