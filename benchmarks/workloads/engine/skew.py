"""Uneven keys: the hybrid queue against a queue for each partition.

There are 16 workers. Keys come from a normal distribution of falling width, and are divided by
range; the latency is that of tuples of rising cost: Figures 9 and 10 of Prasaad et al., "Scaling
Ordered Stream Processing on Shared-Memory Multicores". There the hybrid queue keeps its speed while
the other loses most of it, and its latency stays near a tuple's cost.

Tuples wait, as for a service elsewhere, and do not compute. So 16 workers do not need 16 cores.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

import numpy as np

import anabranch as ab
from anabranch.batch.buckets import spread_all
from anabranch.plan.logical.plan import Plan
from anabranch.plan.tuning import costs
from benchmarks.measurement import Contender, Goal, Outcome, Plot, Setting
from benchmarks.runner import at_least, at_most, compared, ratio
from benchmarks.workloads.engine.work import (
    clocked,
    contender,
    plan_of,
    right_answer,
    rows_for,
    warm_plan_of,
)

WORKERS = 16
WIDTHS = (2.0, 1.0, 0.5, 0.3, 0.2, 0.15, 0.1, 0.05)
EVEN, UNEVEN = 2.0, 0.1
"""With narrower ones a single key has more than a worker can do: no queue could help."""

COSTS = (100, 1_000, 10_000)
COST = 2_000
"""Microseconds of a tuple: what the engine computes for 16 workers fits into them on one core."""

SECONDS = 1.0
QUEUES = ("hybrid", "partitioned")


class Tuple(ab.Record):
    at: int
    key: int


class Seen(ab.State):
    sum: int = 0


def key_names(workers: int) -> list[int]:
    """Keys in the order of their ranges: each has a bucket of the hybrid queue to itself, and
    neighbours have one of the partitioned queue together.

    >>> names = key_names(2)
    >>> spread_all(np.array(names), 2).tolist() == [0] * 8 + [1] * 8
    True
    >>> len(set(spread_all(np.array(names), 16).tolist()))
    16
    """
    each = costs().buckets_per_worker
    buckets = each * workers
    first_in = dict(zip(*np.unique(spread_all(np.arange(1_000 * buckets), buckets), True)))
    return [int(first_in[rank // each + workers * (rank % each)])
            for rank in range(buckets)]


def keys(rows: int, width: float) -> list[int]:
    """Keys from a normal distribution cut to [-1, 1], the same in every run."""
    chance, found, names = random.Random(7), [], key_names(WORKERS)
    while len(found) < rows:
        value = chance.gauss(0.0, width)
        if -1.0 <= value < 1.0:
            found.append(names[int((value + 1.0) / 2 * len(names))])
    return found


def keyed(items: list[Tuple], microseconds: float, begun: list[float]) -> ab.Stream:
    """A running sum by key; each tuple waits, and notes in `begun` when it began to."""
    def waited(at: int) -> int:
        begun[at] = time.perf_counter()
        time.sleep(microseconds / 1e6)
        return at

    @ab.operator(by="key", pure=True)
    def work(state: Seen, t: Tuple):
        state.sum = state.sum + waited(t.at) & 0xFFFF
        yield t.replace(key=state.sum)
    return ab.from_iterable(items, Tuple).apply(work)


def measure(setting: Setting) -> Outcome:
    outcome, latencies = Outcome(), {}
    for width in WIDTHS:
        outcome = outcome.joined(_skewed(width, setting))
    for cost in COSTS:
        outcome = outcome.joined(_delayed(cost, setting, latencies))
    return outcome.joined(Outcome(goals=_goals(outcome, latencies),
                                  plots=_plots(outcome, latencies), notes=_notes(latencies)))


def _compared(case: str, items: list[Tuple], cost: float, setting: Setting,
              made: Callable[[str, Plan, list[float]], Contender]) -> Outcome:
    """The queues with tuples that wait so long; they give what those that do not wait give."""
    begun = [0.0] * len(items)
    plan = warm_plan_of(keyed(items, cost, begun), items, WORKERS)
    right = right_answer(plan_of(keyed(items, 0, begun)), items)
    contenders = [made(queue, plan, begun) for queue in QUEUES]
    return compared(case, contenders, right, len(items), setting)


def _skewed(width: float, setting: Setting) -> Outcome:
    items = [Tuple(*row) for row in enumerate(keys(_rows(COST, setting), width))]
    return _compared(_case(width), items, COST, setting, lambda queue, plan, begun: contender(
        queue, plan, items, WORKERS, queue=queue, processes="never", slice_size=16))


def _delayed(cost: float, setting: Setting, latencies: dict) -> Outcome:
    """Even keys; the mean time from a tuple's beginning to its output goes to `latencies`."""
    chance, names = random.Random(7), key_names(WORKERS)
    items = [Tuple(at, chance.choice(names)) for at in range(min(10_000, _rows(cost, setting)))]
    seen: dict[str, list[float]] = {queue: [] for queue in QUEUES}
    found = _compared(f"{cost:,} microseconds", items, cost, setting,
                      lambda queue, plan, begun: clocked(
                          queue, plan, items, WORKERS, seen[queue].append, begun, queue=queue,
                          processes="never", slice_size=1))
    for queue in QUEUES:
        latencies.setdefault(queue, []).append((cost, statistics.median(seen[queue])))
    return found


def _rows(cost: float, setting: Setting) -> int:
    return WORKERS * rows_for(cost, SECONDS, setting.scale)


def _case(width: float) -> str:
    return f"width {width:g}"


def _goals(outcome: Outcome, latencies: dict) -> list[Goal]:
    """What the paper's curves show."""
    def speed(width: float) -> float | None:
        found = outcome.of(_case(width), "hybrid")
        return found and found.rows_per_second
    kept = speed(UNEVEN) / speed(EVEN) if speed(UNEVEN) and speed(EVEN) else None
    cost, latency = latencies["hybrid"][-1]
    return [at_least("even keys, hybrid against partitioned",
                     ratio(outcome, _case(EVEN), *QUEUES), 0.95),
            at_least("uneven keys, hybrid against partitioned",
                     ratio(outcome, _case(UNEVEN), *QUEUES), 2.0),
            at_least("hybrid, uneven against even keys", kept, 0.9),
            at_most(f"latency of {cost / 1000:g} ms, hybrid", latency / cost * 1000, 1.5)]


def _notes(latencies: dict) -> list[str]:
    return [f"{WORKERS} workers; tuples wait for {COST / 1000:g} ms, where they do not say "
            "otherwise, and need no core for that",
            "keys are divided by range: the partitioned queue has one for each worker, and the "
            f"hybrid queue {costs().buckets_per_worker}",
            *(f"{cost:,} microseconds a tuple: " + ", ".join(
                f"{queue} {dict(points)[cost]:.2f} ms" for queue, points in latencies.items())
              for cost in COSTS)]


def _plots(outcome: Outcome, latencies: dict) -> list[Plot]:
    speeds = {queue: [(width, found.rows_per_second * COST / 1e6) for width in WIDTHS
                      if (found := outcome.of(_case(width), queue))] for queue in QUEUES}
    return [Plot("skew", f"Uneven keys, {WORKERS} workers", "width of the distribution of keys",
                 "workers kept busy", speeds, log=True),
            Plot("skew-latency", "Latency", "cost of a tuple in microseconds",
                 "mean latency in ms", latencies, log=True)]
