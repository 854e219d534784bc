"""A synchronization plan as a gang of Spark's tasks, against the workers of the multicore engine.

One event of 10,000 synchronizes. The session is there already, and there has been a run before, so
that workers and kernels are; that a gang has to meet first counts.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from anabranch.bench.measurement import Contender, NotThere, Outcome, Run, Setting
from anabranch.bench.programs.synchronized import events, program
from anabranch.bench.runner import at_least, compared, ratio
from anabranch.engine.base import RunOptions, execute
from anabranch.errors import AnabranchError
from anabranch.plan import Plan

CASE, EVERY, COST = "event windows", 10_000, 5.0
"""An update computes for so many microseconds."""
SECONDS, WORKERS = 10.0, 2
MULTICORE, SPARK = "multicore engine", f"Spark, local[{WORKERS}]"


def measure(setting: Setting) -> Outcome:
    from anabranch.engine.spark.session import spark_context

    rows = max(10_000, int(SECONDS * setting.scale * 1e6 / COST))
    given = events(rows, EVERY, setting.folder / "events.parquet", group=rows // 16)
    out = given.with_name("out.parquet")
    plan = program("windows", COST, given, out)
    right = _run(plan, out, RunOptions("multicore", WORKERS)).answer
    with spark_context(f"local[{WORKERS}]"):
        _run(plan, out, RunOptions("spark"))
        found = compared(CASE, [
            Contender(name, partial(_run, plan, out, options), ours=True) for name, options in
            ((MULTICORE, RunOptions("multicore", WORKERS)), (SPARK, RunOptions("spark")))],
            right, rows, setting)
    times = ratio(found, CASE, SPARK, MULTICORE)
    return found.joined(Outcome(goals=[at_least("Spark against the multicore engine", times, 0.5)]))


def _run(plan: Plan, out: Path, options: RunOptions) -> Run:
    try:
        report = execute(plan, options)
    except AnabranchError as error:
        raise NotThere(f"it failed: {error.what}") from error
    return Run(report.seconds, pq.read_table(out))
