"""Which stage next? The heuristics CT, LP, ET and QST on five pipelines.

The pipelines have the shapes of Table 1 of Prasaad et al., "Scaling Ordered Stream Processing on
Shared-Memory Multicores" (SL stateless, PS partitioned, SF one state). There CT is the fastest
throughout, LP equals it in Q1 and Q15, ET and QST stay behind.
"""

from __future__ import annotations

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
HEURISTICS = ("CT", "LP", "ET", "QST")
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


def measure(setting: Setting) -> Outcome:
    outcome = Outcome()
    for name, shape in PIPELINES.items():
        outcome = outcome.joined(_one(f"{name}: {shape}", shape, setting))
    return outcome.joined(Outcome(goals=_goals(outcome), plots=[_plot(outcome)]))


def _one(case: str, shape: str, setting: Setting) -> Outcome:
    rows = rows_for(sum(COST[step] for step in shape.split()), SECONDS, setting.scale)
    items = [Sale(i, i * 31 % 211, i * 17 % 97) for i in range(rows)]
    plan = plan_of(pipeline(shape, items))
    contenders = [contender(h, plan, items, setting.most_workers, heuristic=h, processes="never",
                            slice_size=16) for h in HEURISTICS]
    return compared(case, contenders, right_answer(plan, items), rows, setting)


def _goals(outcome: Outcome) -> list[Goal]:
    cases = [f"{name}: {shape}" for name, shape in PIPELINES.items()]
    return [at_least(f"{case}: CT against the fastest of the others",
                     ratio(outcome, case, "CT", *HEURISTICS[1:]), NEAR) for case in cases]


def _plot(outcome: Outcome) -> Plot:
    def points(heuristic: str) -> list[tuple[float, float]]:
        found = [outcome.of(f"{name}: {shape}", heuristic) for name, shape in PIPELINES.items()]
        return [(n, m.rows_per_second) for n, m in enumerate(found, 1) if m]
    return Plot("scheduling", "Heuristics on five pipelines: " + ", ".join(PIPELINES), "pipeline",
                "tuples a second", {h: points(h) for h in HEURISTICS})
