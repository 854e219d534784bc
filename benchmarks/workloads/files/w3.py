"""W3, event windows: the sum between barriers, one for every 10,000 values."""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, ratio
from benchmarks.workloads.files.contenders import OURS, against


def measure(setting: Setting) -> Outcome:
    outcome = against("w3", "events", ("polars", "loop"), setting)
    times = ratio(outcome, "csv to csv", OURS, "polars")
    return outcome.joined(Outcome(goals=[at_least("against Polars", times, 1.0)]))
