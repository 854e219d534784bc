"""Stateless, keyed and shuffled regions with more and more workers.

Tuples are light to heavy. The programs are those of `benchmarks/standalone/scaling.py`, which also
runs where nothing but the engine is installed: plain Python that no kernel can take over.
"""

from __future__ import annotations

import os
from functools import partial

from anabranch.engine import multicore
from anabranch.plan.logical.plan import Plan
from benchmarks.measurement import Contender, Goal, Outcome, Plot, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.standalone import scaling as script
from benchmarks.workloads.engine.work import plan_of, right_answer, rows_for, timed

COUNTS = (1, 2, 4, 8, 16)
COSTS = {5.0: 0.2, 20.0: 0.4, 100.0: 1.25}
"""By microseconds of a tuple, for how many seconds every worker computes: more workers are given
more tuples, so that starting them counts as little. The heaviest, which the goals are for, compute
longest."""
WANTED = {"stateless": 14.0, "keyed": 13.0, "shuffle": 11.0}
STEPS = {"stateless": 1, "keyed": 1, "shuffle": 2}
"""How often the program computes for each row."""


def measure(setting: Setting) -> Outcome:
    counts = [n for n in COUNTS if n <= (os.cpu_count() or 1)]
    outcome = Outcome()
    for cost, seconds in COSTS.items():
        rows = rows_for(cost, seconds, setting.scale)
        for name in WANTED:
            outcome = outcome.joined(_region(name, cost, {n: n * rows for n in counts}, setting))
    return outcome.joined(Outcome(goals=[_goal(outcome, name) for name in WANTED],
                                  plots=[_plot(outcome, counts)]))


def _region(name: str, cost: float, rows: dict[int, int], setting: Setting) -> Outcome:
    """One region with tuples of one cost, by so many rows for each number of workers."""
    rounds, events = script.rounds_for(cost), script.events_of(name, max(rows.values()))
    plan = plan_of(script.programs(rounds, events)[name])
    # Each row gives one row, so the right answer for the first of them is the beginning.
    right = right_answer(plan_of(script.programs(rounds, events, script.known)[name]), events)
    outcome = compared(_case(name, cost), [_contender(plan, events[:count], n)
                                           for n, count in rows.items()],
                       right, len(events), setting)
    alone = {n: count / script.independent(rounds, count * STEPS[name], n)
             for n, count in rows.items()}
    return outcome.joined(Outcome(notes=[_machine(outcome, _case(name, cost), alone)]))


def _contender(plan: Plan, events: list, n: int) -> Contender:
    source = plan.graph.sources[0].name
    return Contender(workers(n), partial(timed, lambda emit: multicore.run(
        plan, {source: events}, emit, workers=n)), ours=True, rows=len(events))


def _machine(outcome: Outcome, case: str, alone: dict[int, float]) -> str:
    """What the machine gives to processes that compute as much without any engine, in rows a second
    by their number, and how much of that is ours."""
    times = ", ".join(f"{n}: {rate / alone[min(alone)]:.2f}" for n, rate in alone.items())
    parts = ", ".join(f"{n}: {found.rows_per_second / rate:.2f}" for n, rate in alone.items()
                      if (found := outcome.of(case, workers(n))))
    return (f"{case}: processes without any engine are so many times as fast as one: {times}; "
            f"ours in parts of their speed: {parts}")


def _case(name: str, cost: float) -> str:
    return f"{name}, {cost:g} microseconds"


def _goal(outcome: Outcome, name: str) -> Goal:
    """For the heaviest tuples; measured only where there are so many cores."""
    times = ratio(outcome, _case(name, max(COSTS)), workers(16), workers(1))
    return at_least(f"{name}, 16 workers against one", times, WANTED[name])


def _plot(outcome: Outcome, counts: list[int]) -> Plot:
    def points(case: str) -> list[tuple[float, float]]:
        found = [(n, ratio(outcome, case, workers(n), workers(1))) for n in counts]
        return [(n, times) for n, times in found if times is not None]
    cases = [_case(name, cost) for cost in COSTS for name in WANTED]
    return Plot("scaling", "Speed with more workers", "workers", "times one worker",
                {case: points(case) for case in cases})
