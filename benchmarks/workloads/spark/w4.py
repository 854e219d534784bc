"""W4 on Spark against a Python UDF and an Arrow UDF."""

from __future__ import annotations

from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, ratio
from benchmarks.workloads.files.contenders import OURS
from benchmarks.workloads.spark.contenders import CASE, against

PEERS = {"Python UDF": "w4", "Arrow UDF": "w4_arrow"}
SHARE = 40


def measure(setting: Setting) -> Outcome:
    outcome = against("w4", "jobs", PEERS, setting, SHARE)
    return outcome.joined(Outcome(goals=[at_least(
        "against the faster UDF", ratio(outcome, CASE, OURS, *PEERS), 1.0)]))
