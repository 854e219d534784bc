"""Hot keys that come, go and change, of any aggregate, window and number of workers."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.core.errors import AnabranchError
from anabranch.engine import multicore
from anabranch.engine.run import engine as engine_called
from anabranch.ir.types import type_of
from anabranch.plan.physical.hot_keys import InParts, joins_exactly
from sync.running import in_sequence, outputs, plan_of

NAN = float("nan")


class Reading(ab.Record):
    at: int
    when: datetime
    place: str
    zone: int
    level: int
    heat: float
    mark: int | None = None


class Distinct(ab.Aggregate):
    seen: set = set()

    def add(self, value):
        self.seen = self.seen | {value}

    def join(self, other):
        self.seen = self.seen | other.seen

    def result(self) -> int:
        return len(self.seen)


class Levels(ab.Aggregate):
    """How often each level came."""

    counts: dict[int, int] = {}

    def add(self, value: int):
        self.counts = {**self.counts, value: self.counts.get(value, 0) + 1}

    def join(self, other):
        self.counts = dict(Counter(self.counts) + Counter(other.counts))

    def result(self) -> str:
        return str(sorted(self.counts.items()))


class Warmth(ab.Aggregate):
    """The sum of floats in a list."""

    total: list[float] = []

    def add(self, value: float):
        self.total = [sum(self.total) + value]

    def join(self, other):
        self.total = [sum(self.total) + sum(other.total)]

    def result(self) -> float:
        return sum(self.total)


class Pair(ab.Record):
    level: int
    place: str


SPLIT = {"n": ab.count(), "total": ab.sum("level"), "mean": ab.mean(lambda r: r.level * 3),
         "coldest": ab.min("heat"), "hottest": ab.max("heat"), "first": ab.first("heat"),
         "last": ab.last("mark"), "kinds": Distinct.of("level"), "levels": Levels.of("level"),
         "top": ab.max(lambda r: Pair(r.level, r.place)), "names": ab.min("place")}
WHOLE = {"heat": ab.sum("heat"), "mean": ab.mean(lambda r: r.level / 7), "warm": Warmth.of("heat"),
         "top": ab.max(), "mark": ab.sum("mark")}

BEGIN = datetime(2024, 2, 29)


def skewed(chance: random.Random, rows: int = 420) -> list[Reading]:
    """At first all keys are alike; then one comes often, and some time later two others do."""
    at, found = 0, []
    for n in range(rows):
        at += chance.choice([0, 0, 0, 1, 3])
        hot = [[], ["a"], ["b", "c"]][3 * n // rows]
        place = chance.choice([*"abcdefgh", *(8 * hot)])
        heat = NAN if chance.random() < 0.05 else chance.choice([0.0, -0.0, chance.random()])
        found.append(Reading(at, BEGIN + timedelta(seconds=at), place, ord(place) % 2,
                             chance.randrange(9), heat, chance.choice([None, 1])))
    return found


def in_parallel(workers: int, slice_size: int):
    return partial(multicore.run, workers=workers, processes="always", kernels="never",
                   slice_size=slice_size)


WINDOWS = {
    "tumbling": ab.tumbling(time=9, on="at"),
    "sliding": ab.sliding(time=12, step=5, on="at", partial=False),
    "gaps": ab.sliding(time=3, step=7, on="at", late="drop"),
    "datetimes": ab.tumbling(time=timedelta(seconds=10), on="when"),
    "count": ab.tumbling(count=7),
    "last": ab.sliding(count=9, step=4),
}


@pytest.mark.parametrize("window", WINDOWS)
@given(st.integers(0, 9999), st.sampled_from([SPLIT, WHOLE | SPLIT]),
       st.sampled_from(["place", ("zone", "place"), "zone"]), st.integers(2, 4),
       st.integers(40, 130))
@settings(max_examples=6, deadline=None)
def test_any_skew_gives_the_sequential_windows(window, seed, calls, by, workers, slice_size):
    readings = skewed(random.Random(seed))
    readings = readings if "mark" not in calls else [r.replace(mark=1) for r in readings]
    calls = {f"of {name}".replace(" ", "_"): call for name, call in calls.items()}
    plan = plan_of(ab.from_iterable(readings, Reading).aggregate(WINDOWS[window], by=by, **calls))
    found = outputs(in_parallel(workers, slice_size), plan, readings)
    # A NaN is not equal to itself, and its text is.
    assert repr(found) == repr(outputs(in_sequence, plan, readings)) and found[0]


def test_the_place_of_a_nan_decides():
    heats = [1.0, NAN, 0.5, 2.0] * 10 + [NAN, 0.25] * 20 + [0.125, NAN] * 20
    readings = [Reading(n // 40, BEGIN, "a", 0, 0, heat) for n, heat in enumerate(heats)]
    plan = plan_of(ab.from_iterable(readings, Reading).aggregate(
        ab.tumbling(time=2, on="at"), by="place", low=ab.min("heat"), high=ab.max("heat")))
    assert any(stage.operators[0].startswith("parts of ")
               for stage in engine_called("multicore").execution(plan).stages)
    found, *_ = outputs(in_parallel(2, 40), plan, readings)
    assert [(w.low, w.high) for w in found] == [(0.25, 2.0), (0.125, 0.125)]


def marked(r: Reading):
    return (r.mark,) if r.level < 50 else ("none",)


def test_what_cannot_be_compared_fails_at_its_row():
    readings = [Reading(0, BEGIN, "a", 0, n, 0.0, 1) for n in range(100)]
    plan = plan_of(ab.from_iterable(readings, Reading).aggregate(
        ab.tumbling(time=2, on="at"), by="place", low=ab.min(marked)))
    found = outputs(in_parallel(2, 50), plan, readings)
    assert found == outputs(in_sequence, plan, readings) and "level=50" in found[1]


class Fussy(ab.Aggregate):
    """Does not like an eight as the fourth of its values."""

    seen: int = 0

    def add(self, value: int):
        if self.seen == 3 and value == 8:
            raise ValueError("an eight")
        self.seen += 1

    def join(self, other):
        self.seen += other.seen

    def result(self) -> int:
        return self.seen


def test_a_part_that_fails_alone_leaves_nothing_behind():
    readings = [Reading(0, BEGIN, "a", 0, 8 if n == 3 else 1, 0.0) for n in range(50)]
    plan = plan_of(ab.from_iterable(readings, Reading).aggregate(
        ab.tumbling(time=2, on="at"), by="place", n=ab.count(), of_fussy=Fussy.of("level")))
    op = next(op for op in plan.graph if op.kind.label == "aggregate")
    assert InParts(op.kind, 2).parted(range(50), readings) == (range(50), readings)


@pytest.mark.parametrize("name, call, exact", [
    *((name, call, True) for name, call in SPLIT.items()),
    *((name, call, False) for name, call in WHOLE.items())])
def test_only_what_joins_exactly_is_split(name, call, exact):
    assert joins_exactly(call, type_of(Reading)) == exact


ZONES = {"utc": lambda n: UTC, "zones": lambda n: (UTC, timezone(timedelta(hours=5)))[n % 2],
         "mixed": lambda n: UTC if n == 230 else None, "later": lambda n: UTC if n > 200 else None}


@pytest.mark.parametrize("zone", ZONES)
def test_times_with_zones_are_not_put_together_with_others(zone):
    """Of two that are equal the first counts, and what is no instant is not compared with one."""
    times = [BEGIN + timedelta(seconds=n // 40 % 3) for n in range(420)]
    readings = [Reading(n, time if ZONES[zone](n) is None else time.replace(
        tzinfo=UTC).astimezone(ZONES[zone](n)), "a", 0, 0, 0.0) for n, time in enumerate(times)]
    for window in (ab.tumbling(time=50, on="at"),
                   ab.tumbling(time=timedelta(seconds=10), on="when")):
        plan = plan_of(ab.from_iterable(readings, Reading).aggregate(
            window, by="place", first=ab.min("when"), last=ab.max("when"), n=ab.count()))
        outcomes = []
        for run in (in_parallel(3, 70), in_sequence):
            try:
                outcomes.append(repr(outputs(run, plan, readings)))
            except AnabranchError as error:
                outcomes.append(str(error))
        assert outcomes[0] == outcomes[1]
