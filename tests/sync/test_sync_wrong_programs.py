"""Programs whose functions do not fit together, each caught with a small counterexample."""

from __future__ import annotations

import pytest

import anabranch as ab
from sync.test_sync_consistency import broken_facts

C1 = "join(update(s1, e), s2) = update(join(s1, s2), e)"
C2 = "join(fork(s)) = s"
C3 = "update(update(s, e), f) = update(update(s, f), e)"


class Event(ab.Record):
    kind: str
    key: int
    value: int


class Tally(ab.State):
    total: int = 0
    most: int = 0
    last: int = 0
    seen: list = []


def on_barriers(a, b):
    return "barrier" in (a, b)


def counted(state: Tally, e: Event):
    """The right program: what the wrong ones differ from."""
    if e.kind == "barrier":
        yield e, state.total, state.most
        state.total, state.most = 0, 0
    else:
        state.total += e.value
        state.most = max(state.most, e.value)


def divided(state, left, right):
    return Tally(state.total, state.most), Tally()


def together(one, other):
    return Tally(one.total + other.total, max(one.most, other.most))


def defined(update=counted, depends=on_barriers, fork=divided, join=together, tag=None, by=None):
    made = ab.synchronized(tag=tag or (lambda e: e.kind), depends=depends, by=by)(update)
    made.fork(fork)
    made.join(join)
    return made


def rare_reset(state: Tally, e: Event):
    if e.kind == "reset":
        state.total = 0
    yield from counted(state, e)


def rare_value(state: Tally, e: Event):
    if e.value == 777:
        state.total = 0
    yield from counted(state, e)


def told_each_time(state: Tally, e: Event):
    yield from counted(state, e)
    if e.kind != "barrier":
        yield e, state.total, 0


def remembered_last(state: Tally, e: Event):
    yield from counted(state, e)
    state.last = e.value


def listed(state: Tally, e: Event):
    if e.kind == "barrier":
        yield e, len(state.seen), 0
    else:
        state.seen = [*state.seen, e.value]


def alternating(state: Tally, e: Event):
    yield from counted(state, e)
    state.last = 1 - state.last


WRONG = {
    "the fork doubles what the join adds": (
        {"fork": lambda s, left, right: (Tally(s.total, s.most), Tally(s.total, s.most))}, C2),
    "the fork halves, and loses what is odd": (
        {"fork": lambda s, left, right: (Tally(s.total // 2, s.most), Tally(s.total // 2))}, C2),
    "the fork forgets one field": (
        {"fork": lambda s, left, right: (Tally(s.total), Tally())}, C2),
    "the fork drops what is there when only one side may have it": (
        {"fork": lambda s, left, right: divided(s, left, right) if left("value") else
            (Tally(), Tally())}, C2),
    "the join drops one side": ({"join": lambda one, other: one}, C1),
    "the join adds up a maximum": (
        {"join": lambda one, other: Tally(one.total + other.total, one.most + other.most)}, C1),
    "the join has a limit that few sums reach": (
        {"join": lambda one, other: Tally(min(one.total + other.total, 110),
                                          max(one.most, other.most))}, C1),
    "the join puts lists together, and events have an order": (
        {"update": listed, "fork": lambda s, left, right: (Tally(seen=s.seen), Tally()),
         "join": lambda one, other: Tally(seen=one.seen + other.seen)}, C1),
    "a rare kind of event depends on the others, and is not said to": (
        {"update": rare_reset}, C3),
    "a rare value of an event depends on the others": ({"update": rare_value}, C3),
    "outputs tell the order of independent events": ({"update": told_each_time}, C3),
    "the last event is remembered": (
        {"update": remembered_last,
         "fork": lambda s, left, right: (Tally(s.total, s.most, s.last), Tally(last=s.last)),
         "join": lambda one, other: Tally(one.total + other.total, max(one.most, other.most),
                                          one.last)}, C3),
    "each side turns a switch of its own": (
        {"update": alternating,
         "fork": lambda s, left, right: (Tally(s.total, s.most, s.last), Tally(last=s.last)),
         "join": lambda one, other: Tally(one.total + other.total, max(one.most, other.most),
                                          one.last)}, C1),
    "nothing depends on anything": ({"depends": lambda a, b: False}, C3),
    "one way only": ({"depends": lambda a, b: a == "barrier"}, "depends(a, b) = depends(b, a)"),
    "barriers of one key are said to concern that key alone": (
        {"tag": lambda e: (e.kind, e.key),
         "depends": lambda a, b: a[1] == b[1] and "barrier" in (a[0], b[0])}, C3),
}
RARE = {700: Event("reset", 0, 5), 901: Event("value", 1, 777)}
EVENTS = [RARE.get(n) or Event("barrier" if n % 50 == 49 else "value", n % 3, 1 + n * 7 % 10)
          for n in range(1000)]


@pytest.mark.parametrize("name", WRONG)
def test_it_is_caught_with_few_events(name):
    parts, equation = WRONG[name]
    found = broken_facts(defined(**parts), EVENTS, Event)
    assert equation in found
    allowed = 25 if "few sums" in name else 4
    assert found[equation].subject.count("Event(") <= allowed


@pytest.mark.parametrize("name", [n for n in WRONG if WRONG[n][1] in (C1, C2)])
def test_so_it_is_for_a_state_of_each_key(name):
    parts, equation = WRONG[name]
    assert equation in broken_facts(defined(**parts, by="key"), EVENTS, Event)


def test_the_right_program_passes():
    events = [e for e in EVENTS if e.kind != "reset"]
    assert broken_facts(defined(), events, Event) == {}
    assert broken_facts(defined(by="key"), events, Event) == {}
