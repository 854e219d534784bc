"""Scaling: stateless, keyed and shuffled regions with more and more workers, light to heavy tuples.

The programs are those of `benchmarks/scaling.py`, which also runs where nothing but the engine is
installed: plain Python that no kernel can take over.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from anabranch.bench.measurement import Goal, NotThere, Outcome, Plot, Setting
from anabranch.bench.runner import at_least, compared, ratio, workers
from anabranch.bench.workloads.engine import contender, plan_of, right_answer, rows_for
from anabranch.source import PACKAGE

SCRIPTS = Path(PACKAGE).parents[1] / "benchmarks"
COUNTS = (1, 2, 4, 8, 16)
COSTS = (5.0, 20.0, 100.0)
SECONDS, SECONDS_OF_EACH = 2.0, 0.75
"""So long one worker computes; for the heaviest tuples also so long each of as many as there are
cores: what it takes to start them must not count for much."""
WANTED = {"stateless": 14.0, "keyed": 13.0, "shuffle": 11.0}
STEPS = {"stateless": 1, "keyed": 1, "shuffle": 2}
"""How often the program computes for each row."""


def measure(setting: Setting) -> Outcome:
    script = loaded("scaling")
    counts = [n for n in COUNTS if n <= (os.cpu_count() or 1)]
    outcome = Outcome()
    for cost in COSTS:
        rows = rows_for(cost, _seconds(cost, counts), setting.scale)
        rounds = script.rounds_for(cost)
        for name in WANTED:
            events = script.events_of(name, rows)
            plan = plan_of(script.programs(rounds, events)[name])
            outcome = outcome.joined(compared(
                _case(name, cost), [contender(workers(n), plan, events, n) for n in counts],
                right_answer(plan, events), rows, setting))
            alone = {n: script.independent(rounds, rows * STEPS[name], n) for n in counts}
            outcome = outcome.joined(Outcome(notes=[_machine(outcome, _case(name, cost), alone)]))
    return outcome.joined(Outcome(goals=[_goal(outcome, name) for name in WANTED],
                                  plots=[_plot(outcome, counts)]))


def _seconds(cost: float, counts: list[int]) -> float:
    return max(SECONDS, SECONDS_OF_EACH * counts[-1]) if cost == COSTS[-1] else SECONDS


def _machine(outcome: Outcome, case: str, alone: dict[int, float]) -> str:
    """What the machine gives to processes that compute as much without any engine, by their number,
    and how much of that is ours."""
    times = ", ".join(f"{n}: {alone[min(alone)] / taken:.2f}" for n, taken in alone.items())
    parts = ", ".join(f"{n}: {taken / found.median:.2f}" for n, taken in alone.items()
                      if (found := outcome.of(case, workers(n))))
    return (f"{case}: processes without any engine are so many times as fast as one: {times}; "
            f"ours in parts of their speed: {parts}")


def loaded(name: str) -> ModuleType:
    """The module of a script that is beside the package."""
    script = SCRIPTS / f"{name}.py"
    if not script.exists():
        raise NotThere(f"benchmarks/{name}.py is not beside the package")
    spec = importlib.util.spec_from_file_location(f"anabranch_{name}", script)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _case(name: str, cost: float) -> str:
    return f"{name}, {cost:g} microseconds"


def _goal(outcome: Outcome, name: str) -> Goal:
    """For the heaviest tuples; measured only where there are so many cores."""
    times = ratio(outcome, _case(name, COSTS[-1]), workers(16), workers(1))
    return at_least(f"{name}, 16 workers against one", times, WANTED[name])


def _plot(outcome: Outcome, counts: list[int]) -> Plot:
    def points(case: str) -> list[tuple[float, float]]:
        found = [(n, ratio(outcome, case, workers(n), workers(1))) for n in counts]
        return [(n, times) for n, times in found if times is not None]
    cases = [_case(name, cost) for cost in COSTS for name in WANTED]
    return Plot("scaling", "Speed with more workers", "workers", "times one worker",
                {case: points(case) for case in cases})
