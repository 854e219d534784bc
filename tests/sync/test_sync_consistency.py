"""`check` finds functions that do not fit together, and shows the smallest case it can."""

from __future__ import annotations

import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from anabranch.api.node import graph_of
from anabranch.check import check
from anabranch.core.errors import ProgramError
from sync import counters
from sync.counters import Event

SAMPLE = [Event(n, kind, n % 2) for n, kind in enumerate("iiriirirrii")]


class Sum(ab.State):
    total: int = 0


class Value(ab.Record):
    kind: str
    value: int


VALUES = [Value("value", 3), Value("value", 4), Value("barrier", 0), Value("value", 5)]


def broken_facts(definition, sample, item):
    stream = ab.from_iterable(sample, item, name="events").apply(definition)
    sink = stream.collect_into([])
    graph = graph_of([sink.node if hasattr(sink, "node") else stream.node.readers[0]])
    found = check(graph, analyse(graph), {"events": sample})
    return {violation.fact: violation for violation in found}


def window_sum(depends, fork, join, tag=lambda e: e.kind, **settings):
    @ab.synchronized(tag=tag, depends=depends, **settings)
    def summed(state: Sum, e: Value):
        if e.kind == "barrier":
            yield state.total
        state.total = 0 if e.kind == "barrier" else state.total + e.value
    summed.fork(fork)
    summed.join(join)
    return summed


def on_barriers(a, b):
    return "barrier" in (a, b)


def halves(state, left, right):
    return Sum(state.total), Sum()


def added(one, other):
    return Sum(one.total + other.total)


def test_the_counters_of_the_paper_are_consistent():
    assert broken_facts(counters.make(), SAMPLE, Event) == {}


def test_a_sum_between_barriers_is_consistent():
    assert broken_facts(window_sum(on_barriers, halves, added), VALUES, Value) == {}


def test_a_fork_that_duplicates_what_join_adds_is_caught():
    twice = window_sum(on_barriers, lambda s, left, right: (Sum(s.total), Sum(s.total)), added)
    found = broken_facts(twice, VALUES, Value)["join(fork(s)) = s"]
    assert found.subject.count("Value(") == 1
    assert (found.expected, found.came) in [(f"Sum(total={n})", f"Sum(total={2 * n})")
                                            for n in (3, 4, 5)]


def test_a_missing_dependence_is_caught():
    never = window_sum(lambda a, b: False, halves, added)
    assert "update(update(s, e), f) = update(update(s, f), e)" in broken_facts(never, VALUES, Value)


def test_a_join_that_forgets_one_side_is_caught():
    forgetful = window_sum(on_barriers, halves, lambda one, other: one)
    assert "join(update(s1, e), s2) = update(join(s1, s2), e)" in broken_facts(forgetful, VALUES,
                                                                              Value)


def test_an_asymmetric_dependence_is_caught():
    one_way = window_sum(lambda a, b: a == "barrier", halves, added)
    found = broken_facts(one_way, VALUES, Value)["depends(a, b) = depends(b, a)"]
    assert "'value'" in found.subject and "'barrier'" in found.subject


def test_a_fork_that_gives_one_state_is_caught():
    single = window_sum(on_barriers, lambda s, left, right: s, added)
    assert "does not give two states" in broken_facts(single, VALUES,
                                                      Value)["join(fork(s)) = s"].came


@pytest.mark.parametrize("wrong, came", [
    ({"fork": lambda s, left, right: (s.total, 0)}, "> gives something that is not a state: "),
    ({"join": lambda one, other: one.total}, "> gives something that is not a state: "),
    ({"fork": lambda s, left, right: s.parts}, "<lambda> raised AttributeError")])
def test_what_a_fork_or_a_join_gives_instead_of_states_is_told_with_its_case(wrong, came):
    parts = {"fork": halves, "join": added} | wrong
    found = broken_facts(window_sum(on_barriers, **parts), VALUES, Value)["join(fork(s)) = s"]
    assert came in found.came
    assert found.subject.startswith("s after nothing; left has 'value'")


@pytest.mark.parametrize("tag, came", [(lambda e: [e.kind] if e.value else e.kind,
                                        "TypeError: unhashable type: 'list'"),
                                       (lambda e: 3 // e.value, "ZeroDivisionError")])
def test_an_event_without_a_tag_is_shown(tag, came):
    found = broken_facts(window_sum(on_barriers, halves, added, tag), VALUES, Value)
    told = found["depends(a, b) = depends(b, a)"]
    assert told.subject.startswith("the event Value(") and told.came.startswith(came)


@pytest.mark.parametrize("settings, what", [
    ({"plan": ab.worker(below=(ab.worker("barrier"), ab.worker("value")))},
     "barrier and value depend on each other and stand on different branches"),
    ({"plan": ab.worker("barrier", "value"), "by": "kind"}, "a state for each key, and a plan"),
    ({"optimizer": "gready"}, "no optimizer is called 'gready'")])
def test_a_wrong_plan_is_refused_before_anything_runs(settings, what):
    with pytest.raises(ProgramError, match=what):
        ab.from_iterable(VALUES, Value).apply(window_sum(on_barriers, halves, added, **settings))


def test_a_synchronized_operator_needs_fork_and_join():
    @ab.synchronized(tag=lambda e: e.kind, depends=on_barriers)
    def bare(state: Sum, e: Value):
        yield state.total
    with pytest.raises(ProgramError, match="bare has no fork"):
        ab.from_iterable(VALUES, Value).apply(bare)


def test_several_streams_say_their_time():
    one, other = ab.from_iterable(VALUES, Value), ab.from_iterable(VALUES, Value)
    with pytest.raises(ProgramError, match="a union says its order"):
        one.synchronize(window_sum(on_barriers, halves, added), other)
    with pytest.raises(ProgramError, match="has no attribute 'ts'"):
        one.synchronize(window_sum(on_barriers, halves, added), other, on="ts")


def test_times_that_go_back_are_an_error():
    events = [Event(1, "i"), Event(5, "i"), Event(3, "r")]
    stream = ab.from_iterable(events, Event).synchronize(counters.make(), on="ts")
    with pytest.raises(ab.DataError, match="the time goes back: ts is 3 after 5"):
        stream.collect()
