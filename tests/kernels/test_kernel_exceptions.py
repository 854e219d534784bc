"""What is raised within a `try` and handled there stays native: the same outputs and states."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.record_batch import batch_of
from kernels.tiers import Program


class Reading(ab.Record):
    key: int
    n: int
    x: float
    s: str


class Seen(ab.State):
    total: float = 0.0
    by: dict[int, float] = {}
    items: list[float] = []


def shared(x: float, n: int) -> float:
    try:
        return x / n
    except (ZeroDivisionError, KeyError):
        return -1.0


@ab.operator(by="key")
def divided(state: Seen, t: Reading):
    """What was stored before the error stays; a handler may leave the function."""
    try:
        state.total += 1.0
        state.total += t.x % t.n
        part = t.n // (t.n - 1)
    except ZeroDivisionError:
        part = 100
        if t.x > 5.0:
            return
    try:
        number = int(t.s)
    except ValueError:
        number = -7
    yield t.replace(n=part + number, x=state.total + shared(t.x, t.n - 2))


@ab.operator(by="key")
def looked_up(state: Seen, t: Reading):
    try:
        state.by[t.n] = state.by[t.n - 1] + state.items[t.n - 1] / t.n
    except IndexError:
        state.items.append(t.x)
    except KeyError:
        state.by[t.n] = t.x
        if t.x > 8.0:
            return
    except ArithmeticError:
        state.total += 1.0
    else:
        yield t.replace(x=state.by[t.n])
    yield t.replace(x=state.total + len(state.items))


@ab.operator(by="key")
def given_out(state: Seen, t: Reading):
    """What goes wrong behind a `yield` is not for handlers here, nor what is raised by `raise`."""
    try:
        if t.n == 4:
            raise ValueError("four")
        yield t.replace(x=t.x / t.n)
    except ZeroDivisionError:
        yield t.replace(x=-1.0)
    except LookupError:
        yield t.replace(x=-2.0)


PROGRAMS = {
    "divided": lambda s: s.apply(divided), "looked up": lambda s: s.apply(looked_up),
    "given out": lambda s: s.apply(given_out).map(lambda t: t.replace(n=6 // t.key))}
READINGS = st.lists(st.builds(
    Reading, st.integers(0, 2), st.integers(-1, 4) | st.just(2**62),
    st.floats(-9, 9) | st.sampled_from([0.0, -0.0, float("nan")]),
    st.sampled_from(["", "1", " 2 ", "x", "99999999999999999999"])), max_size=20)
MIXED = [Reading(1 + n % 2, n % 4, n / 4, "x" if n % 3 else str(n)) for n in range(40)]


@functools.cache
def program(name: str) -> Program:
    return Program(PROGRAMS[name](ab.from_iterable([], Reading)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_handlers_are_native_and_agree(name):
    kernel = program(name).kernel
    assert kernel.tier == "native"
    batch = batch_of(MIXED, program(name).input_type)
    assert kernel.advance(kernel.start(), batch)[2] == len(batch)

    @settings(max_examples=25, deadline=None)
    @given(READINGS)
    @example(MIXED)
    def agrees(items):
        program(name).check(items)
    agrees()


@ab.operator(by="key")
def nested(state: Seen, t: Reading):
    """What the inner one does not catch, and what it does at its end, is not natively known."""
    for n in (0, 1):
        try:
            state.total += t.x // (t.n - n)
        except ZeroDivisionError:
            state.total -= 1.0
    try:
        state.total += 1.0
        try:
            state.total += t.x / t.n
        except KeyError:
            state.total += 100.0
        finally:
            state.total += 0.5
    except ZeroDivisionError:
        state.total += 10.0
    yield t.replace(x=state.total)


def test_what_is_not_natively_known_agrees():
    Program(ab.from_iterable([], Reading).apply(nested)).check(MIXED)


@ab.operator(by="key")
def summed(state: Seen, t: Reading):
    state.items.append(t.x)
    if len(state.items) > 2:
        state.items.clear()
    state.total += sum(state.items)
    yield t.replace(x=sum(state.items) * 2.0 + state.total)


def test_the_sum_of_no_floats_is_native_where_it_meets_a_float():
    summing = Program(ab.from_iterable([], Reading).apply(summed))
    batch = batch_of(MIXED, summing.input_type)
    if summing.kernel.tier == "native":
        assert summing.kernel.advance(summing.kernel.start(), batch)[2] == len(batch)
    summing.check(MIXED)
