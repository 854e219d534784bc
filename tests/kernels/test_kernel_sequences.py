"""Lists and deques of a state on every tier: appended, looked up, gone over, added up, cleared."""

from __future__ import annotations

import sys
from collections import deque

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.record_batch import batch_of
from kernels.tiers import Program


class Reading(ab.Record):
    place: str | None
    n: int
    x: float
    s: str


class Recent(ab.State):
    last: deque[float] = deque(maxlen=3)
    numbers: list[int] = []
    texts: deque[str] = deque()
    total: int = 0


@ab.operator(by="place")
def recent(state: Recent, t: Reading):
    state.last.append(t.x)
    yield t.replace(x=max(state.last), n=len(state.last) + len(state.numbers))
    if t.n > 5:
        state.numbers.clear()
    state.numbers.append(t.n)
    weight = 0.0
    for x in state.last:
        if x > 1:
            continue
        weight += x * state.last[-1]
    yield Reading(t.place, sum(state.numbers), weight, t.s)
    state.texts.append(t.s)
    state.total += t.n * 2**40
    yield Reading(state.texts[0], state.numbers[t.n % 4], state.last[0] + min(state.last), t.s)


@recent.at_end
def rest(state: Recent):
    yield Reading("end", state.numbers[-1] + len(state.texts), state.last[-1], state.texts[-1])


class Window(ab.State):
    last: deque[float] = deque(maxlen=20)


@ab.operator
def mean(state: Window, t: Reading):
    state.last.append(t.x)
    if len(state.last) == 20:
        yield t.replace(x=sum(state.last) / len(state.last))


READINGS = st.builds(
    Reading, st.sampled_from([None, "p", "q"]), st.sampled_from([0, 1, 2, 3, 4, -4, 6, 2**22]),
    st.floats(-9, 9) | st.sampled_from([-0.0, float("nan"), float("inf")]),
    st.sampled_from(["", "a", "é", "abc"]))


def test_tiers_agree_on_states_with_sequences():
    tested = Program(ab.from_iterable([], Reading).apply(recent))
    assert tested.kernel.tier == "native", tested.kernel.reason

    @settings(max_examples=25, deadline=None)
    @given(st.lists(READINGS, max_size=14))
    def agrees(found):
        tested.check(found)
    agrees()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="sums of floats are not plain sums there")
def test_a_moving_mean_keeps_what_it_needs():
    tested = Program(ab.from_iterable([], Reading).apply(mean))
    assert tested.kernel.tier == "native", tested.kernel.reason
    found = [Reading("p", n, n * 0.1, "") for n in range(400)]
    assert tested.sliced(found, 70, saving=True) == tested.sequential(found)
    state = tested.kernel.start()
    tested.kernel.run(state, batch_of(found, tested.input_type), 0)
    [inner] = [table for table in state.memory.stage.tables if table.is_inner]
    assert state.memory.count(inner) == 20
    [held] = next(iter(tested.kernel.to_rows(state).cells.values())).value.values()
    assert held.last == deque((r.x for r in found[-20:]), 20) and held.last.maxlen == 20


@ab.operator(by="place")
def popping(state: Recent, t: Reading):
    state.texts.popleft()
    yield t


@ab.operator(by="place")
def searching(state: Recent, t: Reading):
    if t.n not in state.numbers:
        yield t


@ab.operator(by="place")
def mixing(state: Recent, t: Reading):
    state.numbers.append(t.x)
    yield t


@pytest.mark.parametrize("operator, reason", [
    (popping, "uses state.texts.popleft()"), (searching, "t.n not in state.numbers"),
    (mixing, "appends float to state.numbers")])
def test_what_has_no_native_form_says_why(operator, reason):
    kernel = Program(ab.from_iterable([], Reading).apply(operator)).kernel
    assert kernel.tier == "rows"
    assert reason in kernel.reason.text
    assert kernel.reason.span is not None
