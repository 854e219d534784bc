"""What a Python source hands out is taken as it is at that moment, also on Spark."""

from __future__ import annotations

import pytest

from engines.input_cases import CASES, Case

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(spark, case: Case):
    assert case.build().collect(engine="spark") == case.expected
