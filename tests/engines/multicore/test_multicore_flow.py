"""Slices in flight are bounded, slow sources are not held up, and rows travel exactly."""

import itertools
import math
import os
import threading
import time

import pytest

import anabranch as ab
from anabranch.batch.transport import CannotTravel, dumped, loaded, number_classes, packed, unpacked
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.engine.multicore.run import Run
from anabranch.plan.logical.regions import form
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.multicore import multicore_plan
from anabranch.plan.physical.stages import Sharing, formed
from anabranch.plan.tuning import Knobs
from engines.multicore.support import items_of
from random_programs import graph_and_items
from rewrite.models import declared_facts


class Row(ab.Record):
    key: int
    value: object


@pytest.mark.parametrize("workers", [1, 2, 4])
@pytest.mark.parametrize("bound", [1, 3])
def test_a_fast_source_is_held_back(workers, bound):
    read = itertools.count()
    emitted: list = []
    ahead = []

    def endless():
        for n in read:
            ahead.append(n - len(emitted))
            yield n

    def slow(op, item):
        time.sleep(0.0005)
        emitted.append(item)
    graph = ab.from_iterable([], int).map(lambda n: n + 1, to=int).graph()
    physical = multicore_plan(compile_graph(graph), Knobs(
        workers, slice_size=10, slices_under_way=bound))
    run = Run(physical, slow)
    run.go({graph.sources[0].name: endless()}, 400)
    assert emitted == list(range(1, 401))
    assert run.intake.room.most_under_way <= bound
    # One slice more may be read by whoever waits for room, and one tuple to begin it.
    assert max(ahead) <= 10 * bound + 1


@pytest.mark.parametrize("workers", [1, 2])
def test_a_slow_source_does_not_wait_for_a_full_slice(workers):
    seen: list = []
    came = threading.Condition()

    def emit(op, item):
        with came:
            seen.append(item)
            came.notify()

    def slow_source():
        for n in range(5):
            yield n
            with came:
                # The next tuple comes only when this one has been emitted.
                assert came.wait_for(lambda n=n: len(seen) > n, 10), "it waits for more"
    graph = ab.from_iterable([], int).map(lambda n: n * 2, to=int).graph()
    multicore.run(compile_graph(graph), {graph.sources[0].name: slow_source()}, emit,
                  workers=workers, slice_size=1000, slice_ms=1.0)
    assert seen == [0, 2, 4, 6, 8]


