"""Every case on every engine: the exact sequence, nothing sorted."""

import pytest

from anabranch.engine.run import ENGINES
from program_cases import CASES, Case


# The Spark engine runs them too, on the one session of its own tests.
@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "spark"])
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_case(case: Case, engine: str):
    assert case.build().collect(engine=engine) == case.expected
