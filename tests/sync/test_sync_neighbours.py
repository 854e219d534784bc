"""Workers of a plan that share a process: what they tell each other stays there."""

from __future__ import annotations

import threading

import anabranch as ab
from anabranch.engine import multicore
from anabranch.engine.multicore.gangs.processes import Processes
from sync.running import in_sequence, outputs, plan_of


class Event(ab.Record):
    kind: str
    amount: int


class Seen(ab.State):
    amounts: list[int] = []


def program(events):
    """Both sides of a fork have the same list, which a worker of either may change."""
    @ab.synchronized(tag=lambda e: e.kind, depends=lambda a, b: "told" in (a, b))
    def largest(state: Seen, e: Event):
        if e.kind == "told":
            yield e.replace(amount=sum(state.amounts))
            state.amounts.append(e.amount)
        elif e.amount % 50 == 0:
            yield e.replace(amount=e.amount + sum(state.amounts))

    largest.fork(lambda state, left, right: (Seen(state.amounts), Seen(state.amounts)))
    largest.join(lambda one, other: one)
    return plan_of(ab.from_iterable(events, Event).apply(largest))


def test_what_workers_tell_each_other_does_not_pass_through_the_engine(monkeypatch):
    handed, own = [], threading.local()
    send, post = Processes._send, Processes.post

    def noted(processes, process, data):
        *_, name = threading.current_thread().name.rpartition("anabranch plan ")
        if name.isdigit() and not getattr(own, "posts", False):
            handed.append((int(name), process))
        send(processes, process, data)

    def posted(processes, messages):
        # Who hears that a slice is done may deal out the next.
        own.posts = True
        post(processes, messages)
        own.posts = False
    monkeypatch.setattr(Processes, "_send", noted)
    monkeypatch.setattr(Processes, "post", posted)
    events = [Event("told" if n % 40 == 39 else "value", n) for n in range(800)]
    plan = program(events)
    found = outputs(lambda *given: multicore.run(*given, workers=5, kernels="never", slice_size=60,
                                                 processes="always"), plan, events)
    assert found == outputs(in_sequence, plan, events)
    assert not handed
