"""Five pipelines: SL is stateless, PS partitioned, SF has one state.

Their shapes are those of Table 1 of Prasaad et al., "Scaling Ordered Stream Processing on
Shared-Memory Multicores".
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import anabranch as ab
from benchmarks.measurement import Goal, Outcome, Plot, Setting
from benchmarks.runner import at_least, compared, ratio
from benchmarks.workloads.engine.work import (
    clocked,
    compute,
    length_for,
    plan_of,
    right_answer,
    rows_for,
    warm_plan_of,
)

PIPELINES = {"Q1": "SL PS PS SF", "Q2": "SL PS SL PS SF", "Q3": "SL PS PS", "Q4": "SL PS SL SF",
             "Q15": "SL SL PS"}
COST = {"SL": 60.0, "PS": 60.0, "SF": 15.0}
SECONDS = 1.0
NEAR = 0.95
"""As fast as the fastest, but for what two runs of the same differ."""

Work = Callable[[], int]
"""What a tuple does at a step; it gives 0, so that how long it took is not in the answer."""


@dataclass(frozen=True)
class Load:
    """What tuples do at a step of so many microseconds, in slices of so many, and by how many
    workers; their costs are `times` those above."""

    work: Callable[[float], Work]
    slice_size: int = 16
    times: float = 1.0
    workers: int | None = None


def computing(microseconds: float) -> Work:
    length = length_for(microseconds)
    return lambda: compute(length) * 0


def waiting(microseconds: float) -> Work:
    def wait() -> int:
        time.sleep(microseconds / 1e6)
        return 0
    return wait


COMPUTING = Load(computing)
WAITING = Load(waiting, slice_size=4, times=30.0, workers=16)
"""As many workers as the paper has, on any machine: they need no cores to wait. They wait so long
that one core is enough for what the engine computes."""


class Sale(ab.Record):
    at: int
    item: int
    store: int


class Seen(ab.State):
    count: int = 0


def stateless(stream: ab.Stream, place: int, work: Work) -> ab.Stream:
    return stream.map(lambda s: s.replace(store=(s.store + work() + place) % 97), pure=True)


def partitioned(stream: ab.Stream, place: int, work: Work) -> ab.Stream:
    """By the item or the store in turn, so that two in a row need a shuffle."""
    @ab.operator(by=("item", "store")[place % 2], pure=True)
    def count(state: Seen, s: Sale):
        state.count = state.count + work() + 1 & 0xFF
        yield s.replace(at=s.at + state.count)
    return stream.apply(count)


def stateful(stream: ab.Stream, place: int, work: Work) -> ab.Stream:
    @ab.operator(pure=True)
    def every(state: Seen, s: Sale):
        state.count = state.count + work() + 1 & 0xFF
        yield s.replace(at=s.at + state.count)
    return stream.apply(every)


STEPS = {"SL": stateless, "PS": partitioned, "SF": stateful}


def pipeline(shape: str, items: list[Sale], work_of: Mapping[str, Work]) -> ab.Stream:
    stream = ab.from_iterable(items, Sale)
    for place, step in enumerate(shape.split()):
        stream = STEPS[step](stream, place, work_of[step])
    return stream


def over_all(name: str, title: str, variants: Mapping[str, Mapping[str, str]], setting: Setting,
             load: Load = COMPUTING) -> Outcome:
    """Every pipeline with the knobs of every variant, all in threads; plots of their speeds and of
    their latencies."""
    outcome, waits = Outcome(), {variant: [] for variant in variants}
    for place, shape in enumerate(PIPELINES, 1):
        found, means = _compared(shape, variants, setting, load)
        outcome = outcome.joined(found)
        for variant, mean in means.items():
            waits[variant].append((place, mean))
    axis = "pipeline: " + ", ".join(PIPELINES)
    return outcome.joined(Outcome(plots=[
        Plot(name, title, axis, "tuples a second", _speeds(outcome, variants)),
        Plot(f"{name}-latency", f"{title}: latency", axis, "mean latency in ms", waits)]))


def _compared(name: str, variants: Mapping[str, Mapping[str, str]], setting: Setting, load: Load
              ) -> tuple[Outcome, dict[str, float]]:
    """What was measured on one pipeline, and the mean latency with each variant."""
    shape, workers = PIPELINES[name], load.workers or setting.most_workers
    costs = _costs(load, workers)
    rows = workers * rows_for(sum(costs[step] for step in shape.split()), SECONDS, setting.scale)
    items = [Sale(i, i * 31 % 211, i * 17 % 97) for i in range(rows)]
    work_of = {step: load.work(cost) for step, cost in costs.items()}
    plan = warm_plan_of(pipeline(shape, items, work_of), items, workers)
    idle = plan_of(pipeline(shape, items, dict.fromkeys(costs, lambda: 0)))
    seen: dict[str, list[float]] = {variant: [] for variant in variants}
    contenders = [clocked(variant, plan, items, workers, seen[variant].append, processes="never",
                          slice_size=load.slice_size, **knobs)
                  for variant, knobs in variants.items()]
    found = compared(case_of(name), contenders, right_answer(idle, items), rows, setting)
    return found, {variant: statistics.median(means) for variant, means in seen.items() if means}


def _costs(load: Load, workers: int) -> dict[str, float]:
    """The microseconds of each step. One that only one worker can do is shorter the more there are,
    as nothing but that step would be measured else."""
    costs = {step: cost * load.times for step, cost in COST.items()}
    return costs | {"SF": costs["SF"] * 2 / max(2, workers)}


def case_of(name: str) -> str:
    return f"{name}: {PIPELINES[name]}"


def goals(outcome: Outcome, first: str, others: tuple[str, ...]) -> list[Goal]:
    """The first variant is as fast as the fastest of the others, on every pipeline."""
    return [at_least(f"{case_of(name)}, {first} against {' and '.join(others)}",
                     ratio(outcome, case_of(name), first, *others), NEAR) for name in PIPELINES]


def _speeds(outcome: Outcome, variants: Mapping[str, object]
            ) -> dict[str, list[tuple[float, float]]]:
    def points(variant: str) -> list[tuple[float, float]]:
        found = [outcome.of(case_of(name), variant) for name in PIPELINES]
        return [(place, m.rows_per_second) for place, m in enumerate(found, 1) if m]
    return {variant: points(variant) for variant in variants}
