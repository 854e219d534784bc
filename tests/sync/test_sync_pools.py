"""Pools: who is free takes the next events of a divided tag; what comes out stays the same."""

from __future__ import annotations

import random
from contextlib import nullcontext

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.items import Columns, as_batch
from anabranch.ir.types import INT
from anabranch.plan.sync.optimizers import Problem, planned
from anabranch.plan.sync.plan import Shard, Tree, leaf
from anabranch.runtime.gang.messages import Down, Floor, Run
from anabranch.runtime.gang.outputs import in_one
from anabranch.runtime.gang.routing import Claims, Router, TagPool, by_calling, pools_of
from anabranch.runtime.gang.travel import Lending
from anabranch.runtime.gang.worker import workers_of
from sync import counters
from sync.counters import Event
from sync.one_thread import RowUpdates, run_locally
from sync.test_sync_keyed import Event as View
from sync.test_sync_keyed import make as views

ONE_POOL = [TagPool(0, (1, 2, 3), frozenset({"v"}))]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=60), st.randoms(use_true_random=False))
def test_every_event_is_taken_once_and_in_order(gaps, chance):
    stamps = [sum(gaps[:n + 1]) for n in range(len(gaps))]
    claims = Claims(ONE_POOL, [0], nullcontext())
    waiting = {worker: Run(stamps, stamps) for worker in ONE_POOL[0].workers}
    taken = []
    while waiting:
        worker = chance.choice(sorted(waiting))
        own, rest = claims.taken(0, waiting.pop(worker), chance.random() < 0.5)
        claims.worked(7, chance.choice([0.0, 1e-6, 5e-4, 1.0]))
        taken += own.stamps
        if len(rest):
            waiting[worker] = rest
    assert taken == stamps


def sizes(events: int, meeting: bool, seconds: float) -> list[int]:
    """How many events are taken each time, if one takes so many seconds."""
    claims, run, found = Claims(ONE_POOL, [0], nullcontext()), Run(range(events), range(events)), []
    claims.worked(1, seconds)
    while len(run):
        own, run = claims.taken(0, run, meeting)
        found.append(len(own))
    return found


def test_less_and_less_is_taken_before_a_meeting():
    heavy = sizes(600, True, 1.0)
    assert heavy[0] == 100 and heavy == sorted(heavy, reverse=True) and heavy[-1] == 1
    light = sizes(600, True, 4e-5)
    assert light[0] == 100 and set(light[9:-1]) == {25}


def test_more_is_taken_where_nobody_waits():
    assert sizes(600, False, 4e-5) == [200, 133, 89, 59, 50, 50, 19]
    assert sizes(3, False, 1.0) == [1, 1, 1]


def test_tags_above_others_and_tags_of_one_worker_are_in_no_pool():
    tree = Tree(frozenset({Shard("root")}), (
        Tree(frozenset({Shard("split", 0)}), (leaf(Shard("v", 0)), leaf(Shard("v", 1)))),
        leaf(Shard("split", 1), Shard("own"), Shard("v", 2))))
    assert [(pool.workers, pool.tags) for pool in pools_of(tree, 8)] == [((2, 3, 4), {"v"})]
    assert pools_of(tree, 0) == ()


def test_a_worker_that_is_late_leaves_its_part_to_the_others():
    program = counters.program()
    tree = planned(Problem(program, {("i", 0): 99.0, ("r", 0): 1.0}, 2), "greedy").tree
    [pool] = pools_of(tree, 8)
    claims = Claims([pool], [0], nullcontext())
    workers = workers_of(program, tree, [RowUpdates(program) for _ in tree.nodes()], claims)
    for worker in pool.workers:
        workers[worker].receive(Down(program.start()))
        workers[worker].receive(Floor(40))
    router = Router(tree, by_calling(program.tag), pools=[pool])
    sent = list(router.routed(0, [Event(n, "i", 0) for n in range(40)], pooled=True))
    said = {worker: [told for to, message in sent if to == worker
                     for _, told in workers[worker].receive(message)] for worker in pool.workers}
    assert [done.until for told in said.values() for done in told] == [40, 40]
    assert [workers[worker].state.counts for worker in pool.workers] == [{0: 40}, {}]


def _twice(taken):
    def wrong(self, pool, run, meeting):
        own, rest = taken(self, pool, run, meeting)
        self.before[pool] = 0
        return own, rest
    return wrong


def _all_of_it(taken):
    return lambda self, pool, run, meeting: (run, run.cut(0, 0))


def _none_of_it(taken):
    return lambda self, pool, run, meeting: (run.cut(0, 0), run.cut(0, 0))


@pytest.mark.parametrize("wrong", [_twice, _all_of_it, _none_of_it])
def test_wrong_claims_are_noticed(wrong, monkeypatch):
    monkeypatch.setattr(Claims, "taken", wrong(Claims.taken))
    program = counters.program()
    tree = planned(Problem(program, {("i", 0): 99.0, ("r", 0): 1.0}, 3), "greedy").tree
    events = [Event(n, "r" if n % 7 == 6 else "i", 0) for n in range(40)]
    found = [run_locally(program, tree, [events], random.Random(seed))[0] for seed in range(20)]
    assert any(outputs != counters.expected(events) for outputs in found)


def table_of(seed: int, failing: int | None = None) -> pa.Table:
    chance = random.Random(seed)
    return pa.table({
        "ts": range(400),
        "kind": ["bad" if n == failing else "update" if chance.random() < 0.03 else "view"
                 for n in range(400)],
        "page": [chance.choice("aaaabbcde") for _ in range(400)]})


def outcome(table: pa.Table, **options) -> tuple[list, str]:
    out: list = []
    try:
        ab.from_arrow(table, View).apply(views()).collect_into(out).run(**options)
    except ab.AnabranchError as error:
        return out, str(error)
    return out, ""


def in_processes(table: pa.Table, workers: int, slice_size: int) -> tuple[list, str]:
    return outcome(table, engine="multicore", workers=workers,
                   tune={"slice_size": slice_size, "processes": "always", "kernels": "never"})


@given(st.integers(0, 9999), st.sampled_from([2, 3, 4]), st.sampled_from([7, 60, 1000]),
       st.none() | st.integers(0, 399))
@settings(max_examples=10, deadline=None)
def test_processes_give_the_sequential_outputs_and_error(seed, workers, slice_size, failing):
    table = table_of(seed, failing)
    assert in_processes(table, workers, slice_size) == outcome(table, engine="sequential")


def test_processes_find_the_events_of_columns_in_memory(monkeypatch):
    lent, lend = [], Lending.lend
    monkeypatch.setattr(Lending, "lend", lambda self, offer, known: lent.append(
        len(offer.run)) or lend(self, offer, known))
    table = table_of(1)
    assert in_processes(table, 2, 100) == outcome(table, engine="sequential")
    # Each event of a hot key is offered to both workers.
    assert sum(lent) > 200


def test_workers_that_give_nothing_leave_the_stamps_of_others_whole_numbers():
    given, none = (Columns(as_batch(items, INT), INT) for items in ([7, 8], []))
    both = in_one([Run([], none), Run([3, 5], given), Run([4], given[:1])])
    assert both.stamps.dtype == "int64" and both.stamps.tolist() == [3, 4, 5]
    assert both.items.rows == [7, 7, 8]
    assert in_one([Run([], none)]) == Run([], [])
