"""Gangs of Spark's tasks without Spark: each task a thread, with real connections between them."""

from __future__ import annotations

import socket
import threading
from collections import defaultdict
from itertools import groupby
from operator import itemgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.engine.spark.gang.connections import GangMessages, Gone, connections
from anabranch.engine.spark.gang.exchange import Dealer, Gang, leaves
from anabranch.engine.spark.gang.member import GangTask
from anabranch.engine.spark.job.driver import program_of
from anabranch.engine.spark.job.pieces import LAST, SlicePiece, whole
from anabranch.engine.spark.job.sources import cut
from anabranch.engine.spark.job.tasks import JobLayout, TaskProgram
from anabranch.plan.physical.spark.plan import spark_plan
from anabranch.plan.physical.spark.segments import Exchange
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.sync.plan import Tree
from anabranch.plan.sync.planning import plan_for
from anabranch.plan.sync.program import Program as Functions
from anabranch.runtime.gang.routing import by_calling
from sync import counters
from sync.counters import Event
from sync.test_sync_multicore import in_sequence, outputs, plan_of, values, window_sum

TOKEN = b"what we know"


def program_for(stream, tree: Tree, tasks: int) -> TaskProgram:
    physical = spark_plan(plan_of(stream))
    stage = next(s.stages[0] for s in physical.segments if s.route is Exchange.PLAN)
    gang = Gang(tree, tasks, by_calling(stage.operators[0].kind.tag.call), TOKEN)
    return program_of(physical, JobLayout(1, ((0, 0),)))._replace(gangs={stage.index: gang})


READS = [Event(n, "r" if n % 10 == 9 else "i") for n in range(40)]


def planned(operator, events: list, workers: int) -> Tree:
    functions = Functions(operator.kind())
    seen: dict = defaultdict(int)
    for event in events:
        seen[functions.tag(event)] += 1
    return plan_for(functions, seen, workers).tree


def dealt(program: TaskProgram, events: list, size: int) -> list[list]:
    """The elements of each task, as the shuffle leaves them."""
    segment = next(s for s in program.segments if s.route is Exchange.PLAN)
    gang, source = program.gangs[segment.stages[0].index], program.graph.sources[0]
    pieces = [*cut(((source, event) for event in events), 0, SparkKnobs(slice_size=size)),
              *(SlicePiece((LAST, n), {}, op.name)
                for n, op in enumerate(segment.stages[0].operators))]
    dealer = Dealer(segment, gang)
    elements = sorted((e for piece in pieces for e in dealer.elements(piece)), key=itemgetter(0))
    return [[e for e in elements if e[0][0] == task] for task in range(gang.tasks)]


def in_threads(count: int, live) -> list:
    """What each of so many threads gives or raises; they can exchange texts once."""
    meeting, texts, results = threading.Barrier(count), [""] * count, [None] * count

    def begin(task: int) -> None:
        def gather(text: str) -> list[str]:
            texts[task] = text
            meeting.wait(30)
            return texts
        try:
            results[task] = live(task, gather)
        except Exception as error:
            results[task] = error
    threads = [threading.Thread(target=begin, args=(task,), daemon=True) for task in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads), "a task hangs"
    return results


def ran(program: TaskProgram, events: list, size: int) -> tuple[list, BaseException | None]:
    """The outputs up to the first failure, and the failure."""
    stage = next(s.stages[0] for s in program.segments if s.route is Exchange.PLAN)
    given_out = dealt(program, events, size)

    def live(task: int, gather) -> list[SlicePiece]:
        post = GangMessages(connections(task, "127.0.0.1", TOKEN, gather))
        try:
            groups = groupby(given_out[task], key=itemgetter(0))
            return list(GangTask(program, stage, task, post).run(groups))
        finally:
            post.close()
    results = in_threads(len(given_out), live)
    for error in (r for r in results if isinstance(r, Exception)):
        raise error
    pieces = sorted((p for r in results for p in r), key=lambda piece: piece.number)
    return emitted(stage, [whole(list(g)) for _, g in groupby(pieces, key=lambda p: p.number)])


def emitted(stage, slices: list[SlicePiece]) -> tuple[list, BaseException | None]:
    out: list = []
    for piece in slices:
        flow = piece.flows.get(stage.outputs[0])
        cut_at = piece.failure.when[0] if piece.failure else float("inf")
        if flow is not None:
            out += [item for row, item in zip(flow.rows, flow.items)
                    if (row if isinstance(row, int) else row[0]) < cut_at]
        if piece.failure:
            return out, piece.failure.error
    return out, None


def same(stream, tree: Tree, tasks: int, events: list, size: int) -> None:
    out, error = ran(program_for(stream, tree, tasks), events, size)
    expected, message, _ = outputs(in_sequence, plan_of(stream), events)
    assert (out, str(error) if error else None) == (expected, message)


