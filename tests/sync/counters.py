"""A map from keys to counters, as in the paper: increments `i` and read-resets `r` of each key."""

from __future__ import annotations

import anabranch as ab
from anabranch.plan.sync.program import Program


class Event(ab.Record):
    ts: int
    kind: str
    key: int = 0


class Counters(ab.State):
    counts: dict = {}


class Read(ab.Record):
    ts: int
    key: int
    count: int


def depends(a, b):
    return a[1] == b[1] and "r" in (a[0], b[0])


def make(fails: bool = True, **settings):
    @ab.synchronized(tag=lambda e: (e.kind, e.key), depends=depends, **settings)
    def counters(state: Counters, e: Event):
        if fails and e.kind == "x":
            raise ValueError("a bad event")
        if e.kind == "r":
            yield Read(e.ts, e.key, state.counts.pop(e.key, 0))
        else:
            state.counts[e.key] = state.counts.get(e.key, 0) + 1

    @counters.fork
    def by_reader(state, left, right):
        kept = {k: n for k, n in state.counts.items() if not right(("r", k))}
        return Counters(kept), Counters({k: n for k, n in state.counts.items() if k not in kept})

    @counters.join
    def added(one, other):
        keys = {**one.counts, **other.counts}
        return Counters({k: one.counts.get(k, 0) + other.counts.get(k, 0) for k in keys})
    return counters


def program(**settings) -> Program:
    return Program(make(**settings).kind())


def expected(events: list[Event]) -> list[Read]:
    """What the update function gives, one event after another."""
    return _run(events)[0]


def state_after(events: list[Event]) -> Counters:
    return _run(events)[1]


def _run(events: list[Event]) -> tuple[list[Read], Counters]:
    running = program()
    state = running.start()
    return [out for event in events for out in running.update(state, event)], state
