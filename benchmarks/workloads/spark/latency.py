"""Latency of W1 on Spark at 1,000 rows a second, against `applyInPandasWithState`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.answers import judged, loaded
from benchmarks.environments import python_of
from benchmarks.measurement import Absent, Measurement, NotThere, Outcome, Setting
from benchmarks.processes import Script, run_script
from benchmarks.runner import at_most
from benchmarks.workloads.files.contenders import OURS
from benchmarks.workloads.spark.contenders import NO_STREAMING, streams

RATE = 1_000
SECONDS = 45
CASE = f"{RATE:,} rows/s offered"
BY_HAND = "applyInPandasWithState"
PROGRAMS = {OURS: (OURS, "latency_on_spark"), BY_HAND: ("pyspark", "latency_stream")}


def measure(setting: Setting) -> Outcome:
    seconds, measured, absent = {}, [], []
    for name, (system, program) in PROGRAMS.items():
        setting.tell(f"{CASE}: {name}")
        try:
            found = _found(system, program, setting)
        except NotThere as why:
            absent.append(Absent(CASE, name, str(why)))
        else:
            seconds[name] = found["median_ms"] / 1000
            measured += [_checked(found, setting)] if system == OURS else []
    return Outcome(measured, absent, [at_most(f"{CASE}, median", seconds.get(OURS), 1.0, "s")],
                   notes=[f"{CASE}, {name}: median {median:.2f} s"
                          for name, median in seconds.items()])


def _found(system: str, program: str, setting: Setting) -> dict:
    if system == OURS and not streams():
        raise NotThere(NO_STREAMING)
    duration = max(10, int(SECONDS * setting.scale))
    script = Script(system, program, {"rate": RATE, "seconds": duration})
    return run_script(python_of(system, setting.tell), script, setting.folder, _target(setting))


def _target(setting: Setting) -> Path:
    return setting.folder / "latency.csv"


def _checked(found: dict, setting: Setting) -> Measurement:
    """The answer is judged like every other: each user pays one in turn, and it is halved."""
    at = np.arange(found["rows"])
    right = pa.table({"at": at, "uid": at * 7919 % 10_000, "total": 0.5 * (1 + at // 10_000)})
    return Measurement(CASE, OURS, True, len(at), (found["seconds"],),
                       judged(loaded(_target(setting), right.schema), right))
