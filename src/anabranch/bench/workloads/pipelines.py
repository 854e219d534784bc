"""Five pipelines: SL is stateless, PS partitioned, SF has one state.

Their shapes are those of Table 1 of Prasaad et al., "Scaling Ordered Stream Processing on
Shared-Memory Multicores".
"""

from __future__ import annotations

from collections.abc import Mapping

import anabranch as ab
from anabranch.bench.measurement import Goal, Outcome, Plot, Setting
from anabranch.bench.runner import at_least, compared, ratio
from anabranch.bench.workloads.engine import (
    compute,
    contender,
    length_for,
    plan_of,
    right_answer,
    rows_for,
)

PIPELINES = {"Q1": "SL PS PS SF", "Q2": "SL PS SL PS SF", "Q3": "SL PS PS", "Q4": "SL PS SL SF",
             "Q15": "SL SL PS"}
COST = {"SL": 60.0, "PS": 60.0, "SF": 15.0}
SECONDS = 1.0
NEAR = 0.95
"""As fast as the fastest, but for what two runs of the same differ."""


class Sale(ab.Record):
    at: int
    item: int
    store: int


class Seen(ab.State):
    count: int = 0


def stateless(stream: ab.Stream, place: int) -> ab.Stream:
    length = length_for(COST["SL"])
    return stream.map(lambda s: s.replace(store=(s.store + compute(length) + place) % 97))


def partitioned(stream: ab.Stream, place: int) -> ab.Stream:
    """By the item or the store in turn, so that two in a row need a shuffle."""
    length = length_for(COST["PS"])
    key = ("item", "store")[place % 2]

    @ab.operator(by=key)
    def count(state: Seen, s: Sale):
        state.count = state.count + compute(length) + 1 & 0xFF
        yield s.replace(at=s.at + state.count)
    return stream.apply(count)


def stateful(stream: ab.Stream, place: int) -> ab.Stream:
    length = length_for(COST["SF"])

    @ab.operator
    def every(state: Seen, s: Sale):
        state.count = state.count + compute(length) + 1 & 0xFF
        yield s.replace(at=s.at + state.count)
    return stream.apply(every)


STEPS = {"SL": stateless, "PS": partitioned, "SF": stateful}


def pipeline(shape: str, items: list[Sale]) -> ab.Stream:
    stream = ab.from_iterable(items, Sale)
    for place, step in enumerate(shape.split()):
        stream = STEPS[step](stream, place)
    return stream


def over_all(variants: Mapping[str, Mapping[str, str]], setting: Setting) -> Outcome:
    """Every pipeline with the knobs of every variant, all in threads."""
    outcome = Outcome()
    for name, shape in PIPELINES.items():
        rows = rows_for(sum(COST[step] for step in shape.split()), SECONDS, setting.scale)
        items = [Sale(i, i * 31 % 211, i * 17 % 97) for i in range(rows)]
        plan = plan_of(pipeline(shape, items))
        contenders = [contender(variant, plan, items, setting.most_workers, processes="never",
                                slice_size=16, **knobs) for variant, knobs in variants.items()]
        outcome = outcome.joined(compared(case_of(name), contenders, right_answer(plan, items),
                                          rows, setting))
    return outcome


def case_of(name: str) -> str:
    return f"{name}: {PIPELINES[name]}"


def goals(outcome: Outcome, first: str, others: tuple[str, ...]) -> list[Goal]:
    """The first variant is as fast as the fastest of the others, on every pipeline."""
    return [at_least(f"{case_of(name)}, {first} against {' and '.join(others)}",
                     ratio(outcome, case_of(name), first, *others), NEAR) for name in PIPELINES]


def plot(outcome: Outcome, name: str, title: str, variants: Mapping[str, object]) -> Plot:
    def points(variant: str) -> list[tuple[float, float]]:
        found = [outcome.of(case_of(name), variant) for name in PIPELINES]
        return [(n, m.rows_per_second) for n, m in enumerate(found, 1) if m]
    return Plot(name, title, "pipeline: " + ", ".join(PIPELINES), "tuples a second",
                {variant: points(variant) for variant in variants})
