"""Whole stages on every tier: keys, windows, fan-out, times, errors, growth, saved state."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.record_batch import batch_of, items_of
from anabranch.kernels.native.state import eviction
from kernels.tiers import Program, bits

START = datetime(2024, 2, 28, 23, 59, 50)


class Event(ab.Record):
    k: int
    v: int
    x: float
    s: str
    o: float | None
    ts: datetime


class Result(ab.Record):
    k: int
    a: float
    s: str
    o: float | None


class Tally(ab.State):
    total: int = 0
    last: str = ""
    best: float | None = None


@ab.operator(by=("k", "s"))
def tally(state: Tally, t: Event):
    state.total += t.v
    if state.last == t.s:
        yield Result(t.k, t.x, state.last, state.best)
    state.last = t.s
    if state.best is None or t.x > state.best:
        state.best = t.x
    for j in range(t.v % 3):
        if j == 1:
            continue
        yield Result(j, state.total, t.s.upper(), t.o)


@tally.at_end
def rest(state: Tally):
    yield Result(0, state.total, state.last, state.best)


@ab.operator
def running(state: Tally, t: Event):
    state.total += t.v
    yield t.replace(v=state.total)


@ab.operator(by="x")
def by_float(state: Tally, t: Event):
    state.total += 1
    yield t.replace(v=state.total)


@ab.operator(by=("o", "ts"))
def by_optional(state: Tally, t: Event):
    state.total += 1
    yield t.replace(v=state.total)


def sliding_count(s):
    return s.aggregate(ab.sliding(count=3, step=2), by="s", n=ab.count(), t=ab.sum("v"),
                       m=ab.mean("v"), low=ab.min("x"), o=ab.last("o"), f=ab.first("s"))


def sparse_count(s):
    return s.aggregate(ab.sliding(count=2, step=3, partial=False), n=ab.max("x"), k=ab.any("k"))


def sliding_time(s):
    return s.aggregate(
        ab.sliding(time=timedelta(seconds=3), step=timedelta(seconds=2), on="ts"), by="k",
        n=ab.count(), a=ab.start(), b=ab.end(), m=ab.mean("x"))


def float_time(s):
    return s.aggregate(ab.tumbling(time=0.7, on="x", late="drop"), by="k", n=ab.count(),
                       a=ab.start(), m=ab.sum(lambda t: t.x * 2)).filter(lambda w: w.n > 1)


def int_time(s):
    return s.aggregate(ab.sliding(time=7, step=2, on="v"), n=ab.count(), a=ab.start(), b=ab.end())


def two_stateful(s):
    return s.filter(lambda t: t.x < 50.0).map(lambda t: t.replace(s=t.s + "?")).apply(
        running).apply(tally)


PROGRAMS = {
    "tally": lambda s: s.filter(lambda t: t.s != "a" or t.v > 3).apply(tally),
    "fan out": lambda s: s.flat_map(lambda t: [t, t.replace(v=t.v + 1)]).apply(running),
    "two stateful": two_stateful, "sliding count": sliding_count, "sparse count": sparse_count,
    "sliding time": sliding_time, "float time": float_time, "int time": int_time,
    "by float": lambda s: s.apply(by_float), "by optional": lambda s: s.apply(by_optional),
    "deduplicate": lambda s: s.deduplicate(by=("k", "s")),
    "parts of time": lambda s: s.map(
        lambda t: t.ts.year * 10**6 + t.ts.month * 10**4 + t.ts.day * 100 + t.ts.hour
        + t.ts.minute + t.ts.second + t.ts.microsecond + t.ts.weekday(), to=int),
}


@functools.cache
def program(name: str) -> Program:
    return Program(PROGRAMS[name](ab.from_iterable([], Event)))


EVENTS = st.builds(
    Event, st.integers(-1, 2), st.one_of(st.integers(-20, 20), st.integers(-2**63, 2**63 - 1)),
    st.one_of(st.floats(-9, 99), st.sampled_from([0.0, -0.0, float("nan"), float("inf"), 1e18])),
    st.sampled_from(["", "a", "é", "abc"]), st.none() | st.floats(-3, 3),
    st.integers(-10**6, 10**8).map(lambda us: START + timedelta(microseconds=us)))
STREAMS = st.tuples(st.lists(EVENTS, max_size=12), st.sampled_from(["", "ts", "v", "x"])).map(
    lambda pair: sorted(pair[0], key=lambda t: getattr(t, pair[1])) if pair[1] else pair[0])


@pytest.mark.parametrize("name", PROGRAMS)
def test_program_is_native(name):
    kernel = program(name).kernel
    assert kernel.tier == "native", kernel.reason


@pytest.mark.parametrize("name", PROGRAMS)
def test_tiers_agree_on_random_streams(name):
    tested = program(name)

    @settings(max_examples=15, deadline=None)
    @given(STREAMS)
    def agrees(items):
        tested.check(items)
    agrees()


def test_many_keys_and_outputs_grow():
    items = [Event(n * 7919 % 5003, n, n / 8, str(n % 701), None, START) for n in range(3000)]
    tested = program("tally")
    wanted = tested.sequential(items)
    assert len(wanted) > 3000
    assert tested.sliced(items, 1000, saving=True) == wanted


@pytest.mark.parametrize(("size", "step", "most"), [(3, 3, 16_384), (400, 1, 1024)])
def test_a_table_with_much_for_each_key_grows_little_by_little(size, step, most):
    """A hash table has a power of two places."""
    windows = ab.from_iterable([], Event).aggregate(
        ab.sliding(count=size, step=step), by="k", n=ab.count(), total=ab.sum("v"))
    tested = Program(windows)
    items = [Event(n % 600 - 99, n, 0.5, "", None, START) for n in range(1800)]
    state = tested.kernel.start()
    tested.kernel.run(state, batch_of(items, tested.input_type))
    [table] = tested.kernel.stage.owners
    assert len(state.memory.arrays[table.array("keys")]) == most
    assert tested.sliced(items, 500) == tested.sequential(items)


def test_open_windows_that_find_no_room_at_the_end_are_given_out_again():
    windows = ab.from_iterable([], Event).aggregate(ab.tumbling(count=3), by="k", n=ab.count())
    tested = Program(windows.flat_map(lambda w: [w.n, -w.n]).flat_map(lambda n: [n, n + 1]))
    items = [Event(n, n, 0.5, "", None, START) for n in range(41)]
    assert tested.kernel.tier == "native"
    assert tested.sliced(items, 1) == tested.sequential(items)
    assert len(tested.sequential(items)) > 4 * len(items)


def test_dates_of_all_years():
    days = [timedelta(days=d, seconds=d, microseconds=d) for d in range(0, 3_652_000, 1009)]
    items = [Event(0, 0, 0.0, "", None, datetime(1, 1, 1) + d) for d in days]
    tested = program("parts of time")
    assert tested.sliced(items, 1000) == tested.sequential(items)


def test_an_overflow_falls_back_to_rows_and_returns():
    big, tested = 2**62, program("fan out")
    values = [1, big, big, -big, -big, *range(40)]
    tested.check([Event(0, v, 0.0, "", None, START) for v in values])
    small = [Event(0, v, 0.0, "", None, START) for v in (big // 2, big // 2, -big, *range(12))]
    tested.check(small)


class Twice(ab.State):
    before: int = 0
    behind: int = 0


@ab.operator(by="k")
def around(state: Twice, t: Event):
    state.before += t.v
    yield t.replace(v=state.before % 1000)
    state.behind += t.v * 2**40


@pytest.mark.parametrize("build", [
    lambda s: s.apply(around), lambda s: s.apply(around).apply(running),
    lambda s: s.flat_map(lambda t: [t, t.replace(v=3 * t.v)]).apply(around)])
def test_a_row_that_stops_behind_a_yield_changes_no_state(build):
    tested = Program(build(ab.from_iterable([], Event)))
    assert tested.kernel.tier == "native"
    tested.check([Event(n % 2, v, 0.0, "", None, START) for n, v in enumerate(
        [1, 2, *[2**22] * 4, 5, *[-2**22] * 4, *[2**21] * 9, *range(20)])])


def test_texts_that_no_state_holds_are_forgotten(monkeypatch):
    monkeypatch.setattr(eviction, "MOST_TEXTS", 8)
    tested = program("two stateful")
    items = [Event(n % 3, n % 9, n / 8, f"{n % 5}" if n % 2 else f"once {n}", None, START)
             for n in range(300)]
    assert tested.sliced(items, 10) == tested.sequential(items)
    stateless = Program(ab.from_iterable([], Event).filter(lambda t: t.s.endswith("1")))
    memory = stateless.kernel.start()
    for n in range(0, 300, 10):
        stateless.kernel.run(memory, batch_of(items[n:n + 10], stateless.input_type), n)
    assert len(memory.memory.texts) < 40 < len({t.s for t in items})


def test_long_texts_that_no_state_holds_are_forgotten(monkeypatch):
    monkeypatch.setattr(eviction, "MOST_BYTES", 4000)
    stateless = Program(ab.from_iterable([], Event).filter(lambda t: t.s.endswith("1")))
    items = [Event(n % 3, n, 0.0, f"{'long ' * 50}{n}", None, START) for n in range(300)]
    assert stateless.sliced(items, 10) == stateless.sequential(items)
    memory = stateless.kernel.start()
    for n in range(0, 300, 10):
        stateless.kernel.run(memory, batch_of(items[n:n + 10], stateless.input_type), n)
    assert len(memory.memory.texts) < 40


def clamp(x, low, high):
    if x < low:
        return low
    return high if x > high else x


def short(text):
    return text.strip()[:2] if text else "none"


def test_functions_that_the_users_functions_call():
    tested = Program(ab.from_iterable([], Event).map(
        lambda t: Result(clamp(t.v, 0, 5) * 2, clamp(t.x, 0.0, 1.0), short(t.s), t.o)))
    assert tested.kernel.tier == "native"
    tested.check([Event(0, v, v / 3, " ab"[:v % 4], None, START) for v in range(-3, 9)])


def result(t, twice):
    return Result(twice, t.x, s=t.s, o=t.o)


def test_functions_that_make_a_record():
    tested = Program(ab.from_iterable([], Event).map(lambda t: result(t, t.v * 2), to=Result))
    assert tested.kernel.tier == "native"
    tested.check([Event(0, v, v / 3, "ab"[:v % 3], None, START) for v in range(-3, 9)])


def stream(count):
    return [Event(n % 7, n, n / 4, "abc"[:n % 4], None, START) for n in range(count)]


def test_slices_flow_through_rows_while_the_compiler_is_busy():
    tested, items = program("fan out"), stream(30)
    kernel, state, out = tested.kernel, tested.kernel.start(), []
    for start in range(0, 30, 5):
        (kernel.warming.set if start in (5, 10) else kernel.warming.clear)()
        batch = batch_of(items[start:start + 5], tested.input_type)
        out += items_of(kernel.run(state, batch, start)[0], tested.output_type)
        assert (state.rows is not None) == kernel.warming.is_set()
    assert bits(out) == tested.sequential(items)


def test_threads_share_a_kernel_but_no_state():
    tested = program("tally")
    streams = [stream(count) for count in (200, 300, 400)]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda items: tested.sliced(items, 50), streams))
    assert found == [tested.sequential(items) for items in streams]
