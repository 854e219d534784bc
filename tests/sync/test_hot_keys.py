"""Hot keys of aggregates are split without being asked; what comes out is the sequential output."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.engine import multicore
from anabranch.engine.run import engine as engine_called
from anabranch.plan.physical.hot_keys import InParts, Part
from sync.running import in_sequence, outputs, plan_of


class View(ab.Record):
    ts: int
    page: int
    value: int


class Kept(ab.Aggregate):
    """Keeps the list that it is joined with, as its own."""

    values: list[int] = []

    def add(self, value: int):
        self.values = [sum(self.values)] if self.values else [0]
        self.values[0] += value

    def join(self, other):
        if self.values:
            self.values[0] += sum(other.values)
        else:
            self.values = other.values

    def result(self) -> int:
        return sum(self.values)


class Longest(ab.Aggregate):
    """The largest value and how often it came, both ints."""

    best: int = -1
    times: int = 0

    def add(self, value: int):
        if value > self.best:
            self.best, self.times = value, 0
        self.times += value == self.best

    def join(self, other):
        if other.best > self.best:
            self.best, self.times = other.best, 0
        self.times += other.times if other.best == self.best else 0

    def result(self) -> int:
        return 1000 * self.best + self.times


def costly(view: View) -> int:
    """A value that fails for one of the views."""
    return 100 // (view.value - 50)


CALLS = {"count": ab.count(), "total": ab.sum("value"), "mean": ab.mean("value"),
         "first": ab.first("ts"), "last": ab.last("ts"), "all": ab.collect("value"),
         "most": ab.max("value"), "least": ab.min("value"), "longest": Longest.of("value"),
         "kept": Kept.of("value"), "until": ab.end()}


def pages(views, late="error", window=None, **calls):
    window = window or ab.tumbling(time=10, on="ts", late=late)
    return plan_of(ab.from_iterable(views, View).aggregate(window, by="page", **calls))


SLIDING = [{"time": 12, "step": 4}, {"time": 10, "step": 3}, {"time": 3, "step": 7}]


def run_of(**knobs):
    return partial(multicore.run, **{"workers": 2, "processes": "always", "kernels": "never",
                                     "slice_size": 64} | knobs)


def views_of(drawn):
    ts, views = 0, []
    for step, page, value in drawn:
        ts += step
        views.append(View(ts, page, value))
    return views


def drawn_by(chance):
    """Some hundred views; a slice with fewer than some dozen is not looked at."""
    return [(chance.choice([0, 0, 0, 1, 4]), chance.choice([0, 0, 0, 1, 1, 2, 3]),
             chance.randrange(50)) for _ in range(chance.randrange(250, 500))]


VIEWS = st.randoms(use_true_random=False).map(drawn_by)


@given(VIEWS, st.integers(40, 120))
@settings(max_examples=10, deadline=None)
def test_every_aggregate_gives_the_sequential_windows(drawn, slice_size):
    views = views_of(drawn)
    plan = pages(views, **CALLS)
    assert outputs(run_of(slice_size=slice_size), plan, views) == outputs(in_sequence, plan, views)


@pytest.mark.parametrize("late", ["error", "drop"])
@given(VIEWS, st.integers(0, 249), st.integers(1, 30))
@settings(max_examples=10, deadline=None)
def test_late_items_are_dropped_or_fail_where_they_do(late, drawn, at, back):
    views = views_of(drawn)
    views[at] = views[at].replace(ts=views[at].ts - back)
    plan = pages(views, late, count=ab.count(), all=ab.collect("value"))
    assert outputs(run_of(), plan, views) == outputs(in_sequence, plan, views)


@pytest.mark.parametrize("late", ["error", "drop"])
@given(VIEWS, st.sampled_from(SLIDING), st.integers(0, 249), st.integers(-5, 30))
@settings(max_examples=10, deadline=None)
def test_sliding_windows_are_those_of_the_sequential_engine(late, drawn, sizes, at, back):
    views = views_of(drawn)
    views[at] = views[at].replace(ts=max(0, views[at].ts - back))
    plan = pages(views, window=ab.sliding(**sizes, on="ts", late=late), **CALLS)
    assert outputs(run_of(), plan, views) == outputs(in_sequence, plan, views)


@pytest.mark.parametrize("bad", [3, 40, 119])
def test_a_failing_value_is_the_failure_of_its_row(bad):
    views = [View(n // 7, n % 2, 50 if n == bad else n % 40) for n in range(120)]
    plan = pages(views, total=ab.max(costly))
    found = outputs(run_of(), plan, views)
    assert found == outputs(in_sequence, plan, views)
    assert "ZeroDivisionError" in found[1]


def test_only_hot_keys_are_put_together():
    views = [View(n, 0 if n % 2 else 1000 + n, n) for n in range(100)]
    op = next(op for op in pages(views, n=ab.count()).graph if op.kind.label == "aggregate")
    rows, items = InParts(op.kind, 2).parted(range(100), views)
    parts = [item for item in items if type(item) is Part]
    # The hot page has ten windows; the other pages come once each.
    assert len(parts) == 10 and len(items) == 60 and all(part.page == 0 for part in parts)
    assert list(rows) == sorted(rows) and rows[:4] == [0, 1, 2, 4]
    even = [View(n, n, n) for n in range(100)]
    assert InParts(op.kind, 2).parted(range(100), even) == (range(100), even)


class Floats(ab.Aggregate):
    total: float = 0.0

    def add(self, value):
        self.total += value

    def join(self, other):
        self.total += other.total

    def result(self) -> float:
        return self.total


@pytest.mark.parametrize("calls, splits", [
    ({"n": ab.count()}, True), ({"n": ab.sum("value")}, True), ({"n": ab.sum(costly)}, True),
    ({"n": ab.sum(lambda v: v.value / 2)}, False), ({"n": Floats.of("value")}, False)])
def test_explain_says_which_are_split(calls, splits):
    told = [stage for stage in engine_called("multicore").execution(pages([], **calls)).stages
            if stage.operators[0].startswith("parts of ")]
    assert bool(told) == splits


@pytest.mark.parametrize("window, splits", [
    (ab.sliding(time=12, step=4, on="ts"), True), (ab.tumbling(count=5), False)])
def test_windows_by_time_are_split(window, splits):
    told = engine_called("multicore").execution(pages([], window=window, n=ab.count())).stages
    assert any(stage.operators[0].startswith("parts of ") for stage in told) == splits
    assert not splits or "hot keys of " in told[0].reason.text


@pytest.mark.parametrize("window, calls, why", [
    (ab.tumbling(count=5), {"n": ab.count()}, "all items of a key must be counted by one"),
    (ab.tumbling(time=5, on="ts"), {"n": ab.count(), "half": ab.sum(lambda v: v.value / 2)},
     "parts of half joined would not be what one fold gives"),
    (ab.tumbling(time=5, on="ts"), {"n": ab.count()}, None)])
def test_explain_says_why_hot_keys_are_not_split(window, calls, why):
    plan = pages([], window=window, **calls)
    told = [stage.arrival for stage in engine_called("multicore").execution(plan).stages]
    assert any(why in text for text in told) if why else not any("not split" in t for t in told)


def test_explain_says_that_a_compiled_operator_has_all_keys_in_one_place():
    @ab.synchronized(by="page", tag=lambda v: v.page, depends=lambda a, b: True)
    def counted(state: Tally, view: View):
        state.seen += 1
        yield View(view.ts, view.page, state.seen)

    counted.fork(lambda state, left, right: (state, Tally()))
    counted.join(lambda one, other: Tally(one.seen + other.seen))
    many = ab.generate(lambda n: View(n, n % 3, n), 1_000_000).apply(counted)
    stage, = engine_called("multicore").execution(plan_of(many)).stages
    assert stage.tier == "native" and "all keys in one place: " in stage.arrival


class Tally(ab.State):
    seen: int = 0
