"""W2, network monitor: counts of each user in windows of five seconds, those above 100."""

from __future__ import annotations

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.runner import at_least, ratio
from anabranch.bench.workloads.files import OURS, against


def measure(setting: Setting) -> Outcome:
    outcome = against("w2", "entries", ("polars", "duckdb", "loop"), setting)
    times = ratio(outcome, "csv to csv", OURS, "polars", "duckdb")
    return outcome.joined(Outcome(
        goals=[at_least("against the faster of Polars and DuckDB", times, 1.0)]))
