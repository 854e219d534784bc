"""The columns tier: texts of several columns, exactly as Python makes them."""

from __future__ import annotations

import functools
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.kernels.columns import columns_kernel
from anabranch.plan.logical.plan import Reason
from kernels.tiers import Program


class Row(ab.Record):
    n: int
    x: float
    s: str
    w: str
    p: bool
    tags: list[str]
    ts: datetime


PROGRAMS = {
    "joined": lambda s: s.map(lambda t: f"{t.s}-{t.n}: " + t.w.upper()),
    "ordered": lambda s: s.filter(lambda t: t.s < t.w or t.p).map(
        lambda t: t.replace(s=t.w + t.s, n=t.n * t.n + len(t.w))),
    "chosen": lambda s: s.map(lambda t: t.s + t.w if t.s.startswith("a") else "no " + t.s.strip()),
    "timed": lambda s: s.map(lambda t: str(t.ts.hour) + ":" + str(t.ts.minute) + t.s),
    "guarded": lambda s: s.filter(lambda t: t.p and t.s + t.w != "").map(
        lambda t: t.replace(n=t.s.index("a") + t.n, s=t.s + t.w)),
}
TEXTS = st.sampled_from(["", "a", "ab", " A", "ß", "İ", "𝄞", "é", "z\0"])
ROWS = st.lists(st.builds(
    Row, st.one_of(st.integers(-9, 9), st.sampled_from([2**62, -2**63, 2**63 - 1])), st.floats(),
    TEXTS, TEXTS, st.booleans(), st.lists(TEXTS, max_size=2),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1))), max_size=9)


@functools.cache
def program(name: str) -> Program:
    made = Program(PROGRAMS[name](ab.from_iterable([], Row)))
    made.kernel = columns_kernel(made.rows, Reason("asked for"))
    return made


@pytest.mark.parametrize("name", PROGRAMS)
def test_columns_agree_with_the_sequential_engine(name):
    assert program(name).kernel.tier == "columns"

    @settings(max_examples=60, deadline=None)
    @given(ROWS)
    def agrees(items):
        program(name).check(items)
    agrees()
