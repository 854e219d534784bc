"""The last state of a plan may overtake what its workers say: each process has a way of its own.
What they look at is held until all have said that they are done with it."""

from __future__ import annotations

import weakref
from collections import deque

import pytest

import anabranch as ab
from anabranch.batch.slices import Rows, Slice
from anabranch.engine.multicore.gangs.mail import Posted
from anabranch.plan.sync.optimizers import Costs
from anabranch.runtime.gang.messages import Done
from anabranch.runtime.gang.plans import Planning, Worth
from anabranch.runtime.gang.tagging import tagging
from anabranch.runtime.gang.worker import ENGINE, workers_of
from sync.one_thread import RowUpdates
from sync.running import plan_of


class Event(ab.Record):
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


@ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "read" in (a, b),
                 tags={"add": 100, "read": 1})
def summed(state: Sum, e: Event):
    state.total += e.value
    if e.kind == "read" or e.value > 7:
        yield e.value, state.total if e.kind == "read" else 0


summed.fork(lambda state, left, right: (state, Sum()))
summed.join(lambda one, other: Sum(one.total + other.total))


@summed.at_end
def rest(state: Sum):
    yield "end", state.total


class Apart:
    """Workers in one thread. What they say of their events is heard when they have nothing more to
    do, after the last state; first that of the worker whose turn it is."""

    pools = ()

    def __init__(self, program, tree, hear, first):
        updates = [RowUpdates(program) for _ in tree.nodes()]
        self.workers, self.hear, self.first = workers_of(program, tree, updates), hear, first
        self.held: list[Done] = []

    def post(self, messages):
        waiting = deque(messages)
        while waiting:
            to, message = waiting.popleft()
            sent = self.workers[to].receive(message)
            self.held += [told for whom, told in sent if isinstance(told, Done)]
            for _, told in (pair for pair in sent if pair[0] == ENGINE
                            and not isinstance(pair[1], Done)):
                self.hear(told)
            waiting.extend(pair for pair in sent if pair[0] != ENGINE)

    def speak(self):
        for done in sorted(self.held, key=lambda done: (done.worker - self.first) % 7):
            self.hear(done)


EVENTS = [Event("read" if n % 9 == 8 else "add", n % 11) for n in range(60)]


def posted(begin, leave) -> Posted:
    graph = plan_of(ab.from_iterable(EVENTS, Event).apply(summed)).graph
    op = next(op for op in graph if not (op.is_source or op.is_sink))
    planning = Planning(op, 1, 3, tagging(graph, op, False), True, Worth(0.0, 0.0),
                        Costs())
    planning.look_at(EVENTS)
    return Posted(begin, planning, Sum(), leave, fail=pytest.fail)


def take(gang: Posted, number: int) -> None:
    own = EVENTS[number * 10:number * 10 + 10]
    gang.take(Slice(number, None, {}, 10), Rows(range(10), None, own), False)


@pytest.mark.parametrize("first", range(5))
def test_the_final_slice_leaves_last(first):
    left: list = []
    gang = posted(lambda *given: Apart(*given, first),
                  lambda slice_, rows, outcome: left.append((slice_.number, outcome)))
    for number in range(6):
        take(gang, number)
    gang.take(Slice(6, "end", {}, 0), Rows(range(0), None, []), True)
    gang.gang.speak()
    assert [number for number, _ in left] == list(range(7))
    assert [item for _, outcome in left for flow in outcome.outputs for item in flow.items] == \
        ab.from_iterable(EVENTS, Event).apply(summed).collect()


class Lent:
    """What workers look at."""


class Lending(Apart):
    """Workers that look at something until they have said that they are done with it."""

    def post(self, messages) -> Lent:
        super().post(messages)
        lent = Lent()
        self.lent = [*getattr(self, "lent", ()), weakref.ref(lent)]
        return lent


def test_what_is_lent_is_held_until_all_workers_are_done_with_it():
    gang = posted(lambda *given: Lending(*given, 0), lambda slice_, rows, outcome: None)
    for number in range(4):
        take(gang, number)
    _, *lent = gang.gang.lent
    assert all(one() is not None for one in lent)
    gang.gang.speak()
    assert all(one() is None for one in lent)
