"""Epochs and selectivity, for tuples of the same cost.

These are the other parts of Figure 8 of Schneider et al., "Auto-parallelizing stateful
distributed streaming applications".

Order is told once for each slice here, so the size of a slice is what an epoch is there. The more
selective an operator, the less there is to do behind the splitter.
"""

from __future__ import annotations

import anabranch as ab
from benchmarks.measurement import Outcome, Plot, Setting
from benchmarks.runner import compared, ratio, workers
from benchmarks.workloads.engine.work import (
    compute,
    contender,
    length_for,
    plan_of,
    right_answer,
    rows_for,
)

SIZES = (1, 2, 4, 8, 16, 32, 64)
SELECTIVITIES = (1, 4, 16, 64, 256)
COST = 50.0
SECONDS = 1.0
THREADS = {"processes": "never"}


class Item(ab.Record):
    at: int
    key: int


class Seen(ab.State):
    sum: int = 0


def every(selectivity: int, items: list[Item]) -> ab.Stream:
    """A keyed operator that works for one tuple of so many, and drops the others."""
    length = length_for(COST)

    @ab.operator(by="key")
    def work(state: Seen, i: Item):
        if i.at % selectivity == 0:
            state.sum = state.sum + compute(length) + i.at & 0xFFFF
            yield i.replace(key=state.sum)
    return ab.from_iterable(items, Item).apply(work)


def measure(setting: Setting, part: str) -> Outcome:
    return {"epochs": _epochs, "selectivity": _selectivities}[part](setting)


def _items(rows: int) -> list[Item]:
    return [Item(i, i * 31 % 97) for i in range(rows)]


def _epochs(setting: Setting) -> Outcome:
    items = _items(rows_for(COST, SECONDS, setting.scale))
    plan = plan_of(every(1, items))
    contenders = [contender(f"slices of {size}", plan, items, setting.most_workers,
                            slice_size=size, **THREADS) for size in SIZES]
    found = compared("epochs", contenders, right_answer(plan, items), len(items), setting)
    points = [(size, m.rows_per_second) for size, m in zip(SIZES, found.measurements)]
    return found.joined(Outcome(plots=[Plot("epochs", "The length of an epoch", "tuples in a slice",
                                            "tuples a second", {"anabranch": points}, log=True)]))


def _selectivities(setting: Setting) -> Outcome:
    outcome, points = Outcome(), []
    for selectivity in SELECTIVITIES:
        items = _items(rows_for(COST / selectivity + 4.0, SECONDS, setting.scale))
        plan = plan_of(every(selectivity, items))
        case = f"1 of {selectivity}"
        contenders = [contender(workers(n), plan, items, n, **THREADS)
                      for n in sorted(set(setting.workers))]
        found = compared(case, contenders, right_answer(plan, items), len(items), setting)
        outcome = outcome.joined(found)
        times = ratio(found, case, contenders[-1].name, contenders[0].name)
        points += [(selectivity, times)] if times else []
    return outcome.joined(Outcome(plots=[Plot(
        "selectivity", "Selectivity", "work for one tuple of so many",
        "times the fewest workers", {"anabranch": points}, log=True)]))
