"""W2, network monitor: counts of each user in windows of five seconds.

Those above 100 are kept.
"""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, ratio
from benchmarks.workloads.files.contenders import OURS, against


def measure(setting: Setting) -> Outcome:
    outcome = against("w2", "entries", ("polars", "duckdb", "loop"), setting)
    times = ratio(outcome, "csv to csv", OURS, "polars", "duckdb")
    return outcome.joined(Outcome(
        goals=[at_least("against the faster of Polars and DuckDB", times, 1.0)]))
