"""What order costs: sequence numbers, and pulses for what leaves gaps, against no order at all.

Functions multiply 1 to 10,000 times for each tuple, as in Schneider et al., "Auto-parallelizing
stateful distributed streaming applications", who measured 12 % and 21 % at most.
"""

from __future__ import annotations

import statistics
from dataclasses import replace

import anabranch as ab
from anabranch.bench.measurement import Goal, Outcome, Plot, Setting
from anabranch.bench.runner import at_most, compared
from anabranch.bench.workloads.engine import contender, plan_of, right_answer, rows_that_take
from anabranch.bench.workloads.unordered import NAME, order_may_be_lost

MULTIPLICATIONS = (1, 10, 100, 1_000, 10_000)
TURNS = 5
"""A few percent are less than two runs of the same may differ: there are more runs than usual."""

WANTED = {"sequence numbers": 3.0, "pulses": 5.0}
SECONDS = 1.0
SAMPLE = 1_000


class Item(ab.Record):
    at: int
    value: float


def multiplied(value: float, times: int) -> float:
    for _ in range(times):
        value = value * 1.0000001
    return value


def programs(times: int) -> dict[str, ab.Stream]:
    """One output for each tuple; and none for every other one, so numbers have gaps."""
    source = ab.from_iterable([], Item)

    @ab.operator
    def some(i: Item):
        value = multiplied(i.value, times)
        if i.at % 2:
            yield i.replace(value=value)
    return {"sequence numbers": source.map(lambda i: i.replace(value=multiplied(i.value, times))),
            "pulses": source.apply(some)}


def measure(setting: Setting) -> Outcome:
    outcome, setting = Outcome(), replace(setting, repeat=max(TURNS, setting.repeat))
    with order_may_be_lost():
        for times in MULTIPLICATIONS:
            for strategy, stream in programs(times).items():
                outcome = outcome.joined(_compared(strategy, times, stream, setting))
    return outcome.joined(Outcome(goals=_goals(outcome), plots=[_plot(outcome)], notes=[
        "order costs the most where a tuple is the cheapest; goals are for the worst case"]))


def _items(rows: int) -> list[Item]:
    return [Item(i, float(i)) for i in range(rows)]


def _case(strategy: str, times: int) -> str:
    return f"{strategy}, {times:,} multiplications"


def _compared(strategy: str, times: int, stream: ab.Stream, setting: Setting) -> Outcome:
    plan, workers = plan_of(stream), setting.most_workers
    rows = rows_that_take(SECONDS * setting.scale, plan, _items(SAMPLE), workers)
    items = _items(rows)
    contenders = [contender("in order", plan, items, workers),
                  contender("no order", plan, items, workers, ours=False, reorder=NAME)]
    return compared(_case(strategy, times), contenders, right_answer(plan, items), len(items),
                    setting)


def _overhead(outcome: Outcome, strategy: str, times: int) -> float | None:
    """In percent of the time without order: the median over the turns, in each of which both run
    one after the other and meet the same machine."""
    ordered = outcome.of(_case(strategy, times), "in order")
    free = outcome.of(_case(strategy, times), "no order")
    if not ordered or not free:
        return None
    turns = [one / other for one, other in zip(ordered.seconds, free.seconds)]
    return 100 * (statistics.median(turns) - 1)


def _overheads(outcome: Outcome, strategy: str) -> list[tuple[float, float]]:
    found = [(times, _overhead(outcome, strategy, times)) for times in MULTIPLICATIONS]
    return [(times, percent) for times, percent in found if percent is not None]


def _goals(outcome: Outcome) -> list[Goal]:
    return [at_most(f"{strategy}, overhead at its worst", max(
        (percent for _, percent in _overheads(outcome, strategy)), default=None), wanted, "%")
        for strategy, wanted in WANTED.items()]


def _plot(outcome: Outcome) -> Plot:
    return Plot("order", "What order costs", "multiplications for each tuple", "overhead in %",
                {strategy: _overheads(outcome, strategy) for strategy in WANTED}, log=True)
