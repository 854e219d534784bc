"""Teams: workers that meet in native code give the sequential outputs, state and failures."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.engine.multicore.gangs.roster import Roster
from anabranch.engine.multicore.gangs.team import NativeTeam
from anabranch.kernels.native.team.kernel import Lead, team_kernel
from anabranch.runtime.gang.plans import Planning
from engines.multicore.support import multicore_outcome, sequential_outcome
from sync.accounts import Account, forked, shared
from sync.running import in_sequence, outputs, plan_of

KINDS = ("deposit", "name", "report")


class Event(ab.Record):
    kind: str
    amount: int
    owner: str


class Told(ab.Record):
    owner: str
    total: int
    best: int | None


def accounts(**settings):
    """Deposits come in any order; a name belongs to the deposits behind it; reports need all."""
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: (a, b) != ("deposit", "deposit"),
                     optimizer="greedy", **settings)
    def account(state: Account, e: Event):
        if e.kind == "deposit":
            state.total += 7 // (e.amount - 5)
            if state.best is None or state.best < e.amount:
                state.best = e.amount
            if e.amount > 8:
                yield Told(state.owner, e.amount, None)
                yield Told(e.owner, e.amount, None)
        elif e.kind == "name":
            state.owner = e.owner
        else:
            yield Told(state.owner, state.total, state.best)
            state.total, state.best = 0, None

    account.at_end(lambda state: [Told(state.owner, state.total, state.best)])
    return forked(account)


def events(drawn):
    return [Event(KINDS[kind], amount, f"owner {amount % 4}") for kind, amount in drawn]


def program(rows, **settings):
    return plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(accounts(**settings)))


KIND = st.sampled_from([0, 0, 0, 0, 0, 0, 1, 2])


@given(st.lists(st.tuples(KIND, st.sampled_from([*range(5), 6, 7, 8, 9, 10])), max_size=120),
       st.integers(2, 5), st.integers(1, 40))
@settings(max_examples=30, deadline=None)
def test_any_events_give_the_sequential_outputs(drawn, workers, slice_size):
    rows = events(drawn)
    plan = program(rows)
    found, _ = shared(plan, rows, workers=workers, slice_size=slice_size)
    assert found == outputs(in_sequence, plan, rows)


@given(st.lists(st.tuples(KIND, st.sampled_from([*range(5), 6, 7, 8, 9, 10, 2**62])), max_size=80),
       st.integers(2, 5), st.integers(1, 20), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_slices_that_one_does_alone_go_with_those_that_all_share(drawn, workers, size, seed):
    """Also where the sum becomes too large, so that plain Python goes on."""
    rows, chance = events(drawn), random.Random(seed)
    plan = program(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Planning, "is_light", lambda self, rows: chance.random() < 0.6)
        found, _ = shared(plan, rows, workers=workers, slice_size=size)
    assert found == outputs(in_sequence, plan, rows)


def test_a_light_slice_wakes_nobody(monkeypatch):
    monkeypatch.setattr(Planning, "is_light", lambda self, rows: rows < 3)
    monkeypatch.setattr(Roster, "deal", lambda *given: 1 / 0)
    rows = events([(0, 9), (0, 4), (1, 3)] * 20)
    plan = program(rows)
    assert shared(plan, rows, slice_size=2)[0] == outputs(in_sequence, plan, rows)


@given(st.lists(st.tuples(KIND, st.integers(0, 10)), min_size=60, max_size=120))
@settings(max_examples=10, deadline=None)
def test_the_first_failing_event_is_the_failure(drawn):
    rows = events([*drawn, (0, 5), (2, 0)])
    plan = program(rows)
    found, _ = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert "ZeroDivisionError" in found[1]


def test_a_plan_with_workers_on_three_levels():
    """Those between the root and the leaves have events of their own."""
    tree = ab.worker("report", below=(
        ab.worker("name", below=(ab.worker(ab.shard("deposit", 0)),
                                 ab.worker(ab.shard("deposit", 1)))),
        ab.worker("other")))

    @ab.synchronized(tag=lambda e: e.kind, plan=tree,
                     depends=lambda a, b: "report" in (a, b) or {a, b} == {"name", "deposit"}
                     or a == b == "other")
    def counted(state: Account, e: Event):
        if e.kind == "report":
            state.best = 1 if state.best is None else state.best + 1
            yield Told("all", state.total, state.best)
            state.total = 0
        elif e.kind == "name":
            yield Told("part", e.amount, None)
        else:
            state.total += e.amount

    counted.fork(lambda state, left, right: (state, Account()))
    counted.join(lambda one, other: Account(one.total + other.total, one.best))
    kinds = ("deposit", "other", "name", "report", "deposit", "name", "name")
    rows = [Event(kinds[(n * n + n // 7) % 7], n % 10, "") for n in range(300)]
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(counted))
    found, _ = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert max(told.best or 0 for told in found[0]) > 20


def test_numbers_that_native_code_cannot_hold_are_done_in_one_place():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "report" in (a, b))
    def product(state: Account, e: Event):
        if e.kind == "report":
            yield Told("", state.total % 1_000_003, None)
            state.total = 0
        else:
            state.total += e.amount * e.amount

    product.fork(lambda state, left, right: (state, Account()))
    product.join(lambda one, other: Account(one.total + other.total))
    # The square, the sum of one worker, and the sum of both: each is too large once.
    large = {30: 2**40, 70: 3 * 10**9, 71: 3 * 10**9, 110: 2**31 + 2**30, 111: 2**31}
    rows = [Event("report" if n % 40 == 39 else "deposit", large.get(n, n), "")
            for n in range(400)]
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(product))
    found, team = shared(plan, rows, workers=2)
    assert found == outputs(in_sequence, plan, rows)
    [state] = team.roster.states
    assert state.patience > 1 and not state.in_line


def test_many_texts_are_forgotten(monkeypatch):
    monkeypatch.setattr("anabranch.kernels.native.team.kernel.MOST_TEXTS", 25)
    rows = [Event("name" if n % 9 == 8 else "deposit", 6 + n % 5, f"owner {n}")
            for n in range(300)]
    plan = program(rows)
    found, team = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    assert len(team.roster.lead.memory.texts) < 100


CREDIT = "credit"


def sides(plan=None, fork=None):
    """Credits and debits of one side stay there: the fork asks who takes them."""
    @ab.synchronized(tag=lambda e: e.kind, plan=plan,
                     depends=lambda a, b: a == b or "report" in (a, b))
    def balance(state: Account, e: Event):
        if e.kind == "report":
            yield Told("all", state.total, state.best)
        elif e.kind == CREDIT:
            state.total = (state.total * 3 + e.amount) % 1009
        else:
            state.best = (7 if state.best is None else state.best * 5 + e.amount) % 1013

    @balance.fork
    def by_kind(state, left, right):
        if left(CREDIT) and not left("debit"):
            return Account(total=state.total), Account(best=state.best)
        if right(CREDIT) and not right("debit"):
            return Account(best=state.best), Account(total=state.total)
        return (Account(), state) if right("debit") else (state, Account())

    balance.join(lambda one, other: Account(
        one.total + other.total, one.best if other.best is None else other.best))
    if fork is not None:
        balance.forks.clear()
        balance.fork(fork)
    return balance


@pytest.mark.parametrize("swapped", [False, True])
def test_a_fork_that_asks_for_tags(swapped):
    pair = (ab.worker(CREDIT), ab.worker("debit"))
    tree = ab.worker("report", below=pair[::-1] if swapped else pair)
    kinds = ("credit", "debit", "credit", "report", "debit")
    rows = [Event(kinds[(n * n + n // 7) % 5], n % 10, "") for n in range(300)]
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(sides(tree)))
    found, team = shared(plan, rows)
    assert found == outputs(in_sequence, plan, rows)
    [state] = team.roster.states
    assert state.patience == 1 and not state.in_line and team.kernel.tags == ("credit", "debit")


def test_a_fork_that_asks_for_a_tag_of_its_state_has_no_native_form():
    definition = sides(fork=lambda state, left, right: (state, Account()) if left(state.owner)
                       else (Account(), state))
    plan = plan_of(ab.from_iterable([], Event).apply(definition))
    op = next(op for op in plan.graph if op.kind.label == "synchronized")
    assert team_kernel(plan.graph, op) is None


class Noted(ab.State):
    total: int = 0
    large: list[int] = []
    seen: dict[str, int] = {}


def test_a_state_with_collections_has_no_native_team():
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "report" in (a, b))
    def noted(state: Noted, e: Event):
        if e.kind == "report":
            yield state.total
        state.total += e.amount

    @noted.fork
    def parts(state: Noted, left, right):
        return Noted(state.total), Noted()

    @noted.join
    def whole(one: Noted, other: Noted):
        return Noted(one.total + other.total)

    rows = [Event("report" if n % 50 == 49 else "credit", n % 10, "") for n in range(200)]
    plan = plan_of(ab.from_iterable(rows, Event).apply(noted))
    op = next(op for op in plan.graph if op.kind.label == "synchronized")
    assert team_kernel(plan.graph, op) is None
    assert multicore_outcome(plan.graph, workers=2, kernels="always") == sequential_outcome(
        plan.graph)


@pytest.mark.parametrize("first", ["deposit", "report"])
def test_a_new_plan_when_other_tags_come(monkeypatch, first):
    """The first events have a single tag; what is planned for them suits those behind badly."""
    monkeypatch.setattr("anabranch.engine.multicore.gangs.team.LATELY", 100)
    monkeypatch.setattr("anabranch.runtime.gang.plans.LEARNT", 40)

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "report" in (a, b))
    def summed(state: Account, e: Event):
        if e.kind == "report":
            yield Told(e.owner, state.total, None)
        state.total += e.amount

    summed.fork(lambda state, left, right: (state, Account()))
    summed.join(lambda one, other: Account(one.total + other.total))
    rows = [Event(first if n < 60 else "report" if n % 50 == 49 else "transfer", n, str(n % 7))
            for n in range(900)]
    plan = plan_of(ab.from_iterable(rows, Event).map(lambda e: e).apply(summed))
    trees, begin = [], NativeTeam._begin
    monkeypatch.setattr(NativeTeam, "_begin",
                        lambda team, own, state: (trees.append(own[None]), begin(team, own, state)))
    found, team = shared(plan, rows, workers=2)
    assert found == outputs(in_sequence, plan, rows)
    assert len(trees) == 2 and "transfer" in {shard.tag for shard in trees[1].below}
    [state] = team.roster.states
    assert state.tree is trees[1] and not state.in_line


def test_who_waits_for_slices_to_be_done_learns_of_a_failure(monkeypatch):
    """Before a new plan all slices are awaited: those behind a failure never come."""
    module = "anabranch.engine.multicore.gangs.team"
    monkeypatch.setattr(f"{module}.LATELY", 20)
    monkeypatch.setattr(f"{module}.Planning.better_than", lambda plan, trees, *seen: trees)
    wait, merge, merged = NativeTeam._wait_until_done, Lead.merged, []
    waiting: list = []

    def waits(team):
        waiting.append(team)
        wait(team)
        waiting.pop()

    def fails(*given):
        merged.append(given)
        if len(merged) == 1:
            return merge(*given)
        assert eventually(lambda: waiting)
        raise RuntimeError("no memory")
    monkeypatch.setattr(NativeTeam, "_wait_until_done", waits)
    monkeypatch.setattr(Lead, "merged", fails)
    rows = events([(0, 1)] * 200)
    with pytest.raises(RuntimeError, match="no memory"):
        shared(program(rows), rows)
    assert eventually(lambda: not waiting)


def eventually(holds, seconds=20.0):
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.001)
    return holds()
