"""What Numba cannot compile falls to the rows tier, with the state as it is; bools are numbers."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest
from numba.core.errors import NumbaError

import anabranch as ab
from anabranch.kernels.native import kernel as native
from kernels.tiers import Program


class Switch(ab.Record):
    key: str
    on: bool
    n: int


class Count(ab.State):
    n: int = 0


class Told(ab.Record):
    n: int
    x: float


@ab.operator(by="key")
def counted(state: Count, t: Switch):
    state.n += t.n
    yield Told(state.n, float(t.on))


@ab.operator(by="key")
def rooted(state: Count, t: Switch):
    state.n += t.on
    yield Told(state.n + round(t.on), math.sqrt(t.on) + math.floor(t.n > 2) + math.exp(t.n > 1))


SWITCHES = [Switch("abc"[n % 3], n % 2 == 0, n % 5) for n in range(40)]


@pytest.mark.parametrize("operator", [counted, rooted], ids=["float", "math"])
def test_floats_of_bools_are_native(operator):
    program = Program(ab.from_iterable([], Switch).apply(operator))
    state, batch = program.kernel.start(), native.batch_of(SWITCHES, program.input_type)
    assert program.kernel.advance(state, batch)[2] == len(SWITCHES)
    assert program.sliced(SWITCHES, 7) == program.sequential(SWITCHES)


def refused(*arguments):
    raise NumbaError("not this one")


@pytest.mark.parametrize("size", [1, 7])
def test_no_state_is_lost_where_nothing_can_be_compiled(size, monkeypatch):
    monkeypatch.setattr(native, "module_of", lambda source: SimpleNamespace(run=refused))
    monkeypatch.setattr(native, "note_failed", lambda source, error: None)
    program = Program(ab.from_iterable([], Switch).apply(counted))
    assert program.sliced(SWITCHES, size) == program.sequential(SWITCHES)
