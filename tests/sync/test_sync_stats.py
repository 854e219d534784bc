"""What is told of a synchronized operator after a run, wherever its workers were."""

from __future__ import annotations

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
