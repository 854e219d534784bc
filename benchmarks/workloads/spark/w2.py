"""W2 on Spark, in order, against `groupBy(window(...), uid).count()`."""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, ratio
from benchmarks.workloads.files.contenders import OURS
from benchmarks.workloads.spark.contenders import CASE, against

BY_HAND = "groupBy(window, uid).count()"


def measure(setting: Setting) -> Outcome:
    outcome = against("w2", "entries", {BY_HAND: "w2"}, setting)
    return outcome.joined(Outcome(goals=[at_least(
        f"against {BY_HAND}", ratio(outcome, CASE, OURS, BY_HAND), 0.9)]))
