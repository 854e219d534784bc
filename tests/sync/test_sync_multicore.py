"""Synchronized operators on the multicore engine: the sequential sequence, whatever the plan."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from sync import counters
from sync.counters import Event
from sync.running import in_sequence, outputs, plan_of

EVENTS = [Event(n, "r" if n % 17 == 0 else "i", n % 3) for n in range(400)]
WAYS = {
    "one worker": {"workers": 1},
    "processes": {"workers": 2, "processes": "always"},
    "more processes, small slices": {"workers": 3, "processes": "always", "slice_size": 7},
    "in one place": {"workers": 4, "processes": "never", "slice_size": 3},
}


@pytest.mark.parametrize("way", WAYS)
def test_counters_are_read_in_order(way):
    plan = plan_of(ab.from_iterable(EVENTS, Event).apply(counters.make()))
    run = partial(multicore.run, **WAYS[way])
    assert outputs(run, plan, EVENTS) == outputs(in_sequence, plan, EVENTS)


@given(st.lists(st.tuples(st.sampled_from("iiiirx"), st.integers(0, 3)), max_size=60),
       st.integers(1, 9))
@settings(max_examples=12, deadline=None)
def test_any_events_give_the_sequential_outputs_and_error(drawn, slice_size):
    events = [Event(n, kind, key) for n, (kind, key) in enumerate(drawn)]
    plan = plan_of(ab.from_iterable(events, Event).apply(counters.make()))
    run = partial(multicore.run, workers=2, processes="always", slice_size=slice_size)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


class Sum(ab.State):
    total: int = 0


class Value(ab.Record):
    ts: int
    kind: str
    value: int


class Total(ab.Record):
    ts: int
    total: int


def window_sum(**settings):
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b), **settings)
    def summed(state: Sum, e: Value):
        if e.kind == "barrier":
            yield Total(e.ts, state.total)
            state.total = 0
        else:
            state.total += e.value // (e.value - 13)

    @summed.fork
    def halves(state, left, right):
        return Sum(state.total), Sum()

    @summed.join
    def added(one, other):
        return Sum(one.total + other.total)

    @summed.at_end
    def rest(state):
        yield Total(-1, state.total)
    return summed


def values(count: int, bad: int | None = None) -> list[Value]:
    return [Value(n, "barrier" if n % 50 == 49 else "value", 13 if n == bad else n % 13)
            for n in range(count)]


@pytest.mark.parametrize("bad", [None, 77, 301])
@pytest.mark.parametrize("kernels", ["always", "never"])
def test_a_gang_of_kernels_or_processes_gives_sums_failures_and_the_rest_at_the_end(kernels, bad):
    events = values(400, bad)
    plan = plan_of(ab.from_iterable(events, Value).map(lambda v: v).apply(window_sum()))
    run = partial(multicore.run, workers=3, processes="always", kernels=kernels, slice_size=40)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


def leaves(*numbers: int) -> list:
    return [ab.worker(ab.shard("value", number)) for number in numbers]


@pytest.mark.parametrize("kernels", ["always", "never"])
@pytest.mark.parametrize("tree", [
    ab.worker("barrier", below=(*leaves(0, 1),)),
    ab.worker("barrier", below=(ab.worker(below=(*leaves(0, 1),)),
                                ab.worker(below=(*leaves(2, 3),))))],
    ids=["two leaves", "more leaves than workers"])
def test_the_users_own_plan_is_used(tree, kernels):
    events = values(300)
    plan = plan_of(ab.from_iterable(events, Value).apply(window_sum(plan=tree)))
    run = partial(multicore.run, workers=2, processes="always", kernels=kernels)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)


class Locked(ab.State):
    total: int = 0
    lock: object = None


def test_a_state_that_cannot_travel_is_a_clear_error():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b), pure=True)
    def locked(state: Locked, e: Value):
        state.lock = lambda: None
        yield e.ts

    locked.fork(lambda state, left, right: (Locked(), Locked()))
    locked.join(lambda one, other: Locked(lock=lambda: None))
    events = values(120)
    plan = plan_of(ab.from_iterable(events, Value).apply(locked, to=int))
    _, message, _ = outputs(partial(multicore.run, workers=2, processes="always"), plan, events)
    assert "a state cannot travel between worker processes" in message


def test_a_killed_worker_is_an_error_and_no_hang():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b), pure=True)
    def deadly(state: Sum, e: Value):
        if e.ts == 60:
            os.kill(os.getpid(), signal.SIGKILL)
        yield e.ts

    deadly.fork(lambda state, left, right: (Sum(), Sum()))
    deadly.join(lambda one, other: Sum())
    events = values(120)
    plan = plan_of(ab.from_iterable(events, Value).apply(deadly, to=int))
    _, message, _ = outputs(partial(multicore.run, workers=2, processes="always"), plan, events)
    assert "was killed by signal 9 while it worked" in message


def test_it_composes_with_stages_before_and_behind_and_with_several_streams():
    def program(values_in, barriers_in):
        first = ab.from_iterable(values_in, Value, name="values")
        second = ab.from_iterable(barriers_in, Value, name="barriers")
        odd = first.filter(lambda v: v.value % 2 == 1)
        sums = odd.synchronize(window_sum(), second, on="ts")
        return sums.map(lambda t: Total(t.ts, -t.total))
    events = values(300)
    ours = [v for v in events if v.kind == "value"], [v for v in events if v.kind == "barrier"]
    plan = plan_of(program(*ours))

    def items():
        return {op.name: iter(ours[op.name == "barriers"]) for op in plan.graph.sources}
    expected: list = []
    sequential.run(plan.program, items(), lambda op, item: expected.append(item))
    for way in WAYS.values():
        out: list = []
        multicore.run(plan, items(), lambda op, item, out=out: out.append(item), **way)
        assert out == expected
    assert len(expected) == 7


class Tally(ab.State):
    many: int = 0
    total: int = 0


@pytest.mark.parametrize("slice_size", [3, 64])
@pytest.mark.parametrize("kernels", ["always", "never"])
def test_readers_that_are_independent_of_each_other_still_keep_their_place(kernels, slice_size):
    """Two kinds of events read the state, and do not depend on each other, nor on themselves: one
    worker takes the shards of both, and asks those below in the order of the input."""
    top = ("count", ab.shard("sum", 0), ab.shard("sum", 1))

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: (a == "value") != (b == "value"),
                     plan=ab.worker(*top, below=(*leaves(0, 1),)))
    def told(state: Tally, e: Value):
        if e.kind == "value":
            state.many += 1
            state.total += e.value
        elif e.kind == "count":
            yield Total(e.ts, state.many)
        else:
            yield Total(e.ts, state.total)
    told.fork(lambda state, left, right: (Tally(state.many, state.total), Tally()))
    told.join(lambda one, other: Tally(one.many + other.many, one.total + other.total))
    events = [Value(n, ("value", "sum", "value", "count", "sum")[n * n % 7 % 5], n)
              for n in range(400)]
    plan = plan_of(ab.from_iterable(events, Value).apply(told))
    run = partial(multicore.run, workers=2, processes="always", kernels=kernels,
                  slice_size=slice_size)
    assert outputs(run, plan, events) == outputs(in_sequence, plan, events)
