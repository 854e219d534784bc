"""Everyday functions, of their item or of their key's state alone, are called parallel."""

from __future__ import annotations

import pytest

from anabranch.analysis.fact import StateKind
from anabranch.core.errors import ProgramError
from soundness.corpus import PARALLEL, cases, read, state_of, table
from soundness.observe import differs

INNOCENT = cases("innocent")


@pytest.mark.parametrize("case", INNOCENT, ids=str)
def test_is_called_parallel(case):
    fact = state_of(case)
    wanted = StateKind.PARTITIONED if case.kind == "apply" else StateKind.STATELESS
    assert fact.value.kind is wanted, fact.reason


@pytest.mark.parametrize("case", INNOCENT, ids=str)
def test_depends_on_nothing_else(case):
    """Nor does a run leave anything behind, so that all runs can be in this process."""
    def here(run, case, module):
        return run(case, *case.of(module))
    assert differs(case, read(case.folder, case.module), here) is False


def test_how_many_of_each_class_are_not_called_parallel():
    wrong = {case: not_parallel(case) for case in INNOCENT}
    print("\n" + table(wrong))
    assert [str(case) for case in wrong if wrong[case]] == []


def not_parallel(case) -> bool:
    try:
        return state_of(case).value.kind not in PARALLEL
    except ProgramError:
        return True
