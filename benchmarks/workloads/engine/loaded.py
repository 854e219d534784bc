"""Latency of a synchronized operator as more and more is offered.

This is Figure 6 of Kallas et al., "Stream Processing with Dependency-Guided Synchronization".

Fraud detection, one rule for every thousand transactions; a plan for one worker against one for
all.
"""

from __future__ import annotations

import anabranch as ab
from benchmarks import data
from benchmarks.measurement import Outcome, Plot, Setting
from benchmarks.programs.fraud import Event, watched
from benchmarks.runner import compared, workers
from benchmarks.workloads.engine.latency import offered, rows_of, typical
from benchmarks.workloads.engine.work import plan_of, right_answer

RATES = (1_000, 10_000, 50_000, 100_000)
EVERY = 1_000
PERCENTILES = (10, 50, 90)


def measure(setting: Setting) -> Outcome:
    outcome, lines = Outcome(), {}
    for rate in RATES:
        items = _events(rows_of(rate, setting))
        plan = plan_of(ab.from_iterable(items, Event, time="at").apply(watched))
        seen: dict[int, list[list[float]]] = {n: [] for n in setting.workers}
        contenders = [offered(workers(n), plan, items, rate, n, seen[n].append,
                              place=lambda _, told: told.at) for n in setting.workers]
        outcome = outcome.joined(compared(f"{rate:,} events/s offered", contenders,
                                          right_answer(plan, items), len(items), setting))
        for n in setting.workers:
            for percent, wait in zip(PERCENTILES, typical(seen[n], PERCENTILES)):
                lines.setdefault(f"{workers(n)}, {percent}th percentile", []).append((rate, wait))
    return outcome.joined(Outcome(plots=[Plot(
        "loaded", "Latency of fraud detection", "events offered a second", "milliseconds", lines,
        log=True)]))


def _events(rows: int) -> list[Event]:
    every = min(EVERY, rows // 5)
    return [Event(i, int(i % every == every - 1), value % 100_000)
            for i, value in enumerate(data.noise(rows).tolist())]
