"""Measures a workload, beside what a paper tells of it."""

from __future__ import annotations

from collections.abc import Callable

from anabranch.bench.measurement import Absent, NotThere, Outcome, Setting, Workload
from anabranch.errors import AnabranchError

Done = dict[Callable[[Setting], Outcome], Outcome]
"""What was measured already, with the same setting: several suites share some work."""


def outcome_of(workload: Workload, setting: Setting, done: Done | None = None) -> Outcome:
    """What a workload gives; one that cannot run here is named with the reason."""
    done = {} if done is None else done
    if workload.measure not in done:
        done[workload.measure] = _outcome(workload, setting)
    outcome = done[workload.measure]
    return outcome.joined(Outcome(beside=workload.beside(outcome)))


def _outcome(workload: Workload, setting: Setting) -> Outcome:
    try:
        return workload.measure(setting)
    except NotThere as why:
        return Outcome(absent=[Absent("all", workload.name, str(why))])
    except AnabranchError as error:
        return Outcome(absent=[Absent("all", workload.name, f"it failed: {error.what}")])
