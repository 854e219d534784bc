"""Floats in limbs are summed and averaged just as the operators on rows do it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.lang.cql.execution.columns.aggregates import limbs, quotients
from anabranch.lang.cql.execution.rows.folds import Average, Sum
from anabranch.plan.logical.whole import Unfinished

usual = (st.floats(-1e6, 1e6).filter(lambda x: x == 0 or abs(x) > 1e-8)
         | st.sampled_from([0.1, 0.2, -0.3, 1e14, -1e14, 2.0 ** -80])
         | st.integers(-10**6, 10**6).map(lambda n: n / 100))


def totals(values: list[float]) -> list[np.ndarray]:
    return [limb.sum(keepdims=True) for limb in limbs(np.array(values))]


@settings(max_examples=200, deadline=None)
@given(st.lists(usual, min_size=1, max_size=12))
def test_results_are_those_of_the_folds(values):
    for fold, count in ((Sum(), 1), (Average(), len(values))):
        for value in values:
            fold.change(value, 1)
        assert quotients(totals(values), np.array([count])).tolist() == [fold.result()]


@settings(max_examples=100, deadline=None)
@given(st.integers(-2**127, 2**127), st.integers(1, 2**31 - 1))
def test_totals_are_rounded_once(total, count):
    parts = [np.array([abs(total) >> shift & 0xFFFFFFFF]) * (-1 if total < 0 else 1)
             for shift in (0, 32, 64, 96)]
    assert quotients(parts, np.array([count]))[0] == total / (count << 80)


@settings(max_examples=60, deadline=None)
@given(st.lists(usual, max_size=6), usual)
def test_what_leaves_leaves_no_trace(values, other):
    there = limbs(np.array([*values, other]))
    without = [limb.sum(keepdims=True) - limb[-1:] for limb in there]
    assert [w.tolist() for w in without] == [t.tolist() for t in totals(values)]


@pytest.mark.parametrize("value", [1e300, 2.0 ** 49, 1e-12, 5e-324, float("inf"), 2.0 ** -81])
def test_what_limbs_cannot_hold_is_refused(value):
    with pytest.raises(Unfinished):
        limbs(np.array([1.0, value]))
