"""A stateless pipeline on Spark against DataFrame expressions written by hand."""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, ratio
from benchmarks.workloads.files.contenders import OURS
from benchmarks.workloads.spark.contenders import CASE, against

BY_HAND = "DataFrame expressions"


def measure(setting: Setting) -> Outcome:
    outcome = against("stateless", "entries", {BY_HAND: "stateless"}, setting)
    return outcome.joined(Outcome(goals=[at_least(
        f"against {BY_HAND}", ratio(outcome, CASE, OURS, BY_HAND), 0.9)]))
