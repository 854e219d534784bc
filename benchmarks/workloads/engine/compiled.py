"""Compiled regions with more and more workers, and W1 against Polars with as many threads.

The regions multiply a hundred times for a row, from an Arrow table to one; their programs are those
of `benchmarks/standalone/compiled_scaling.py`. Every run comes after one that compiles.
"""

from __future__ import annotations

import importlib.util
import os
import time
from functools import partial
from pathlib import Path

from pyarrow import parquet

import anabranch as ab
from benchmarks import data
from benchmarks.measurement import Contender, Goal, NotThere, Outcome, Plot, Run, Setting
from benchmarks.runner import at_least, compared, ratio, workers
from benchmarks.standalone import all_cores
from benchmarks.standalone import compiled_scaling as script

COUNTS = (1, 2, 4, 8, 16)
MULTIPLICATIONS = 100
TIMES_THE_ROWS = {"regions": 5, "W1": 10}
WANTED = {"stateless": 13.0, "keyed": 11.0, "shuffle": 9.0}
STEPS = {"stateless": 1, "keyed": 1, "shuffle": 2}
AGAINST_POLARS = 1.3
W1 = "W1 from Parquet to Parquet"


def measure(setting: Setting) -> Outcome:
    counts = [n for n in COUNTS if n <= (os.cpu_count() or 1)]
    outcome = Outcome()
    for name in WANTED:
        outcome = outcome.joined(_region(name, counts, setting))
    outcome = outcome.joined(_w1(counts, setting))
    return outcome.joined(Outcome(
        goals=[*(at_least(f"compiled {name}, 16 workers against one",
                          ratio(outcome, _case(name), workers(16), workers(1)), wanted)
                 for name, wanted in WANTED.items()),
               *(_goal(outcome, n) for n in COUNTS)],
        plots=[_plot(outcome, counts)]))


def _case(name: str) -> str:
    return f"compiled {name}"


def _region(name: str, counts: list[int], setting: Setting) -> Outcome:
    rows = TIMES_THE_ROWS["regions"] * setting.rows
    source = ab.from_arrow(script.table_of(rows), script.Event)
    right = script.programs(source, MULTIPLICATIONS)[name].to_arrow(workers=1)
    contenders = [Contender(workers(n), partial(_ran, source, name, n), ours=True) for n in counts]
    outcome = compared(_case(name), contenders, right, rows, setting)
    alone = {n: script.seconds_alone(rows * STEPS[name], MULTIPLICATIONS, n) for n in counts}
    times = ", ".join(f"{n}: {alone[counts[0]] / seconds:.2f}" for n, seconds in alone.items())
    return outcome.joined(Outcome(notes=[
        f"{_case(name)}: threads without any engine are so many times as fast as one: {times}"]))


def _ran(source: ab.Stream, name: str, n: int) -> Run:
    for _ in range(2):
        began = time.perf_counter()
        found = script.programs(source, MULTIPLICATIONS)[name].to_arrow(workers=n)
        seconds = time.perf_counter() - began
    return Run(seconds, found)


def _w1(counts: list[int], setting: Setting) -> Outcome:
    rows = TIMES_THE_ROWS["W1"] * setting.rows
    source = data.written("payments", rows, "parquet")
    ours = [Contender(workers(n), partial(_process, "anabranch", source, n, setting), ours=True)
            for n in counts]
    theirs = [Contender(_polars(n), partial(_process, "polars", source, n, setting))
              for n in counts]
    right = _process("anabranch", source, 1, setting).answer
    return compared(W1, [*ours, *theirs], right, rows, setting)


def _polars(n: int) -> str:
    return f"Polars, {n} thread{'s' * (n > 1)}"


def _process(system: str, source: Path, n: int, setting: Setting) -> Run:
    if not importlib.util.find_spec(system):
        raise NotThere(f"{system} is not installed")
    target = setting.folder / "compiled.parquet"
    seconds = all_cores.timed(system, "w1", source, target, 2, n)
    if not seconds:
        raise NotThere(f"{system} failed")
    return Run(min(seconds[1:]), parquet.read_table(target).combine_chunks())


def _goal(outcome: Outcome, n: int) -> Goal:
    return at_least(f"{W1}, {workers(n)} against Polars with as many threads",
                    ratio(outcome, W1, workers(n), _polars(n)), AGAINST_POLARS)


def _plot(outcome: Outcome, counts: list[int]) -> Plot:
    def points(case: str) -> list[tuple[float, float]]:
        found = [(n, ratio(outcome, case, workers(n), workers(1))) for n in counts]
        return [(n, times) for n, times in found if times is not None]
    return Plot("compiled", "Speed of compiled regions with more workers", "workers",
                "times one worker", {case: points(case) for case in (*map(_case, WANTED), W1)})
