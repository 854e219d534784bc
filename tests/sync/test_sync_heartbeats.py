"""A live source that sends nothing holds nobody back, as long as its heart beats."""

from __future__ import annotations

import queue
import threading
import time
from datetime import UTC, datetime

import pytest

import anabranch as ab
from anabranch.api.node import graph_of
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions

ENGINES = ["sequential", "multicore"]


class Event(ab.Record):
    ts: int
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "barrier" in (a, b))
def window_sum(state: Sum, e: Event):
    if e.kind == "barrier":
        yield state.total
        state.total = 0
    else:
        state.total += e.value


window_sum.fork(lambda state, left, right: (Sum(state.total), Sum()))
window_sum.join(lambda one, other: Sum(one.total + other.total))


def fed(items: queue.Queue):
    """The items that somebody puts into a queue, until there is a None."""
    while (item := items.get()) is not None:
        yield item


def running(engine, stream):
    """The program in a thread, its outputs as they come, and how it ends."""
    out: queue.Queue = queue.Queue()
    stream.for_each(out.put)
    plan = compile_graph(graph_of([stream.node.readers[0]]))

    def run():
        try:
            execute(plan, RunOptions(engine=engine))
            out.put("end")
        except ab.AnabranchError as error:
            out.put(error)
    threading.Thread(target=run, daemon=True).start()
    return out


@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_silent_source_lets_others_go_on(engine, filtered):
    clock, values, silent = [0], queue.Queue(), queue.Queue()
    live = ab.from_iterable(fed(values), Event, time="ts", name="values")
    still = ab.from_iterable(fed(silent), Event, time="ts", name="still",
                             heartbeats=ab.Heartbeats(lambda: clock[0], every=0.01))
    still = still.filter(lambda e: e.value >= 0) if filtered else still
    out = running(engine, live.synchronize(window_sum, still, on="ts", to=int))
    for ts, kind, value in [(1, "value", 3), (2, "value", 4), (3, "barrier", 0), (8, "value", 1)]:
        values.put(Event(ts, kind, value))
    # Nobody knows yet what the other source will send.
    with pytest.raises(queue.Empty):
        raise AssertionError(out.get(timeout=0.3))
    clock[0] = 5
    assert out.get(timeout=20) == 7
    # What was promised is kept: the silent source speaks, later than it said.
    silent.put(Event(6, "value", 10))
    silent.put(Event(9, "barrier", 0))
    values.put(None)
    silent.put(None)
    assert out.get(timeout=20) == 11
    assert out.get(timeout=20) == "end"


@pytest.mark.parametrize("engine", ENGINES)
def test_a_broken_promise_is_an_error(engine):
    values, silent = queue.Queue(), queue.Queue()
    live = ab.from_iterable(fed(values), Event, time="ts")
    still = ab.from_iterable(fed(silent), Event, time="ts",
                             heartbeats=ab.Heartbeats(lambda: 5, every=0.01))
    out = running(engine, live.synchronize(window_sum, still, on="ts", to=int))
    for ts in (1, 3):
        values.put(Event(ts, "barrier", 0))
    values.put(None)
    assert [out.get(timeout=20), out.get(timeout=20)] == [0, 0]
    silent.put(Event(4, "barrier", 0))
    assert "'ts' goes back: 4 comes after a heartbeat of 5" in str(out.get(timeout=20))


@pytest.mark.parametrize("engine", ENGINES)
def test_what_a_live_source_or_its_clock_raises_ends_the_run(engine):
    def failing():
        yield Event(1, "barrier", 0)
        raise ValueError("no more")
    live = ab.from_iterable([Event(2, "barrier", 0)], Event, time="ts")
    still = ab.from_iterable(failing(), Event, time="ts", heartbeats=ab.Heartbeats(lambda: 0))
    out = running(engine, live.synchronize(window_sum, still, on="ts", to=int))
    assert out.get(timeout=20) == 0
    assert "ValueError: no more" in str(out.get(timeout=20))
    never = ab.from_iterable(fed(queue.Queue()), Event, time="ts",
                             heartbeats=ab.Heartbeats(lambda: 1 // 0, every=0.01))
    out = running(engine, live.synchronize(window_sum, never, on="ts", to=int))
    assert "the clock of heartbeats raised ZeroDivisionError" in str(out.get(timeout=20))


@pytest.mark.parametrize("given", [None, "5", float("nan"), datetime(2026, 1, 1)])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_clock_that_gives_no_time_is_an_error(engine, given):
    live = ab.from_iterable([Event(2, "barrier", 0)], Event, time="ts")
    still = ab.from_iterable(fed(queue.Queue()), Event, time="ts",
                             heartbeats=ab.Heartbeats(lambda: given, every=0.01))
    error = running(engine, live.synchronize(window_sum, still, on="ts", to=int)).get(timeout=20)
    assert "the clock of heartbeats gives something that is not a time" in str(error)
    assert error.where.file == __file__


def test_a_clock_that_is_set_back_takes_nothing_back():
    values, silent, times = queue.Queue(), queue.Queue(), iter([5])
    live = ab.from_iterable(fed(values), Event, time="ts")
    still = ab.from_iterable(fed(silent), Event, time="ts",
                             heartbeats=ab.Heartbeats(lambda: next(times, 1), every=0.01))
    out = running("sequential", live.synchronize(window_sum, still, on="ts", to=int))
    values.put(Event(4, "barrier", 0))
    values.put(Event(6, "barrier", 0))
    assert out.get(timeout=20) == 0
    time.sleep(0.1)
    silent.put(Event(3, "barrier", 0))
    assert "3 comes after a heartbeat of 5" in str(out.get(timeout=20))


@pytest.mark.parametrize("every", [0, -1, float("nan"), "1 s"])
def test_heartbeats_that_cannot_be_are_refused(every):
    with pytest.raises(ab.ProgramError, match="has heartbeats and no time"):
        ab.from_iterable([], Event, heartbeats=ab.Heartbeats(lambda: 0))
    with pytest.raises(ab.ProgramError, match="every so many seconds") as refused:
        ab.Heartbeats(lambda: 0, every=every)
    assert refused.value.where.file == __file__
    with pytest.raises(ab.ProgramError, match="a function without arguments"):
        ab.Heartbeats(5)


class Moment(ab.Record):
    at: datetime


@pytest.mark.parametrize("engine", ENGINES)
def test_a_clock_and_its_items_have_times_of_one_kind(engine):
    items = queue.Queue()
    items.put(Moment(datetime(2026, 1, 1, tzinfo=UTC)))
    still = ab.from_iterable(fed(items), Moment, time="at", name="still", heartbeats=ab.Heartbeats(
        lambda: datetime(2026, 1, 2), every=0.01))
    live = ab.from_iterable([Moment(datetime(2026, 1, 1, tzinfo=UTC))], Moment, time="at")
    out = running(engine, live.union(still, on="at"))
    while isinstance(came := out.get(timeout=20), Moment):
        pass
    items.put(None)
    assert "the times of 'still' and of its heartbeats cannot be compared: one has a zone, the " \
        "other has none" in str(came)
