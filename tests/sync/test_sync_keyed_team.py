"""Teams with keys: those that come often are split between workers that meet in native code, the
others go by buckets. What comes out is the sequential output."""

from __future__ import annotations

import random
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.buckets import spread
from anabranch.engine.multicore.gangs.keys import ColdKeys, KeyedPlanning
from anabranch.engine.multicore.gangs.states import COLD, StateOfKey
from anabranch.engine.multicore.gangs.team import NativeTeam
from anabranch.engine.run import engine as engine_called
from anabranch.plan.sync.optimizers import Costs
from anabranch.runtime.gang.plans import Planning
from anabranch.runtime.gang.tagging import Tagging
from sync.accounts import Account, forked, shared
from sync.running import in_sequence, outputs, plan_of

KINDS = ("deposit", "deposit", "deposit", "deposit", "name", "report")


class Event(ab.Record):
    kind: str
    page: int
    site: str | None
    amount: int


class Told(ab.Record):
    page: int
    owner: str
    total: int
    best: int | None


def accounts(by="page", **settings):
    """For each key: deposits come in any order, a name belongs to those behind it, reports need
    all. The loop makes it worth to be split."""
    @ab.synchronized(by=by, tag=lambda e: e.kind, **settings,
                     depends=lambda a, b: (a, b) != ("deposit", "deposit"))
    def account(state: Account, e: Event):
        if e.kind == "deposit":
            for _ in range(2):
                state.total += 7 // (e.amount - 5)
            if state.best is None or state.best < e.amount:
                state.best = e.amount
            if e.amount > 8:
                yield Told(e.page, state.owner, e.amount, None)
                yield Told(e.page, e.kind, e.amount, None)
        elif e.kind == "name":
            state.owner = "nobody" if e.site is None else e.site
        else:
            yield Told(e.page, state.owner, state.total, state.best)
            state.total, state.best = 0, None
    return forked(account)


def program(rows, **settings):
    return plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(accounts(**settings)))


def events(seed, size, amounts=(0, 1, 4, 6, 8, 9, 10), pages=(0, 0, 0, 0, 1, 1, 2, 3, 40, 41)):
    """So many, most of them of the first pages."""
    chance = random.Random(seed)
    return [Event(chance.choice(KINDS), chance.choice(pages), chance.choice(["a", "a", "b", None]),
                  chance.choice(amounts)) for _ in range(size)]


SEEDS = st.integers(0, 2**32)


@given(SEEDS, st.integers(40, 300), st.integers(2, 5), st.integers(8, 90),
       st.sampled_from(["page", "site", ("page", "site"), ("site", "page", "kind")]))
@settings(max_examples=40, deadline=None)
def test_any_events_give_the_sequential_outputs(seed, size, workers, slice_size, by):
    rows = events(seed, size)
    plan = program(rows, by=by)
    found, _ = shared(plan, rows, workers=workers, slice_size=slice_size)
    assert found == outputs(in_sequence, plan, rows)


@given(SEEDS, st.integers(2, 5), st.integers(8, 60))
@settings(max_examples=30, deadline=None)
def test_what_native_code_cannot_hold_or_fails_is_done_in_one_place(seed, workers, slice_size):
    """Sums that become too large in one key, in a hot one or another, and light slices between."""
    amounts = (0, 1, 4, 6, 8, 9, 10, 2**62)
    rows, chance = events(seed, 250, (*amounts, 5) if seed % 3 == 0 else amounts), random.Random(1)
    plan = program(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Planning, "is_light", lambda self, rows: chance.random() < 0.4)
        found, _ = shared(plan, rows, workers=workers, slice_size=slice_size)
    assert found == outputs(in_sequence, plan, rows)


@given(SEEDS, st.integers(0, 199), st.sampled_from([0, 1, 40, 77]))
@settings(max_examples=15, deadline=None)
def test_the_first_failing_event_is_the_failure(seed, at, page):
    rows = events(seed, 200)
    rows[at] = Event("deposit", page, "a", 5)
    rows[min(199, at + 20)] = Event("deposit", 0, "a", 5)
    plan = program(rows)
    found, _ = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert "ZeroDivisionError" in found[1]


def test_hot_keys_are_split_and_the_others_are_not():
    rows = [Event("report" if n % 50 == 49 else "deposit", 0 if n % 5 else n, "a", 6)
            for n in range(1000)]
    plan = program(rows)
    found, team = shared(plan, rows, workers=4, slice_size=100)
    assert found == outputs(in_sequence, plan, rows)
    [state] = team.roster.states
    assert state.key == 0 and not state.in_line and state.patience == 1
    assert 1 < len(state.leaves) < len(team.threads)


@pytest.mark.parametrize("cold, split, others", [(5, 11, 1), (50, 6, 6), (1, 12, 1)])
def test_the_other_keys_have_their_share_of_the_workers(cold, split, others):
    plan = KeyedPlanning(program([]).graph["account"], 0, 12, None, False, None, Costs())
    plan.seen = Counter({(n, "deposit"): 1 if n else 100 - cold for n in range(cold + 1)})
    trees = plan.trees()
    assert list(trees) == [0] and sum(not n.children for n in trees[0].nodes()) == split
    assert plan.workers_of_cold(trees) == others


def test_keys_that_are_not_found_again_in_columns_are_not_split():
    plan = KeyedPlanning(program([]).graph["account"], 0, 2, None, False, None, Costs())
    for key in (None, float("nan"), ("a", None)):
        plan.seen = Counter({(key, "deposit"): 100})
        assert not plan.trees()


