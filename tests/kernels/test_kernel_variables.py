"""Variables that are None at first: what they are given later is what they have, in every tier."""

from __future__ import annotations

import pytest

import anabranch as ab
from kernels.tiers import Program


class Reading(ab.Record):
    key: str
    x: float | None
    n: int


class Told(ab.Record):
    x: float | None


class Pair(ab.Record):
    n: int
    x: float | None


class Last(ab.State):
    x: float | None = None


@ab.operator(by="key")
def change(state: Last, r: Reading):
    found = None
    if state.x is not None and r.x is not None:
        found = r.x - state.x
    if r.x is not None:
        state.x = r.x
    yield Told(found)


@ab.operator(by="key")
def first_branch(state: Last, r: Reading):
    if r.n % 2:
        found = None
    else:
        found = r.x
    state.x = found
    yield Told(state.x)


@ab.operator
def greatest(r: Reading):
    best = None
    for step in range(r.n):
        if best is None or step * 1.5 > best:
            best = step * 1.5
    yield Told(best)


@ab.operator
def of_a_record(r: Reading):
    pair = Pair(r.n, None)
    if r.x is not None:
        pair = Pair(r.n + 1, r.x)
    yield pair


@ab.operator
def always_none(r: Reading):
    found = None
    found = None
    yield Told(found)


def smaller(x, n):
    found = None
    if n < x:
        found = float(n)
    return found if found is not None else x


@ab.operator
def in_a_helper(r: Reading):
    yield Told(smaller(r.n * 0.5, 2))


READINGS = [Reading("ab"[n % 2], None if n % 3 == 1 else n * 0.75, n % 7) for n in range(30)]
OPERATORS = [change, first_branch, greatest, of_a_record, always_none, in_a_helper]


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.__name__)
@pytest.mark.parametrize("size", [1, 7, 30])
def test_a_variable_that_is_none_at_first(operator, size):
    program = Program(ab.from_iterable([], Reading).apply(operator))
    assert program.sliced(READINGS, size) == program.sequential(READINGS)


def test_such_variables_are_native():
    tiers = [Program(ab.from_iterable([], Reading).apply(op)).kernel.tier for op in OPERATORS]
    # What a variable is compared with must be known before it is given more than None.
    assert tiers == ["rows" if op is greatest else "native" for op in OPERATORS]


@ab.operator
def one_or_the_other(r: Reading):
    found = None
    found = r.n
    if r.n > 3:
        found = r.key
    yield Pair(len(str(found)), r.x)


def test_a_variable_of_two_types_is_for_rows():
    kernel = Program(ab.from_iterable([], Reading).apply(one_or_the_other)).kernel
    assert "'found' is given values of different types at line" in kernel.reason.text


def halved(n, least):
    if n > least:
        n = n // 2
    return n


@ab.operator
def a_parameter_again(r: Reading):
    n = r.n
    r = Reading(r.key, r.x, halved(r.n, 2))
    yield Pair(r.n + n, r.x)


@ab.operator
def a_parameter_on_one_way(r: Reading):
    if r.n > 3:
        r = Reading(r.key, None, r.n - 3)
    yield Pair(r.n, r.x)


@ab.operator(by="key")
def another_state(state: Last, r: Reading):
    state = Last()
    state.x = r.x
    yield Told(state.x)


@pytest.mark.parametrize("operator", [a_parameter_again, a_parameter_on_one_way],
                         ids=lambda operator: operator.__name__)
def test_a_parameter_that_is_assigned_is_a_variable(operator):
    program = Program(ab.from_iterable([], Reading).apply(operator))
    assert program.kernel.tier == "native"
    for size in (1, 7):
        assert program.sliced(READINGS, size) == program.sequential(READINGS)


def test_a_state_that_is_assigned_is_for_rows():
    program = Program(ab.from_iterable([], Reading).apply(another_state))
    assert "assigns its state 'state'" in program.kernel.reason.text
    assert program.sliced(READINGS, 7) == program.sequential(READINGS)
