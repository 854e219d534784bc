"""Latency: a keyed state from end to end, at 1,000 and 100,000 rows a second.

A row's clock starts when it is due, not when the source gets round to it: time that it waits for a
busy source counts.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import anabranch as ab
from anabranch.engine import multicore
from anabranch.plan.logical.plan import Plan
from benchmarks.measurement import Contender, Goal, Outcome, Run, Setting
from benchmarks.runner import at_most, compared
from benchmarks.workloads.engine.work import plan_of, right_answer, table

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
        items = [Reading(i, i * 7919 % 1000) for i in range(rows_of(rate, setting))]
        plan = plan_of(ab.from_iterable(items, Reading).apply(counted))
        seen: list[list[float]] = []
        contender = offered("anabranch", plan, items, rate, setting.most_workers, seen.append)
        found = compared(f"{rate:,} rows/s offered", [contender], right_answer(plan, items),
                         len(items), setting)
        outcome = outcome.joined(found).joined(Outcome(goals=_goals(rate, seen, wanted)))
    return outcome


def rows_of(rate: int, setting: Setting) -> int:
    return max(50, int(rate * SECONDS * setting.scale))


def offered(name: str, plan: Plan, items: list, rate: int, workers: int,
            tell: Callable[[list[float]], None], place: Callable = lambda n, item: n) -> Contender:
    """The plan on the multicore engine, offered so many items a second. `tell` is given how long
    each output took since the item of its `place` was due, in seconds."""
    def run() -> Run:
        out, given = [], []
        began = time.perf_counter()

        def source() -> Iterator[object]:
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
        due = [began + place(n, item) / rate for n, item in enumerate(out)]
        tell([at - then for at, then in zip(given, due)])
        return Run(seconds, table(out))
    return Contender(name, run, ours=True)


def percentiles(seconds: list[float], wanted: Sequence[int]) -> list[float]:
    """These percentiles, in milliseconds.

    >>> percentiles([n / 1000 for n in range(1, 101)], (50, 99))
    [51.0, 100.0]
    """
    ordered = sorted(seconds)
    return [1000 * ordered[len(ordered) * percent // 100] for percent in wanted]


def typical(runs: list[list[float]], wanted: Sequence[int]) -> list[float]:
    """Of each percentile, the median of all runs."""
    found = [percentiles(seconds, wanted) for seconds in runs]
    return [statistics.median(column) for column in zip(*found)]


def _goals(rate: int, seen: list[list[float]], wanted: tuple[float, float]) -> list[Goal]:
    medians = typical(seen, (50, 99)) or [None, None]
    return [at_most(f"{rate:,} rows/s offered, {name}", measured, most, "ms")
            for name, measured, most in zip(("median", "99th percentile"), medians, wanted)]
