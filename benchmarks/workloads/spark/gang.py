"""A synchronization plan as a gang of Spark's tasks, against multicore.

One event of 10,000 synchronizes. What counts is how long an input takes longer than one of half the
size: what an engine needs to start, and a gang to meet, is left out of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq

from anabranch.core.errors import AnabranchError
from anabranch.engine.run import execute
from anabranch.plan.logical.plan import Plan
from anabranch.runtime.options import RunOptions
from benchmarks.measurement import Contender, NotThere, Outcome, Run, Setting
from benchmarks.programs.synchronized import events, program
from benchmarks.runner import at_least, compared, ratio

CASE, EVERY, COST = "event windows", 10_000, 5.0
"""An update computes for so many microseconds."""
SECONDS, WORKERS, GROUPS = 5.0, 2, 16
SHORTEST = 1e-3
MULTICORE, SPARK = "multicore engine", f"Spark, local[{WORKERS}]"


def measure(setting: Setting) -> Outcome:
    from anabranch.engine.spark.session.context import spark_context

    rows = max(5_000, int(SECONDS * setting.scale * 1e6 / COST))
    out = setting.folder / "out.parquet"
    plans = [_plan(times * rows, setting.folder, out) for times in (1, 2)]
    options = {MULTICORE: RunOptions("multicore", WORKERS), SPARK: RunOptions("spark")}
    right = _run(plans, out, options[MULTICORE]).answer
    with spark_context(f"local[{WORKERS}]"):
        # The first run starts Python workers, which compile.
        _run(plans, out, options[SPARK])
        found = compared(CASE, [Contender(name, partial(_run, plans, out, chosen), ours=True)
                                for name, chosen in options.items()], right, rows, setting)
    times = ratio(found, CASE, SPARK, MULTICORE)
    return found.joined(Outcome(goals=[at_least("Spark against the multicore engine", times, 0.5)]))


def _plan(rows: int, folder: Path, out: Path) -> Plan:
    given = events(rows, EVERY, folder / f"events-{rows}.parquet", group=rows // GROUPS)
    return program("windows", COST, given, out)


def _run(plans: Sequence[Plan], out: Path, options: RunOptions) -> Run:
    """How much longer the second of the plans takes, and its answer."""
    try:
        half, whole = (execute(plan, options).seconds for plan in plans)
    except AnabranchError as error:
        raise NotThere(f"it failed: {error.what}") from error
    longer = max(whole - half, SHORTEST)
    return Run(longer, pq.read_table(out), startup=max(0.0, half - longer))
