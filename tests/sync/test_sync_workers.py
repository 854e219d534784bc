"""Workers of a plan give the sequential outputs, in whatever order their messages arrive."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.plan.sync.optimizers import OPTIMIZERS, Problem, planned
from anabranch.runtime.gang import worker
from anabranch.runtime.gang import worker as mailbox
from anabranch.runtime.gang.messages import Run
from sync import counters
from sync.counters import Event
from sync.one_thread import run_locally

EVENTS = st.lists(st.tuples(st.sampled_from("iiiiir"), st.integers(0, 2)), max_size=40)


def run_plan(events, workers, optimizer, cuts, seed):
    """Key 2 is not known to the plan: its events go to the root."""
    program = counters.program()
    rates = {("i", 0): 50.0, ("i", 1): 50.0, ("r", 0): 1.0, ("r", 1): 1.0}
    tree = planned(Problem(program, rates, workers), optimizer).tree
    edges = [0, *sorted(min(c, len(events)) for c in cuts), len(events)]
    slices = [events[a:b] for a, b in itertools.pairwise(edges)]
    outputs, state = run_locally(program, tree, slices, random.Random(seed))
    return [*outputs, state]


def as_events(drawn) -> list[Event]:
    return [Event(n, kind, key) for n, (kind, key) in enumerate(drawn)]


def expected(events) -> list:
    """All outputs, and the state behind the last event."""
    return [*counters.expected(events), counters.state_after(events)]


@given(EVENTS, st.integers(1, 5), st.sampled_from(list(OPTIMIZERS)),
       st.lists(st.integers(0, 40), max_size=4), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_any_plan_and_any_delivery_give_the_sequential_sequence(drawn, workers, optimizer, cuts,
                                                                seed):
    events = as_events(drawn)
    assert run_plan(events, workers, optimizer, cuts, seed) == expected(events)


@given(EVENTS, st.integers(0, 30), st.integers(2, 4), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_the_first_failing_event_is_the_error(drawn, place, workers, seed):
    events = as_events(drawn)
    place = min(place, len(events))
    events[place:place] = [Event(-1, "x", 0)]
    with pytest.raises(ValueError, match="a bad event"):
        run_plan(events, workers, "cost", [10, 20], seed)


def caught(monkeypatch_target, name, wrong) -> bool:
    """Whether some run with a wrong part gives another sequence, fails, or loses outputs."""
    right = getattr(monkeypatch_target, name)
    chance = random.Random(3)
    setattr(monkeypatch_target, name, wrong(right))
    try:
        for seed in range(200):
            events = as_events([(chance.choice("iir"), chance.randrange(2)) for _ in range(30)])
            try:
                if run_plan(events, 4, "greedy", [10, 20], seed) != expected(events):
                    return True
            except Exception:
                return True
    finally:
        setattr(monkeypatch_target, name, right)
    return False


@pytest.mark.parametrize(("where", "name", "wrong"), [
    (mailbox.Mailbox, "_horizon", lambda right: lambda self, key: 1 << 62),
    (worker, "_consecutive", lambda right: len),
    (worker.Worker, "_raise_floor", lambda right: lambda self, sent: sent.extend(
        (child, worker.Floor(1 << 62)) for child in self.children)),
    (worker.Worker, "_share", lambda right: lambda self, sent: None),
], ids=["no order", "no fork between events", "no waiting for requests", "never forked"])
def test_a_wrong_part_is_noticed(where, name, wrong):
    assert caught(where, name, wrong)


def test_a_silent_shard_does_not_hold_others_back_when_its_heartbeats_come():
    box = mailbox.Mailbox(["values", "barriers"])
    box.put(mailbox.ABOVE, Run((), ()), until=100)
    box.put("values", Run([1, 2], ["a", "b"]), until=3)
    assert list(box.released()) == []
    box.put("barriers", Run((), ()), until=2)
    assert [run.items for _, run in box.released()] == [["a"]]
    box.put("barriers", Run((), ()), until=9)
    assert [run.items for _, run in box.released()] == [["b"]]
