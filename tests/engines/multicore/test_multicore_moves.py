"""Buckets move between processes, with their state and in order; rows are divided where they are
made."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import anabranch as ab
from anabranch.analysis.fact import Fact
from anabranch.batch.buckets import Route, spread
from anabranch.batch.slices import Batch, Slice
from anabranch.compile import compile_graph
from anabranch.engine.multicore.remote.balance import WINDOW, Balance, Move
from anabranch.engine.multicore.remote.owners import Probe
from anabranch.engine.multicore.remote.partitioned import Owned
from anabranch.engine.multicore.reorder import ByNumber, NonBlockingReorder
from anabranch.engine.multicore.run import Run, run
from anabranch.plan.logical.regions import form
from anabranch.plan.physical.multicore import multicore_plan
from anabranch.plan.physical.stages import Sharing, formed
from anabranch.plan.tuning import Knobs, costs
from anabranch.runtime.processes.pool import Reply
from anabranch.runtime.stage.runners import Here, Judge
from engines.multicore.support import items_of, sequential_outputs
from rewrite.models import declared_facts

WORKERS = 3


class Row(ab.Record):
    key: int
    other: int
    value: int


class Sum(ab.State):
    total: int = 0
    seen: int = 0


@ab.operator(by="key")
def by_key(state: Sum, t: Row):
    state.total += t.value
    state.seen += 1
    yield t.replace(value=state.total)
    if state.seen % 3 == 0:
        yield t.replace(value=-state.seen, other=t.other + 1)


@ab.operator(by="other")
def by_other(state: Sum, t: Row):
    state.total += t.value
    yield t.replace(value=state.total)


@by_other.at_end
def rest(state: Sum):
    yield Row(0, 0, state.total)


def rows(keys: list[int]) -> ab.Stream:
    return ab.from_iterable([Row(key, n % 7, n) for n, key in enumerate(keys)], Row)


def hot_keys() -> list[int]:
    """Keys whose buckets all begin in the first process."""
    buckets = WORKERS * costs().buckets_per_worker
    return [key for key in range(1000) if spread(hash(key), buckets) % WORKERS == 0][:12]


@pytest.mark.parametrize("size", [1, 5, 20])
@pytest.mark.parametrize("processes", ["always", "where it pays"])
def test_moves_at_random_change_nothing(size, processes):
    graph = rows([n * n % 23 for n in range(600)]).apply(by_key).apply(by_other).graph()
    out: list = []
    physical = multicore_plan(compile_graph(graph), Knobs(
        WORKERS, slice_size=size, processes=processes, moves="random", kernels="never",
        slices_under_way=3))
    run = Run(physical, lambda op, item: out.append((op.name, item)))
    run.go(items_of(graph), None)
    assert out == sequential_outputs(graph)
    owned = [s for s in run.crew.network.services if isinstance(s, Owned)]
    assert len(owned) == 2
    # Light work stays at home, and nothing moves there.
    assert all(service.moved > 0 for service in owned) or processes != "always"


class Busy(ab.State):
    seen: int = 0


@ab.operator(by="key")
def busy(state: Busy, t: Row):
    for _ in range(3000):
        pass
    state.seen += 1
    yield (t.key, state.seen, os.getpid())


def test_a_hot_process_gives_buckets_away():
    hot = hot_keys()
    graph = rows([hot[n % len(hot)] for n in range(9000)]).apply(busy).graph()
    out: list = []
    facts = declared_facts(graph)
    # The source's items are a list: they come in slices.
    facts |= {op.name: replace(facts[op.name], purity=Fact((), "declared"))
              for op in graph.sources}
    physical = multicore_plan(form(graph, facts), Knobs(
        WORKERS, slice_size=60, processes="always"))
    run = Run(physical, lambda op, item: out.append(item))
    run.go(items_of(graph), None)
    assert [(key, seen) for key, seen, _ in out] == [
        (hot[n % len(hot)], n // len(hot) + 1) for n in range(9000)]
    assert next(s for s in run.crew.network.services if isinstance(s, Owned)).moved > 0
    assert len({pid for _, _, pid in out}) > 1
    at_first, at_last = (Counter(pid for _, _, pid in part) for part in (out[:60], out[-600:]))
    assert len(at_first) == 1
    assert len(at_last) > 1


class Stuck(ab.State):
    count: int = 0
    keeps: object = None


@ab.operator(by="key")
def keeps_a_function(state: Stuck, t: Row):
    state.count += 1
    state.keeps = lambda: t
    yield t.replace(value=state.count)


def test_a_state_that_cannot_travel_stays_where_it_is():
    graph = rows([n % 5 for n in range(200)]).apply(keeps_a_function).graph()
    out: list = []
    physical = multicore_plan(form(graph, declared_facts(graph)), Knobs(
        2, slice_size=5, processes="always", moves="random", slices_under_way=3))
    run = Run(physical, lambda op, item: out.append((op.name, item)))
    run.go(items_of(graph), None)
    assert out == sequential_outputs(graph)
    [owned] = [s for s in run.crew.network.services if isinstance(s, Owned)]
    assert owned.balance.fixed


def test_balance_moves_what_evens_out_best():
    balance = Balance(buckets=6, workers=2)
    balance.note({0: 0.1, 2: 0.4, 4: 0.3, 1: 0.2})
    assert balance.wanted(1.0, True) == [Move(4, 0, 1)]
    balance.move(Move(4, 0, 1))
    assert balance.owners.tolist() == [0, 1, 0, 1, 1, 1]
    balance.note({0: 0.5})
    assert balance.wanted(1.0 + WINDOW / 2, True) == []


def test_balance_lets_be_what_is_even_or_fixed():
    even = Balance(buckets=4, workers=2)
    even.note({0: 0.3, 1: 0.3, 2: 0.1, 3: 0.1})
    assert even.wanted(1.0, True) == []
    single = Balance(buckets=2, workers=2)
    single.note({0: 1.0})
    assert single.wanted(1.0, True) == [], "one bucket alone would only be hot elsewhere"
    fixed = Balance(buckets=4, workers=2)
    fixed.fix(0)
    fixed.fix(2)
    fixed.note({0: 0.5, 2: 0.5})
    assert fixed.wanted(1.0, True) == []


def test_buckets_are_placed_by_what_they_have_to_do():
    """Every process gets as much, whichever buckets its share is made of."""
    balance = Balance(buckets=64, workers=4)
    balance.place(np.array([40 if bucket % 4 == 0 else 1 for bucket in range(64)]))
    loads = np.bincount(balance.owners, [40 if b % 4 == 0 else 1 for b in range(64)])
    assert loads.max() - loads.min() <= 1
    assert np.bincount(balance.owners).tolist() == [16] * 4


def test_several_buckets_move_at_once():
    balance = Balance(buckets=32, workers=4)
    balance.note(dict.fromkeys(range(0, 32, 4), 0.1))
    assert [(move.old, move.new) for move in balance.wanted(1.0, True)] == [
        (0, 1), (0, 2), (0, 3)] * 2


def test_buckets_of_which_a_small_slice_has_no_rows_are_spread_as_well():
    balance = Balance(buckets=128, workers=16)
    balance.place(np.bincount(range(22), minlength=128))
    assert set(np.bincount(balance.owners).tolist()) <= {7, 8, 9}


def test_nothing_moves_while_nobody_is_behind():
    balance = Balance(buckets=4, workers=2)
    balance.note({0: 0.5, 2: 0.5})
    assert balance.wanted(1.0, behind=False) == []
    assert balance.wanted(1.0 + WINDOW, behind=True) == [Move(0, 0, 1)]


def test_rows_in_many_buckets_are_seen_to_be_heavy():
    """Seven microseconds a row are worth moving, however many buckets share the rows."""
    judge = Judge()
    assert [judge.worth_moving(400, 400 * 7e-6, calls=128) for _ in range(2)] == [False, True]
    assert not any(judge.worth_moving(128, 128 * 7e-6, calls=128) for _ in range(20))


class Asked:
    """A pool whose processes answer when the test wants it."""

    def __init__(self, workers: int):
        self.processes, self.calls = [None] * workers, []

    def ask(self, worker, then, kind, *arguments, keep=None):
        self.calls.append((worker, kind, then))


def owned_by_two() -> Owned:
    graph = rows([1]).apply(by_key).graph()
    [stage] = [s for s in formed(compile_graph(graph)) if s.sharing is Sharing.BUCKETS]
    return Owned(stage, lambda slice_: None, lambda *measured: None, Asked(2), Here([]),
                 lambda: None, True, lambda hand_on: ByNumber(NonBlockingReorder(hand_on, 8)),
                 Route(0, stage.keys, 4), Balance(4, 2))


def test_a_process_goes_on_while_it_waits_for_a_bucket():
    owned = owned_by_two()
    keys = [next(k for k in range(100) if spread(hash(k), 4) == bucket) for bucket in range(4)]
    [queue] = owned.stage.inputs

    def put(number: int) -> None:
        items = [Row(key, 0, 0) for key in keys]
        owned.put(Slice(number, None, {queue: Batch(range(4), items)}, 4))
    put(0)
    owned._complete_probe(Probe([Move(0, 0, 1)]), [True])
    put(1)
    for _ in range(3):
        owned.give(1)
    assert [(worker, kind) for worker, kind, _ in owned.pool.calls] == [(1, "share")] * 2
    for _ in range(3):
        owned.give(0)
    assert [kind for worker, kind, _ in owned.pool.calls if worker == 0] == [
        "share", "states", "share"]
    owned.pool.calls[3][2](Reply("done", {0: []}))
    put(2)
    for _ in range(5):
        owned.give(1)
    assert [kind for worker, kind, _ in owned.pool.calls if worker == 1] == [
        "share", "share", "adopt", "share", "share", "share"]
    put(3)
    assert owned.owners.tolist() == [1, 1, 0, 1], "it lives there now"


class Reading(ab.Record):
    at: int
    value: float


def test_keys_that_equal_nothing_move_with_their_state():
    """A NaN equals no other, not even itself once it has travelled."""
    items = [Reading(i, float("nan") if i % 3 else float(i % 4)) for i in range(90)]
    windows = ab.from_iterable(items, Reading).aggregate(
        ab.tumbling(count=4), by="value", first=ab.first("at"), all=ab.collect("at"))
    windows.collect_into([])
    graph = windows.graph()
    found = []
    run(compile_graph(graph), items_of(graph), lambda op, item: found.append(item[1:]),
        workers=3, slice_size=1, processes="always", moves="random")
    assert found == [item[1:] for _, item in sequential_outputs(graph)]
