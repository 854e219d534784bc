"""The reorder buffers, without blocking and with a lock.

These are Figures 12 and 13 of Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory
Multicores".

A light operator of some ten microseconds; and one with 50 outputs for each tuple in front of a
partitioned one, where handing on is long.
"""

from __future__ import annotations

import anabranch as ab
from benchmarks.measurement import Outcome, Plot, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.workloads.engine.work import (
    compute,
    contender,
    length_for,
    plan_of,
    right_answer,
    rows_for,
)

SECONDS = 1.0
OUTPUTS = 50
BUFFERS = ("non-blocking", "lock")
COSTS = {"light": 10.0, "selective": 5_000.0}


class Item(ab.Record):
    at: int
    key: int


class Seen(ab.State):
    count: int = 0


@ab.operator(by="key")
def counted(state: Seen, i: Item):
    state.count += 1
    yield i.replace(at=i.at + state.count)


def light(items: list[Item]) -> ab.Stream:
    length = length_for(COSTS["light"])
    return ab.from_iterable(items, Item).map(lambda i: i.replace(at=i.at + compute(length) % 7))


def selective(items: list[Item]) -> ab.Stream:
    length = length_for(100.0)

    def many(i: Item) -> list[Item]:
        found = compute(length) % 7
        return [Item(i.at + n + found, (i.key + n) % 97) for n in range(OUTPUTS)]
    return ab.from_iterable(items, Item).flat_map(many, to=Item).apply(counted)


PROGRAMS = {"light": light, "selective": selective}


def measure(setting: Setting, program: str) -> Outcome:
    outcome, lines = Outcome(), {}
    for count in sorted(set(setting.workers)):
        found = _compared(program, count, setting)
        outcome = outcome.joined(found)
        for m in found.measurements:
            lines.setdefault(m.contender, []).append((count, m.rows_per_second))
    most = _case(program, setting.most_workers)
    return outcome.joined(Outcome(
        goals=[at_least(f"{most}, non-blocking against the lock",
                        ratio(outcome, most, *BUFFERS), 0.95)],
        plots=[Plot(f"reordering-{program}", f"Reorder buffers, {program}", "workers",
                    "tuples a second", lines)]))


def _case(program: str, count: int) -> str:
    return f"{program}, {workers(count)}"


def _compared(program: str, count: int, setting: Setting) -> Outcome:
    rows = rows_for(COSTS[program], SECONDS, setting.scale)
    items = [Item(i, i * 31 % 97) for i in range(rows)]
    plan = plan_of(PROGRAMS[program](items))
    contenders = [contender(buffer, plan, items, count, reorder=buffer, processes="never")
                  for buffer in BUFFERS]
    return compared(_case(program, count), contenders, right_answer(plan, items), rows, setting)
