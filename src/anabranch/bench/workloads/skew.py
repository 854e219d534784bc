"""Uneven keys: the hybrid queue against a queue for each partition.

Keys come from a normal distribution of falling width, and the latency is that of tuples of rising
cost: Figures 9 and 10 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory
Multicores". Their hybrid queue keeps its speed, and its latency stays near a tuple's cost.
"""

from __future__ import annotations

import random
import statistics

import anabranch as ab
from anabranch.bench.measurement import Outcome, Plot, Setting
from anabranch.bench.runner import compared
from anabranch.bench.workloads.engine import (
    clocked,
    compute,
    contender,
    length_for,
    plan_of,
    right_answer,
    rows_for,
)

KEYS = 100
WIDTHS = (2.0, 1.0, 0.5, 0.2, 0.1, 0.05)
COSTS = (10, 100, 1_000, 10_000)
COST = 100
SECONDS = 1.0
QUEUES = ("hybrid", "partitioned")
SHARED = {"processes": "never", "slice_size": 16}


class Tuple(ab.Record):
    at: int
    key: int


class Seen(ab.State):
    sum: int = 0


def keys(rows: int, width: float) -> list[int]:
    """Keys from a normal distribution cut to [-1, 1], the same in every run."""
    chance, found = random.Random(7), []
    while len(found) < rows:
        value = chance.gauss(0.0, width)
        if -1.0 <= value < 1.0:
            found.append(int((value + 1.0) / 2 * KEYS))
    return found


def keyed(items: list[Tuple], length: int) -> ab.Stream:
    @ab.operator(by="key")
    def work(state: Seen, t: Tuple):
        state.sum = state.sum + compute(length) + t.at & 0xFFFF
        yield t.replace(key=state.sum)
    return ab.from_iterable(items, Tuple).apply(work)


def measure(setting: Setting) -> Outcome:
    outcome, speeds, latencies = Outcome(), {}, {}
    for width in WIDTHS:
        found = _skewed(width, setting)
        outcome = outcome.joined(found)
        for m in found.measurements:
            speeds.setdefault(m.contender, []).append((width, m.rows_per_second))
    for cost in COSTS:
        found = _delayed(cost, setting, latencies)
        outcome = outcome.joined(found)
    return outcome.joined(Outcome(plots=_plots(speeds, latencies), notes=[
        "both queues have the same buckets of hashed keys, four for each worker",
        *(f"{cost:,} microseconds a tuple: " + ", ".join(
            f"{queue} {dict(points)[cost]:.2f} ms" for queue, points in latencies.items()
            if cost in dict(points)) for cost in COSTS)]))


def _skewed(width: float, setting: Setting) -> Outcome:
    items = [Tuple(*row) for row in enumerate(keys(rows_for(COST, SECONDS, setting.scale), width))]
    plan = plan_of(keyed(items, length_for(COST)))
    contenders = [contender(queue, plan, items, setting.most_workers, queue=queue, **SHARED)
                  for queue in QUEUES]
    return compared(f"width {width:g}", contenders, right_answer(plan, items), len(items), setting)


def _delayed(cost: float, setting: Setting, latencies: dict) -> Outcome:
    """Even keys; the mean time from a tuple's intake to its output goes to `latencies`."""
    rows = rows_for(cost, SECONDS / 2, setting.scale)
    items = [Tuple(at, at * 7919 % KEYS) for at in range(rows)]
    plan = plan_of(keyed(items, length_for(cost)))
    seen: dict[str, list[float]] = {queue: [] for queue in QUEUES}
    contenders = [clocked(queue, plan, items, setting.most_workers, seen[queue].append,
                          queue=queue, processes="never", slice_size=1) for queue in QUEUES]
    found = compared(f"{cost:,} microseconds", contenders, right_answer(plan, items), rows, setting)
    for queue in QUEUES:
        latencies.setdefault(queue, []).append((cost, statistics.median(seen[queue])))
    return found


def _plots(speeds: dict, latencies: dict) -> list[Plot]:
    return [Plot("skew", "Uneven keys", "width of the distribution of keys", "tuples a second",
                 speeds, log=True),
            Plot("skew-latency", "Latency", "cost of a tuple in microseconds",
                 "mean latency in ms", latencies, log=True)]