class Noted:
    """A line that notes which slices it was given, and waits before the first."""

    def __init__(self):
        self.numbers, self.may_go = [], threading.Event()

    def run(self, number, flow):
        self.may_go.wait(10)
        self.numbers.append(number)
        return number


def test_nobody_begins_with_a_bucket_before_its_rows_of_the_slice_before_are_done():
    lines, broken = [Noted(), Noted()], threading.Event()
    cold, order = ColdKeys(lines), np.arange(6)
    turns = [cold.turn(number, list("abcdef"), order, np.array([0, 3, 6])) for number in range(3)]
    threads = [threading.Thread(target=turn.take_part, args=(broken,)) for turn in turns]
    for thread in reversed(threads):
        thread.start()
    for line in lines:
        line.may_go.set()
    for thread in threads:
        thread.join(10)
    assert [line.numbers for line in lines] == [[0, 1, 2]] * 2


@given(SEEDS)
@settings(max_examples=10, deadline=None)
def test_slices_that_do_not_fit_into_columns(seed):
    """A truth is no whole number: such slices come as objects, and their keys are the same."""
    rows = events(seed, 200)
    rows[60] = Event("deposit", True, "a", 6)
    rows[130] = Event("deposit", 0, "a", True)
    plan = program(rows)
    found, _ = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)


def test_many_texts_are_forgotten(monkeypatch):
    monkeypatch.setattr("anabranch.kernels.native.team.kernel.MOST_TEXTS", 25)
    rows = [Event("name" if n % 9 == 8 else "deposit", n % 2, f"site {n}", 6 + n % 5)
            for n in range(400)]
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(texts()))
    found, team = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert team.roster.states and len(team.roster.lead.memory.texts) < 150


def texts():
    @ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "name" in (a, b))
    def named(state: Account, e: Event):
        for _ in range(2):
            state.total += e.amount
        if e.kind == "name":
            state.owner = "nobody" if e.site is None else e.site
        yield Told(e.page, state.owner, e.amount, None)

    named.fork(lambda state, left, right: (state, Account(owner=state.owner)))
    named.join(lambda one, other: Account(one.total + other.total, None, one.owner))
    return named


def test_a_new_plan_when_other_keys_come_often(monkeypatch):
    monkeypatch.setattr("anabranch.engine.multicore.gangs.team.LATELY", 100)
    monkeypatch.setattr("anabranch.engine.multicore.gangs.keys.ENOUGH_TO_TELL", 20)
    kinds = random.Random(5)
    rows = [Event(kinds.choice(KINDS), (n % 40 if n % 4 == 0 else 0 if n < 400 else 7), "a", n % 5)
            for n in range(1200)]
    rows[0] = Event("deposit", 0, "a", 1)
    plan, plans, begin = program(rows), [], NativeTeam._begin
    monkeypatch.setattr(NativeTeam, "_begin",
                        lambda team, trees, states: (plans.append(set(trees)),
                                                     begin(team, trees, states)))
    found, _ = shared(plan, rows, slice_size=60, workers=8)
    assert found == outputs(in_sequence, plan, rows)
    assert plans[0] == {0} and 7 in plans[-1]


def test_keys_whose_events_all_depend_on_each_other_are_not_split():
    @ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: True)
    def counted(state: Account, e: Event):
        for _ in range(2):
            state.total += 1
        yield Told(e.page, "", state.total, None)

    counted.fork(lambda state, left, right: (state, Account()))
    counted.join(lambda one, other: Account(one.total + other.total))
    rows = events(3, 300)
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(counted))
    found, team = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert not team.roster.states and len(team.threads) == 3


@pytest.mark.parametrize("settings, told", [
    ({}, "hot keys are split where that pays, and workers meet for them in compiled code"),
    ({"fork": lambda state, left, right: tuple(reversed((Account(), state)))},
     "hot keys are not split: its fork or its join has no compiled form")])
def test_explain_says_whether_hot_keys_are_split(settings, told):
    @ab.synchronized(by="page", tag=lambda e: e.kind, depends=lambda a, b: "report" in (a, b))
    def summed(state: Account, e: Event):
        for _ in range(e.amount):
            state.total += 1
        yield Told(e.page, "", state.total, None)

    summed.fork(settings.get("fork", lambda state, left, right: (state, Account())))
    summed.join(lambda one, other: Account(one.total + other.total))
    many = ab.generate(lambda n: Event("deposit", n % 3, "a", n), 1_000_000).apply(summed)
    stages = engine_called("multicore").execution(plan_of(many)).stages
    assert any(told in stage.arrival for stage in stages)


@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1, 2, 2**40]),
                          st.sampled_from(["a", "b", None])), max_size=40),
       st.lists(st.tuples(st.sampled_from([-1, 1, 2**40]), st.sampled_from(["a", "b"])),
                unique=True, max_size=4))
def test_the_state_of_a_key_is_the_same_in_columns_and_objects(keys, hot):
    from anabranch.batch.items import Columns, as_batch
    from anabranch.ir.types import RecordOf

    rows = [Event("deposit", page, site, 0) for page, site in keys]
    tagged = StateOfKey(Tagging(lambda e: e.kind, {"kind"}), ("page", "site"), hot, 5)
    item = RecordOf(Event)
    of_objects, of_columns = (_pairs(*tagged.numbered(items)) for items in (
        rows, Columns(as_batch(rows, item), item)))
    assert of_objects == of_columns
    assert of_objects == [(hot.index(key), "deposit") if key in hot
                          else (COLD, spread(hash(key), 5)) for key in keys]


def _pairs(pairs, number_of, codes):
    return [pairs[number_of[code]] for code in codes]
