"""Loops, guards and conditions as users write them: native, and with the same bits."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from kernels.tiers import Program


class Reading(ab.Record):
    key: int
    n: int
    x: float
    s: str
    o: int | None


class Pair(ab.State):
    first: float = 0.0
    second: float = 0.0
    run: int = 0


@ab.operator(by="key")
def several(state: Pair, t: Reading):
    """Two targets of one assignment, and a loop that is left early."""
    before = state.second
    state.first = state.second = t.x + state.first
    for part in (t.x, before, state.first):
        if part > 50.0:
            break
        if part < 0.0:
            continue
        yield t.replace(x=part)


@ab.operator(by="key")
def guarded(state: Pair, t: Reading):
    state.run = state.run + 1 if t.x > 0 else 0
    match state.run:
        case 2 | 3:
            yield t.replace(n=-1)
        case long if long > 4 and t.n:
            state.run = 0
            yield t.replace(n=long)
        case short if short == t.n:
            yield t.replace(n=short + 100)


@ab.operator
def nested(t: Reading):
    for text in (t.s, "b"):
        for n in [t.n, 1, 2]:
            if text and n and t.o:
                yield t.replace(s=text, n=n)


PROGRAMS = {
    "several": lambda s: s.apply(several), "guarded": lambda s: s.apply(guarded),
    "nested": lambda s: s.apply(nested),
    "mixed conditions": lambda s: s.filter(
        lambda t: (t.x and t.n > 1) or (t.o and not t.s) or (t.s.strip() and t.o is None)),
    "guarded division": lambda s: s.filter(lambda t: t.n and t.x / t.n > 1.0),
    "displays": lambda s: s.flat_map(lambda t: [t.replace(n=k * t.n) for k in (1, t.key) if k]),
}
READINGS = st.lists(st.builds(
    Reading, st.integers(0, 2), st.integers(-2, 5) | st.just(2**62),
    st.floats(-9, 60) | st.sampled_from([0.0, -0.0, float("nan")]),
    st.sampled_from(["", " ", "a", "b"]), st.none() | st.integers(0, 2)), max_size=20)


@functools.cache
def program(name: str) -> Program:
    return Program(PROGRAMS[name](ab.from_iterable([], Reading)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_control_is_native_and_agrees(name):
    assert program(name).kernel.reason is None
    assert program(name).kernel.tier == "native"

    @settings(max_examples=25, deadline=None)
    @given(READINGS)
    def agrees(items):
        program(name).check(items)
    agrees()


def test_items_of_different_types_are_told():
    reason = Program(ab.from_iterable([], Reading).flat_map(
        lambda t: [-k for k in (1, 2.0)], to=float)).kernel.reason
    assert "'k' is given values of different types" in reason.text
