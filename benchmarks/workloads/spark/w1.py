"""W1 as a stream on Spark, against two ways to write it by hand.

Ours is in order; those group by key.
"""

from __future__ import annotations

from benchmarks import data
from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, compared, ratio
from benchmarks.workloads.files.contenders import OURS, right_answer
from benchmarks.workloads.spark.contenders import (
    CASE,
    NO_STREAMING,
    SHARE,
    by_hand,
    missing,
    on_spark,
    streams,
)

PEERS = {"applyInPandasWithState": "w1_stream", "transformWithStateInPandas": "w1_state"}

BATCHES = 2


def measure(setting: Setting) -> Outcome:
    rows = max(1, setting.rows // SHARE)
    right = right_answer("w1", "payments", rows, setting)
    source, schema = data.written_parts("payments", rows, BATCHES), right.schema
    stream = on_spark(OURS, "w1", source, schema, setting, "stream_on_spark") if streams() else \
        missing(OURS, NO_STREAMING)
    contenders = [stream, on_spark(f"{OURS}, as a batch", "w1", source, schema, setting),
                  *(by_hand(name, made, source, schema, setting) for name, made in PEERS.items())]
    outcome = compared(CASE, contenders, right, rows, setting)
    return outcome.joined(Outcome(goals=[at_least(
        "against the faster of both", ratio(outcome, CASE, OURS, *PEERS), 5.0)]))