@given(st.lists(st.tuples(st.sampled_from("iiiirx"), st.integers(0, 3)), max_size=60),
       st.integers(1, 9), st.integers(2, 4), st.sampled_from(["cost", "greedy"]))
@settings(max_examples=25, deadline=None)
def test_any_events_and_plans_give_the_sequential_outputs_and_error(drawn, size, workers, chosen):
    events = [Event(n, kind, key) for n, (kind, key) in enumerate(drawn)]
    operator = counters.make(optimizer=chosen)
    tree = planned(operator, events, workers)
    same(ab.from_iterable(events, Event).apply(operator), tree, min(workers, leaves(tree)),
         events, size)


@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
@pytest.mark.parametrize("bad", [None, 77, 349])
def test_sums_failures_and_the_rest_at_the_end(tasks, bad):
    events = values(400, bad)
    tree = planned(window_sum(optimizer="greedy"), events, 4)
    assert leaves(tree) == 4
    same(ab.from_iterable(events, type(events[0])).apply(window_sum()), tree, tasks, events, 30)


@pytest.mark.parametrize("tasks", [2, 3])
def test_the_outputs_of_all_tasks_are_put_in_order(tasks):
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "r" in (a, b), pure=True,
                     optimizer="greedy")
    def told(state: counters.Counters, e: Event):
        yield e.ts
    told.fork(lambda state, left, right: (state, counters.Counters()))
    told.join(lambda one, other: one)
    tree = planned(told, READS, tasks)
    same(ab.from_iterable(READS, Event).apply(told, to=int), tree, tasks, READS, 8)


def test_a_state_that_cannot_travel_is_a_clear_error():
    class Locked(ab.State):
        lock: object = None

    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "r" in (a, b), pure=True,
                     optimizer="greedy")
    def locked(state: Locked, e: Event):
        state.lock = threading.Lock()
        yield e.ts
    locked.fork(lambda state, left, right: (Locked(), Locked()))
    locked.join(lambda one, other: Locked())
    stream = ab.from_iterable(READS, Event).apply(locked, to=int)
    out, error = ran(program_for(stream, planned(locked, READS, 2), 2), READS, 8)
    assert not out and "a state cannot travel between the tasks of a gang" in str(error)


@pytest.mark.parametrize("part, failing", [
    ("fork", lambda state, left, right: 1 // 0), ("join", lambda one, other: 1 // 0)])
def test_a_fork_or_a_join_that_fails_is_the_failure(part, failing):
    operator = counters.make()
    getattr(operator, f"{part}s").clear()
    getattr(operator, part)(failing)
    stream = ab.from_iterable(READS, Event).apply(operator)
    tree = planned(counters.make(optimizer="greedy"), READS, 2)
    _, error = ran(program_for(stream, tree, 2), READS, 8)
    assert "raised ZeroDivisionError" in str(error)


def test_a_task_that_vanishes_is_noticed():
    def live(task: int, gather):
        post = GangMessages(connections(task, "127.0.0.1", TOKEN, gather))
        if task == 1:
            post.close()
        try:
            return post.next(wait=True)
        finally:
            post.close()
    results = in_threads(2, live)
    assert isinstance(results[0], Gone) and "task 1 of the gang has gone" in str(results[0])


def test_who_does_not_know_the_token_is_not_let_in(monkeypatch):
    monkeypatch.setattr("anabranch.engine.spark.gang.connections.MEETING", 1.0)

    def live(task: int, gather):
        return connections(task, "127.0.0.1", TOKEN if task == 0 else b"guessed", gather)
    one, other = in_threads(2, live)
    assert "do not reach each other" in str(one)
    assert "does not reach another" in str(other)


def test_strangers_do_not_keep_the_gang_from_meeting():
    def live(task: int, gather):
        def with_strangers(text: str):
            addresses = gather(text)
            if task == 1:
                host, port = addresses[0].split()
                with socket.create_connection((host, int(port))) as stranger:
                    stranger.sendall(b"GET / HTTP/1.1" + b"\n" * 99)
            return addresses
        post = GangMessages(connections(task, "127.0.0.1", TOKEN, with_strangers))
        post.close()
        return set(post.connections)
    assert in_threads(2, live) == [{1}, {0}]


def test_classes_travel_once():
    class Sum(ab.State):
        total: int = 0

    def live(task: int, gather):
        post = GangMessages(connections(task, "127.0.0.1", TOKEN, gather))
        for total in range(3):
            post.send(1 - task, Sum(total))
        return post, [post.next(wait=True) for _ in range(3)]
    results = in_threads(2, live)
    assert [came for _, came in results] == [[Sum(0), Sum(1), Sum(2)]] * 2
    assert all(len(post.told[1 - task]) == 1 for task, (post, _) in enumerate(results))
    for post, _ in results:
        post.close()
