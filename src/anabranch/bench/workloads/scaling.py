"""Scaling: stateless, keyed and shuffled regions with more and more workers, light to heavy tuples.

The programs are those of `benchmarks/scaling.py`, which also runs where nothing but the engine is
installed.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

from anabranch.bench.measurement import Goal, NotThere, Outcome, Plot, Setting
from anabranch.bench.runner import at_least, compared, ratio
from anabranch.bench.workloads.engine import contender, plan_of, right_answer, rows_for
from anabranch.source import PACKAGE

SCRIPT = Path(PACKAGE).parents[1] / "benchmarks" / "scaling.py"
COUNTS = (1, 2, 4, 8, 16)
COSTS = (5.0, 20.0, 100.0)
SECONDS = 2.0
WANTED = {"stateless": 14.0, "keyed": 13.0, "shuffle": 11.0}


def measure(setting: Setting) -> Outcome:
    script = loaded()
    counts = [n for n in COUNTS if n <= (os.cpu_count() or 1)]
    outcome = Outcome()
    for cost in COSTS:
        rows = rows_for(cost, SECONDS, setting.scale)
        events = [script.Event(i % 1009, i % 997, float(i)) for i in range(rows)]
        for name, stream in script.programs(script.rounds_for(cost), events).items():
            plan = plan_of(stream)
            outcome = outcome.joined(compared(
                _case(name, cost), [contender(_workers(n), plan, events, n) for n in counts],
                right_answer(plan, events), rows, setting))
    return outcome.joined(Outcome(goals=[_goal(outcome, name) for name in WANTED],
                                  plots=[_plot(outcome, counts)]))


def loaded() -> ModuleType:
    if not SCRIPT.exists():
        raise NotThere("benchmarks/scaling.py is not beside the package")
    spec = importlib.util.spec_from_file_location("anabranch_scaling", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _case(name: str, cost: float) -> str:
    return f"{name}, {cost:g} microseconds"


def _workers(n: int) -> str:
    return f"{n} worker{'' if n == 1 else 's'}"


def _goal(outcome: Outcome, name: str) -> Goal:
    """For the heaviest tuples; measured only where there are so many cores."""
    times = ratio(outcome, _case(name, COSTS[-1]), _workers(16), _workers(1))
    return at_least(f"{name}, 16 workers against one", times, WANTED[name])


def _plot(outcome: Outcome, counts: list[int]) -> Plot:
    def points(case: str) -> list[tuple[float, float]]:
        found = [(n, ratio(outcome, case, _workers(n), _workers(1))) for n in counts]
        return [(n, times) for n, times in found if times is not None]
    cases = [_case(name, cost) for cost in COSTS for name in WANTED]
    return Plot("scaling", "Speed with more workers", "workers", "times one worker",
                {case: points(case) for case in cases})
