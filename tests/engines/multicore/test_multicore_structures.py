"""Reorder buffers and worklists under threads that race, and the scheduler without any."""

import random
import sys
import threading
import time
from collections import deque
from types import SimpleNamespace

import pytest

from anabranch.engine.multicore.reorder import REORDERINGS, InTurn
from anabranch.engine.multicore.scheduler import WINDOW, Scheduler, Shape
from anabranch.engine.multicore.worklists import (
    HybridQueue,
    PartitionedQueue,
    PinnedQueue,
    SharedQueue,
)


@pytest.fixture(autouse=True)
def _switch_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(count: int, work) -> None:
    threads = [threading.Thread(target=work, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive(), "a worker hangs"


@pytest.mark.parametrize("name", REORDERINGS)
@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_outputs_leave_in_order(name, size):
    out, total, numbers = [], 2000, deque(range(2000))
    buffer = REORDERINGS[name](out.append, size)

    def worker(seed):
        choice = random.Random(seed)
        while True:
            try:
                number = numbers.popleft()
            except IndexError:
                return
            if choice.random() < 0.05:
                time.sleep(0)
            while not buffer.send(number, number):
                time.sleep(0)
    in_threads(4, worker)
    assert out == list(range(total))


@pytest.mark.parametrize("waiting", [True, False])
def test_what_is_given_out_in_turn_leaves_in_turn(waiting):
    out, total = [], 2000
    merge, slices = InTurn(out.append, waiting), deque([n] for n in range(total))
    giving_out = threading.Lock()

    def worker(seed):
        choice = random.Random(seed)
        while True:
            with giving_out:
                if not slices:
                    return
                given = slices.popleft()
                merge.enter(given)
            if choice.random() < 0.05:
                time.sleep(0)
            merge.leave(given)
    in_threads(4, worker)
    assert out == [[n] for n in range(total)]
    assert merge.held == 0


def test_nobody_waits_for_the_one_who_hands_on():
    """While one worker is stuck downstream, others leave their outputs and return."""
    release, entered, out = threading.Event(), threading.Event(), []

    def downstream(output):
        entered.set()
        release.wait(10)
        out.append(output)
    buffer = REORDERINGS["non-blocking"](downstream, 8)
    first = threading.Thread(target=buffer.send, args=(0, "a"), daemon=True)
    first.start()
    assert entered.wait(10)
    assert buffer.send(1, "b")
    assert out == []
    release.set()
    first.join(10)
    assert out == ["a", "b"]


def test_a_failing_downstream_releases_the_flag():
    def downstream(output):
        raise OSError(output)
    buffer = REORDERINGS["non-blocking"](downstream, 4)
    with pytest.raises(OSError, match="first"):
        buffer.send(0, "first")
    assert not buffer.flag.locked()
    merge = InTurn(downstream)
    merge.enter("first")
    with pytest.raises(OSError, match="first"):
        merge.leave("first")
    assert not merge.flag.locked()


@pytest.mark.parametrize("kind", [HybridQueue, PartitionedQueue])
def test_each_bucket_is_served_in_order_by_one_worker_at_a_time(kind):
    buckets, each = 5, 400
    queue, done = kind(buckets), [[] for _ in range(buckets)]
    busy = [threading.Lock() for _ in range(buckets)]
    produced = threading.Event()

    def operate(work):
        bucket, number = work
        assert busy[bucket].acquire(blocking=False), "two workers in one bucket"
        done[bucket].append(number)
        busy[bucket].release()

    def produce():
        choice, numbers = random.Random(3), [0] * buckets
        for _ in range(buckets * each):
            # A normal distribution of keys: some buckets are hot.
            bucket = min(buckets - 1, max(0, int(choice.gauss(2, 1))))
            queue.add(bucket, (bucket, numbers[bucket]))
            numbers[bucket] += 1
        produced.set()

    def worker(n):
        if n == 0:
            return produce()
        while not produced.is_set() or queue.available(n):
            queue.serve(n, operate, lambda: False)
        return None
    in_threads(4, worker)
    queue.serve(0, operate, lambda: False)
    assert sum(map(len, done)) == buckets * each
    assert all(numbers == list(range(len(numbers))) for numbers in done)


def test_a_busy_bucket_is_delegated():
    queue, started, go_on, served = HybridQueue(2), threading.Event(), threading.Event(), []

    def operate(work):
        served.append((threading.current_thread().name, work))
        if work == "slow":
            started.set()
            go_on.wait(10)
    queue.add(0, "slow")
    active = threading.Thread(target=queue.serve, args=(0, operate, lambda: False), name="active",
                              daemon=True)
    active.start()
    assert started.wait(10)
    queue.add(0, "delegated")
    queue.add(1, "other")
    queue.serve(1, operate, lambda: False)
    go_on.set()
    active.join(10)
    me = threading.current_thread().name
    assert sorted(served) == sorted([("active", "slow"), ("active", "delegated"), (me, "other")])
    assert queue.available(1) == 0


def test_enough_ends_the_service():
    for queue in (SharedQueue(), HybridQueue(1), PartitionedQueue(1)):
        served = []
        for work in range(5):
            queue.add(0, work)
        queue.serve(0, served.append, lambda served=served: len(served) >= 2)
        assert served == [0, 1]
        assert queue.available(0) == 3


def test_pinned_work_is_its_workers_alone():
    queue = PinnedQueue(2)
    queue.add(1, "work")
    assert (queue.available(0), queue.available(1)) == (0, 1)
    assert (queue.take(0), queue.take(1), queue.take(1)) == (None, "work", None)


def test_work_that_is_not_ready_holds_up_what_stands_behind_it():
    queue, first = PinnedQueue(1), SimpleNamespace(ready=False)
    queue.add(0, first)
    queue.add(0, "behind")
    assert (queue.available(0), queue.take(0)) == (0, None)
    first.ready = True
    assert (queue.available(0), queue.take(0), queue.take(0)) == (2, first, "behind")


PIPELINE = [Shape("parse", None, (1,)), Shape("count", 2, (2,)), Shape("write", 1, ())]


def scheduler(heuristic: str, costs=(1.0, 1.0, 1.0), rows=(10, 10, 10)) -> Scheduler:
    made = Scheduler(PIPELINE, heuristic)
    made.read(rows[0])
    for stage, (cost, count) in enumerate(zip(costs, rows)):
        out = rows[stage + 1] if stage + 1 < len(rows) else count
        made.served(stage, count, out, cost * count)
    return made


def test_only_stages_with_work_and_room_are_chosen():
    made = scheduler("LP")
    assert made.choose([0, 0, 0], 0.0) is None
    assert [made.choose([1, 9, 9], 0.0) for _ in range(5)] == [2, 1, 1, 0, 0]
    made.done(1)
    assert made.choose([1, 9, 9], 0.0) == 1


def test_lp_takes_the_latest():
    assert scheduler("LP").choose([5, 5, 0], 0.0) == 1


def test_et_takes_the_one_that_needs_longest():
    assert scheduler("ET", costs=(1.0, 5.0, 1.0)).choose([4, 1, 1], 0.0) == 1
    assert scheduler("ET", costs=(1.0, 5.0, 1.0)).choose([9, 1, 1], 0.0) == 0
    made = scheduler("ET", costs=(1.0, 1.5, 1.0))
    assert [made.choose([4, 4, 0], 0.0) for _ in range(3)] == [1, 0, 1]


def test_ct_takes_the_lowest_throughput():
    # As much time spent on each so far in this window: the dearest has the fewest tuples.
    made = Scheduler(PIPELINE, "CT")
    made.read(1000)
    for stage, rows in enumerate((1000, 10, 1000)):
        made.served(stage, rows, rows, 1.0)
    made.measured[1].window_busy = 0.5
    assert made.choose([1, 1, 1], 0.0) == 1


def test_ct_counts_in_source_tuples():
    """A stage behind a filter needs fewer rows for the same throughput."""
    made = Scheduler(PIPELINE, "CT")
    made.read(1000)
    made.served(0, 1000, 10, 1.0)
    made.served(1, 10, 10, 0.01)
    for stage, seconds in enumerate((0.02, 0.001)):
        made.measured[stage].window_busy = seconds
    assert made.choose([1, 1, 0], 0.0) == 0


def test_ct_forgets_the_last_window():
    made = scheduler("CT")
    made.measured[0].window_busy = 100.0
    assert made.choose([1, 1, 0], 0.0) == 1
    assert made.choose([1, 1, 0], 2 * WINDOW) == 0


def test_qst_takes_the_earliest_with_room_behind_it():
    made = scheduler("QST")
    assert made.choose([5, 5, 5], 0.0) == 0
    assert made.choose([5, 500, 5], 0.0) == 1
    assert made.choose([5, 500, 500], 0.0) == 2
    assert made.choose([5, 500, 0], 0.0) == 1


def test_every_heuristic_serves_everything_in_the_end():
    for name in ("CT", "LP", "ET", "QST"):
        made, waiting = Scheduler(PIPELINE, name), [20, 0, 0]
        made.read(20)
        for step in range(200):
            stage = made.choose(list(waiting), step * 0.01)
            if stage is None:
                break
            waiting[stage] -= 1
            if stage < 2:
                waiting[stage + 1] += 1
            made.served(stage, 1, 1, 0.01)
            made.done(stage)
        assert waiting == [0, 0, 0]
