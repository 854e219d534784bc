"""Latency of W1 on Spark at 1,000 rows a second, against `applyInPandasWithState`."""

from __future__ import annotations

from anabranch.bench.environments import python_of
from anabranch.bench.measurement import Absent, NotThere, Outcome, Setting
from anabranch.bench.runner import at_most
from anabranch.bench.scripted import Script, run_script
from anabranch.bench.workloads.spark import NO_STREAMING, streams

RATE = 1_000
SECONDS = 60
CASE = f"{RATE:,} rows/s offered"
BY_HAND = "applyInPandasWithState"


def measure(setting: Setting) -> Outcome:
    reason = "its latency is not reported" if streams() else NO_STREAMING
    absent, notes = [Absent(CASE, "anabranch", reason)], []
    try:
        notes.append(_by_hand(setting))
    except NotThere as why:
        absent.append(Absent(CASE, BY_HAND, str(why)))
    return Outcome(absent=absent, notes=notes,
                   goals=[at_most(f"{CASE}, median", None, 1.0, "s")])


def _by_hand(setting: Setting) -> str:
    setting.tell(f"{CASE}: {BY_HAND}")
    seconds = max(5, int(SECONDS * setting.scale))
    script = Script("pyspark", "latency_stream", {"rate": RATE, "seconds": seconds})
    found = run_script(python_of("pyspark", setting.tell), script, setting.folder, setting.folder)
    return f"{BY_HAND}: median {found['median_ms'] / 1000:.2f} s over {found['rows']:,} rows"
