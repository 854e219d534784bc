"""What `check` finds is shown at the line of the function that is wrong."""

from __future__ import annotations

import pytest

import anabranch as ab
from sync.test_sync_check_finds import Event as OfKey
from sync.test_sync_check_finds import Half, Quarter, events, in_quarters
from sync.test_sync_consistency import broken_facts

TAGS = "depends(a, b) = depends(b, a)"
JOINED = "join(update(s1, e), s2) = update(join(s1, s2), e)"
FORKED = "join(fork(s)) = s"
EXCHANGED = "update(update(s, e), f) = update(update(s, f), e)"


class Event(ab.Record):
    kind: str
    value: int


class Sum(ab.State):
    total: int = 0


SAMPLE = [Event("read" if n % 5 == 4 else "add", n) for n in range(40)]


def summed(state: Sum, e: Event):
    if e.kind == "read":
        yield state.total
        state.total = 0
    else:
        state.total += e.value


def halves(state, left, right):
    return Sum(state.total), Sum()


def twice(state, left, right):
    return Sum(state.total), Sum(state.total)


def added(one, other):
    return Sum(one.total + other.total)


def first_of(one, other):
    return Sum(one.total or other.total)


def on_reads(a, b):
    return "read" in (a, b)


def never(a, b):
    return False


def after_reads(a, b):
    return a == "read"


def failing(state, left, right):
    return Sum(state.totl), Sum()


def a_number(one, other):
    return one.total + other.total


def changing(e):
    return object()


def found_in(fork=halves, join=added, depends=on_reads, tag=lambda e: e.kind):
    definition = ab.synchronized(tag=tag, depends=depends)(summed)
    definition.fork(fork)
    definition.join(join)
    return broken_facts(definition, SAMPLE, Event)


@pytest.mark.parametrize("wrong, fact, beside", [
    ({"fork": twice}, FORKED, [added]), ({"join": first_of}, JOINED, [halves]),
    ({"depends": never}, EXCHANGED, [summed]), ({"depends": never}, JOINED, [summed]),
    ({"depends": after_reads}, TAGS, []), ({"tag": changing}, TAGS, []),
    ({"fork": failing}, FORKED, []), ({"fork": failing}, JOINED, []),
    ({"join": a_number}, FORKED, []), ({"join": a_number}, JOINED, [])])
def test_the_function_that_is_wrong_is_underlined(wrong, fact, beside):
    shown = str(found_in(**wrong)[fact])
    [function] = wrong.values()
    line = function.__code__.co_firstlineno
    assert f"test_sync_check_places.py:{line}:1\n" in shown
    assert f"def {function.__name__}(" in shown.split("= broken by", maxsplit=1)[0]
    assert [f.__name__ for f in beside] == [
        other.split(",")[0] for other in shown.split("= see also: ")[1:]]


def test_lambdas_of_one_line_are_told_apart():
    shown = str(found_in(depends=lambda a, b: False)[EXCHANGED])
    line, underlined = shown.split("\n")[3:5]
    start, end = underlined.index("^"), underlined.rindex("^") + 1
    assert line[start:end] == "lambda a, b: False"


def test_of_several_forks_the_one_at_hand_is_underlined():
    wrong = in_quarters(True, {Half: None, Quarter: None})
    shown = str(broken_facts(wrong, events(2), OfKey)[FORKED])
    assert "def quarters(" in shown and "= see also: half, " in shown
