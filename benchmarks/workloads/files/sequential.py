"""The sequential engine against a plain Python loop and multicore.

It defines what programs mean.
"""

from __future__ import annotations

from benchmarks import data
from benchmarks.measurement import Contender, Outcome, Setting
from benchmarks.processes import Script, contender
from benchmarks.runner import compared
from benchmarks.workloads.files.contenders import OURS, one_shot, ours, right_answer


def measure(setting: Setting) -> Outcome:
    rows = max(1, setting.rows // 10)
    right = right_answer("w1", "payments", rows, setting)
    source, schema = data.written("payments", rows, "csv"), right.schema
    sequential = Script(OURS, "w1", {"engine": "sequential"})
    contenders: list[Contender] = [
        contender("sequential", sequential, source, schema, setting),
        ours("w1", source, schema, setting, setting.most_workers, "multicore"),
        one_shot("loop", "w1", source, schema, setting, "plain loop")]
    return compared("W1, csv to csv", contenders, right, rows, setting)
