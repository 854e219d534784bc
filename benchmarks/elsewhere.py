"""Workloads on a machine that has neither the command line nor Git.

    python -m benchmarks.elsewhere --out DIR [--commit NAME] [--runs 3] [--scale 1]
                                   [--workers 1 2 4 8 16] SUITE/WORKLOAD...

for instance `multicore/scaling synchronization/applications languages/radio`. It needs NumPy,
PyArrow and Numba alone, and writes the same JSON as the command: put into a folder of
`benchmarks/results`, named after the machine, `anabranch bench --no-run --readme` shows it beside
the others.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measurement import Outcome, Setting, Workload, outcome_of
from benchmarks.report import results
from benchmarks.report.figures import rows
from benchmarks.suites import chosen

ROWS = 2_000_000
BEGAN = time.perf_counter()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = os.cpu_count() or 1
    parser.add_argument("workloads", nargs="+", metavar="SUITE/WORKLOAD")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--commit", help="what is measured, where Git cannot say it")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--workers", type=int, nargs="+",
                        default=[n for n in (1, 2, 4, 8, 12, 16) if n <= cores])
    return parser.parse_args()


def measured(suite: str, workload: Workload, asked: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(Path(folder), int(ROWS * asked.scale), asked.runs, tuple(asked.workers),
                          asked.scale, tell)
        outcome = outcome_of(workload, setting)
    entry = results.entry(workload, outcome, setting)
    if asked.commit:
        entry["machine"] |= {"commit": asked.commit}
    results.write(asked.out, suite, results.read(asked.out, suite) | {workload.name: entry})
    shown(workload, outcome)


def tell(step: str) -> None:
    """When each step begins, which is how long the one before took: a run that is broken off before
    its end has told that much."""
    print(f"{time.perf_counter() - BEGAN:8.2f} s  {step}", flush=True)


def shown(workload: Workload, outcome: Outcome) -> None:
    print(f"{workload.name}: {workload.title}")
    for line in rows(outcome):
        print("  " + "  ".join(f"{cell:>12}" for cell in line))
    for goal in outcome.goals:
        print(f"  {goal.what}: {goal.measured or '-'} ({goal.wanted}): {goal.word}")
    for note in (*outcome.notes, *(f"{a.contender}: {a.reason}" for a in outcome.absent)):
        print(f"  {note}")
    sys.stdout.flush()


def main() -> None:
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in asked.workloads:
        suite, _, only = name.partition("/")
        for workload in chosen((suite,), (only,) if only else ())[suite]:
            measured(suite, workload, asked)
    print(f"{time.perf_counter() - BEGAN:.0f} s in all")


if __name__ == "__main__":
    main()
