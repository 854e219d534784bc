"""W2 on Spark, in order, against `groupBy(window(...), uid).count()`."""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.runner import at_least, ratio
from anabranch.bench.workloads.files import OURS
from anabranch.bench.workloads.spark import CASE, against

BY_HAND = "groupBy(window, uid).count()"


def measure(setting: Setting) -> Outcome:
    outcome = against("w2", "entries", {BY_HAND: "w2"}, setting)
    return outcome.joined(Outcome(goals=[at_least(
        f"against {BY_HAND}", ratio(outcome, CASE, OURS, BY_HAND), 0.9)]))
