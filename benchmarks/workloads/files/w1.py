"""W1, running balance: a running sum for each of 10,000 users, in input order."""

from __future__ import annotations

import pyarrow as pa

from benchmarks import data
from benchmarks.measurement import Outcome, Setting
from benchmarks.runner import at_least, compared, ratio
from benchmarks.workloads.files.contenders import OURS, one_shot, ours, right_answer

MEMORY, KERNEL = "arrow to arrow in memory", "its kernel alone"


def measure(setting: Setting) -> Outcome:
    right = right_answer("w1", "payments", setting.rows, setting)
    outcome = _in_memory(right, setting)
    for form in ("csv", "parquet"):
        outcome = _file_to_file(form, right, setting).joined(outcome)
    return outcome.joined(Outcome(goals=_goals(outcome)))


def _file_to_file(form: str, right: pa.Table, setting: Setting) -> Outcome:
    source, schema = data.written("payments", setting.rows, form), right.schema
    contenders = [ours("w1", source, schema, setting, setting.most_workers),
                  one_shot("polars", "w1", source, schema, setting),
                  one_shot("loop", "w1", source, schema, setting)]
    return compared(f"{form} to {form}", contenders, right, setting.rows, setting)


def _in_memory(right: pa.Table, setting: Setting) -> Outcome:
    source, schema = data.written("payments", setting.rows, "parquet"), right.schema
    contenders = [ours("w1_memory", source, schema, setting, setting.most_workers),
                  ours("w1_kernel", source, schema, setting, 1, KERNEL),
                  one_shot("polars", "w1_memory", source, schema, setting)]
    return compared(MEMORY, contenders, right, setting.rows, setting)


def _goals(outcome: Outcome) -> list:
    def times(case: str, peer: str) -> float | None:
        return ratio(outcome, case, OURS, peer)
    return [at_least("Parquet to Parquet, against Polars", times("parquet to parquet", "polars"),
                     1.2),
            at_least("CSV to CSV, against Polars", times("csv to csv", "polars"), 1.0),
            at_least("in memory, against Polars", times(MEMORY, "polars"), 3.0),
            at_least("in memory, the kernel alone, against Polars",
                     ratio(outcome, MEMORY, KERNEL, "polars"), 3.0),
            at_least("Parquet to Parquet, against a plain loop",
                     times("parquet to parquet", "loop"), 20.0)]
