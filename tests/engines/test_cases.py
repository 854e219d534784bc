"""Every case on every engine: the exact sequence, nothing sorted."""

import pytest

from anabranch.engine.base import ENGINES
from program_cases import CASES, Case


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Case, engine: str):
    assert case.build().collect(engine=engine) == case.expected
