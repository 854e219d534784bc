"""Latency: a keyed state from end to end, at 1,000 and at 100,000 rows a second.

A row's clock starts when it is due, not when the source gets round to it: time that it waits for a
busy source counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator

import anabranch as ab
from anabranch.bench.measurement import Contender, Goal, Outcome, Run, Setting
from anabranch.bench.runner import at_most, compared
from anabranch.bench.workloads.engine import plan_of, right_answer, table
from anabranch.engine import multicore

SECONDS = 3.0
WANTED = {1_000: (1.5, 5.0), 100_000: (2.0, 10.0)}
"""Rows a second, and what is wanted of the median and of the 99th percentile, in milliseconds."""


class Reading(ab.Record):
    at: int
    sensor: int


class Count(ab.State):
    n: int = 0


@ab.operator(by="sensor")
def counted(state: Count, r: Reading):
    state.n += 1
    yield r.replace(sensor=state.n)


def measure(setting: Setting) -> Outcome:
    outcome = Outcome()
    for rate, wanted in WANTED.items():
        items = [Reading(i, i * 7919 % 1000) for i in range(max(50, int(
            rate * SECONDS * setting.scale)))]
        plan = plan_of(ab.from_iterable(items, Reading).apply(counted))
        seen: list[tuple[float, float]] = []
        offered = _offered(plan, items, rate, setting.most_workers, seen.append)
        found = compared(f"{rate:,} rows/s offered", [offered], right_answer(plan, items),
                         len(items), setting)
        outcome = outcome.joined(found).joined(Outcome(goals=_goals(rate, seen, wanted)))
    return outcome


def _offered(plan, items: list, rate: int, workers: int,
             tell: Callable[[tuple[float, float]], None]) -> Contender:
    def run() -> Run:
        out, given = [], []
        began = time.perf_counter()

        def source() -> Iterator[Reading]:
            for n, item in enumerate(items):
                wait = began + n / rate - time.perf_counter()
                if wait > 0:
                    time.sleep(wait)
                yield item

        def emit(op, item) -> None:
            given.append(time.perf_counter())
            out.append(item)
        multicore.run(plan, {plan.graph.sources[0].name: source()}, emit, workers=workers)
        seconds = time.perf_counter() - began
        tell(percentiles([g - began - n / rate for n, g in enumerate(given)]))
        return Run(seconds, table(out))
    return Contender("anabranch", run, ours=True)


def percentiles(seconds: list[float]) -> tuple[float, float]:
    """The median and the 99th percentile, in milliseconds.

    >>> percentiles([n / 1000 for n in range(1, 101)])
    (51.0, 100.0)
    """
    ordered = sorted(seconds)
    return 1000 * ordered[len(ordered) // 2], 1000 * ordered[len(ordered) * 99 // 100]


def _goals(rate: int, seen: list[tuple[float, float]], wanted: tuple[float, float]) -> list[Goal]:
    medians = [statistics.median(column) for column in zip(*seen)] or [None, None]
    return [at_most(f"{rate:,} rows/s offered, {name}", measured, most, "ms")
            for name, measured, most in zip(("median", "99th percentile"), medians, wanted)]
