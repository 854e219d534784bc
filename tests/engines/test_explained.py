"""What is explained is what runs: the stages that `explain` shows are those that a run reports, in
the same words, for every case, example, degree and tier."""

from __future__ import annotations

import pytest

from anabranch.compile import compile_graph
from anabranch.engine.run import execute, explained
from anabranch.runtime.options import RunOptions
from applications.programs import PROGRAMS, plan_of
from interpreting import kernels_in_python
from program_cases import CASES

TUNES = {
    "as it pays": {}, "compiled": {"kernels": "always"},
    "threads": {"kernels": "never", "processes": "never"},
    "processes": {"kernels": "never", "processes": "always"},
    "buckets": {"kernels": "always", "kernel_buckets": "3", "processes": "never"}}
AWAITED = ("the input ended before its kernel was compiled", "it cannot be compiled")
"""Alternatives of the plan that show only while it runs, each told with its reason."""


def differences(plan, options: RunOptions) -> list[tuple]:
    """What was told before a run, and what was told of it where that is not the same."""
    told = {stage.operators: stage for stage in explained(plan, options).stages}
    done = {stage.operators: stage for stage in execute(plan, options).stages if stage.tier}
    found = [(told.keys(), done.keys())] if told.keys() != done.keys() else []
    for operators in told.keys() & done.keys():
        one, other = told[operators], done[operators]
        by_alternative = other.rows_in == 0 or other.reason.startswith(AWAITED)
        if one.work != other.work or (one.tier != other.tier and not by_alternative):
            found.append((operators, (one.tier, one.work), (other.tier, other.work, other.reason)))
    return found


@pytest.fixture
def interpreted():
    """Kernels are not compiled but run by Python: compiling each would take seconds."""
    with kernels_in_python():
        yield


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("tune", TUNES)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_cases(case, workers, tune):
    out = []
    plan = compile_graph(case.build().collect_into(out).graph())
    assert differences(plan, RunOptions("multicore", workers, tune=TUNES[tune])) == []
    assert out == case.expected


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("tune", ["as it pays", "compiled", "processes"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_examples(name, tune, tmp_path):
    plan = plan_of(name)
    outputs = {op.name: str(tmp_path / f"{op.name}.jsonl") for op in plan.program.sinks}
    options = RunOptions("multicore", 2, outputs=outputs, limit=400, tune=TUNES[tune])
    assert differences(plan, options) == []