def test_two_runs_at_the_same_time():
    graph = ab.from_iterable(list(range(300)), int).map(lambda n: n * 2, to=int).graph()
    plan, outs = compile_graph(graph), [[], []]

    def one(out):
        multicore.run(plan, {graph.sources[0].name: range(300)},
                      lambda op, item: out.append(item), workers=2, slice_size=10,
                      processes="always")
    threads = [threading.Thread(target=one, args=(out,)) for out in outs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert outs == [[n * 2 for n in range(300)]] * 2


def test_regions_become_stages():
    def sharings(*steps):
        plan = unfused(compile_graph(graph_and_items(list(steps), [])[0]))
        return [stage.sharing for stage in formed(plan)]
    assert sharings("odd", "add_one") == [Sharing.ANY, Sharing.TOGETHER]
    assert sharings("running_by_k") == [Sharing.BUCKETS, Sharing.TOGETHER]
    assert sharings("running_overall") == [Sharing.ONE, Sharing.TOGETHER]
    assert Sharing.BUCKETS in sharings("round_again", "running_by_k")
    assert sharings("diamond", "running_by_k")[-2:] == [Sharing.BUCKETS, Sharing.TOGETHER]


@pytest.mark.parametrize("items", [
    [], [1, "a", None], [Row(1, 2 ** 80), Row(-1, None)], [Row(1, 0.1), 7], [Row(0, math.inf)],
    [Row(1, Row(2, "nested"))], [Row(1, "\ud800")], [(1, 2)], [[], {}]])
def test_items_travel_exactly(items):
    back = unpacked(loaded(b"".join(dumped(packed(items)))))
    assert back == items
    assert list(map(type, back)) == list(map(type, items))


def test_a_local_record_travels_by_its_number():
    class Local(ab.Record):
        n: int
    number_classes()
    [back] = unpacked(loaded(b"".join(dumped(packed([Local(3)])))))
    assert type(back) is Local
    mixed = unpacked(loaded(b"".join(dumped(packed([Local(3), 1])))))
    assert mixed == [Local(3), 1]


def test_what_cannot_travel_says_so():
    with pytest.raises(CannotTravel):
        dumped(packed([lambda: 1]))


class Count(ab.State):
    seen: int = 0


@ab.operator(by="key")
def counted(state: Count, t: Row):
    state.seen += 1
    for _ in range(2000):
        pass
    yield (t.key, state.seen, os.getpid())


@counted.at_end
def total(state: Count):
    yield (-1, state.seen, os.getpid())


def test_a_heavy_bucket_moves_to_its_process_with_its_state():
    graph = ab.from_iterable([Row(n % 7, n) for n in range(3000)], Row).apply(counted).graph()
    out: list = []
    multicore.run(form(graph, declared_facts(graph)), items_of(graph),
                  lambda op, item: out.append(item), workers=2)
    assert [(key, seen) for key, seen, _ in out[:3000]] == [
        (n % 7, n // 7 + 1) for n in range(3000)]
    assert [(key, seen) for key, seen, _ in out[3000:]] == [
        (-1, len(range(key, 3000, 7))) for key in range(7)]
    assert out[0][2] == os.getpid()
    assert len({pid for _, _, pid in out}) == 3


def test_light_work_stays_here():
    graph = ab.from_iterable([Row(n % 7, n) for n in range(3000)], Row).map(
        lambda t: os.getpid()).graph()
    out: list = []
    multicore.run(form(graph, declared_facts(graph)), items_of(graph),
                  lambda op, item: out.append(item), workers=2)
    assert set(out) == {os.getpid()}


def test_what_a_run_reports():
    graph = ab.from_iterable(list(range(100)), int).filter(lambda n: n % 4 == 0).graph()
    reports: list = []
    multicore.run(compile_graph(graph), items_of(graph), lambda op, item: None, workers=2,
                  report=reports.extend)
    kept, emitted = reports
    assert (kept.sharing, kept.rows_in, kept.rows_out) == ("stateless", 100, 25)
    assert (emitted.rows_in, emitted.waiting, emitted.workers) == (25, 0, 0)
    assert kept.seconds > 0
    assert emitted.as_json()["operators"] == (graph.sinks[0].name,)


@pytest.mark.parametrize("processes", ["always", "never"])
def test_what_each_operator_did(processes):
    source = ab.from_iterable([Row(n % 5, n) for n in range(100)], Row)
    graph = source.filter(lambda t: t.value % 4 == 0).flat_map(lambda t: [t, t], to=Row).apply(
        counted).graph()
    reports: list = []
    multicore.run(form(graph, declared_facts(graph)), items_of(graph), lambda op, item: None,
                  workers=2, slice_size=8, processes=processes, report=reports.extend)
    each = [operator for stage in reports for operator in stage.each]
    assert [(o.rows_in, o.rows_out) for o in each] == [(100, 25), (25, 50), (50, 55), (55, 0)]
    assert [o.selectivity for o in each[:2]] == [0.25, 2.0]
    heavy = each[2]
    assert heavy.seconds > 0 and heavy.cost == heavy.seconds / 50
    assert heavy.most_workers >= 1 and heavy.longest_queue >= 1
    assert heavy.as_json()["selectivity"] == 1.1


def test_what_operators_did_on_a_loop():
    graph = ab.from_iterable(list(range(10)), int).loop(
        lambda s: (s, s.filter(lambda n: n > 5).map(lambda n: n - 5))).graph()
    reports: list = []
    multicore.run(compile_graph(graph), items_of(graph), lambda op, item: None, workers=2,
                  report=reports.extend)
    each = {o.name: o for stage in reports for o in stage.each}
    assert (each["filter"].rows_in, each["filter"].rows_out) == (14, 4)
    assert each["map"].rows_in == 4


TOLD: list = []


@ab.operator
def told(state: Count, t: Row):
    TOLD.append(t.value)
    state.seen += 1
    yield from ()


@told.at_end
def all_told(state: Count):
    yield state.seen


def test_what_operators_give_at_the_end_counts_also_where_they_run_together():
    """Both change a list outside, so they see each other's changes in turn."""
    source = ab.from_iterable([Row(n % 5, n) for n in range(10)], Row)
    graph = source.map(lambda t: TOLD.append(t.value) or t, to=Row).apply(told).graph()
    reports: list = []
    multicore.run(compile_graph(graph), items_of(graph), lambda op, item: None, workers=2,
                  report=reports.extend)
    [each] = [o for stage in reports for o in stage.each if o.name == "told"]
    assert (each.rows_in, each.rows_out) == (10, 1)


def test_heavy_work_whose_items_cannot_travel_stays_here():
    @ab.operator(by="key")
    def heavy(state: Count, t: Row):
        for _ in range(2000):
            state.seen += 1
        yield lambda: t.value
    graph = ab.from_iterable([Row(n % 3, n) for n in range(400)], Row).apply(heavy).graph()
    out: list = []
    multicore.run(form(graph, declared_facts(graph)), items_of(graph),
                  lambda op, item: out.append(item()), workers=2)
    assert out == list(range(400))
