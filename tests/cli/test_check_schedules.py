"""`check` runs parallel operators under two schedules; what they hide makes a difference."""

from __future__ import annotations

import ctypes
import itertools
from functools import partial

import pytest

import anabranch as ab
from anabranch.analysis.facts.summary import analyse
from anabranch.check import check, verdicts
from engines.test_double_check import HIDDEN, ROWS, Row, keyed, stateless
from program_cases import CASES


def broken(stream: ab.Stream, items=ROWS):
    graph = stream.for_each(print).graph()
    [source] = graph.sources
    return check(graph, analyse(graph), {source.name: items})


@pytest.mark.parametrize("make", [stateless, keyed], ids=["stateless", "keyed"])
@pytest.mark.parametrize("hidden", HIDDEN)
def test_hidden_state_is_found(hidden, make, tmp_path):
    found = broken(ab.from_iterable(ROWS, Row).apply(make(hidden(tmp_path))), ROWS[:9])
    facts = [violation.fact for violation in found]
    assert facts[0] == ("stateless" if make is stateless else "partitioned by key")
    assert {violation.operator for violation in found} == {"hides"}


def since_the_first(kept: list):
    """What it remembers never changes again, so it is the same however often it is asked."""
    append = partial(list.append, kept)

    def distance(row):
        len(kept) or append(row.value)
        return row.value - kept[0]
    return distance


def once(tmp_path):
    cell = (ctypes.c_long * 1)()

    def begun(row):
        place = ctypes.c_long.from_address(ctypes.addressof(cell))
        place.value = place.value or row.value + 1
        return place.value
    return begun


@pytest.mark.parametrize("make", [stateless, keyed], ids=["stateless", "keyed"])
@pytest.mark.parametrize("hidden", [since_the_first, once])
def test_what_a_process_remembers_for_ever_is_found(hidden, make):
    found = broken(ab.from_iterable(ROWS, Row).apply(make(hidden([]))), ROWS[:9])
    [violation] = [v for v in found if "process" in v.expected]
    assert violation.expected.endswith("as in a process that has not seen the tuples before it")
    assert violation.came.endswith("after the tuples before it")
    assert violation.where.line > 0


def test_both_answers_and_the_line_are_shown():
    numbers = itertools.count(5)

    @ab.operator(pure=True)
    def numbered(row: Row):
        yield next(numbers)
    first = broken(ab.from_iterable(ROWS, Row).apply(numbered), ROWS[:2])[0]
    assert (first.subject, first.expected, first.came) == (
        "Row(key=1, value=1)", "[7], as for it alone", "[6] after the tuples before it")
    assert "apply(numbered)" in str(first)
    assert "numbered is declared to be 'stateless', and is not" in str(first)


def test_a_key_that_is_not_a_number_is_no_difference():
    class Measured(ab.Record):
        key: float

    class Count(ab.State):
        n: int = 0

    @ab.operator(by="key")
    def counted(state: Count, m: Measured):
        state.n += 1
        yield state.n
    nan = float("nan")
    items = [Measured(nan), Measured(1.0), Measured(nan)]
    assert broken(ab.from_iterable(items, Measured).apply(counted), items) == []


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_honest_programs_are_left_alone(case):
    graph = case.build().for_each(lambda item: None).graph()
    sample = {op.name: list(op.kind.spec.items(None)) for op in graph.sources}
    found = verdicts(graph, analyse(graph), sample)
    assert [str(v.violation) for v in found if v.violation] == []
