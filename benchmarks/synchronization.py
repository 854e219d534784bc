"""How synchronization plans scale with workers, and what synchronizing events and heartbeats cost.

The workloads are those of `anabranch bench --suite synchronization`, for machines with more cores
and without the command line's dependencies: it needs NumPy, PyArrow and Numba alone. Every output
is compared with that of one worker. A line of JSON for each measurement, then the goals.

    python benchmarks/synchronization.py [--workers 1 2 4 8 12] [--runs 3] [--scale 1]
                                         [--only applications pages rates heartbeats]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from anabranch.bench.measurement import Outcome, Setting
from anabranch.bench.workloads.synchronization import measure

PARTS = ("applications", "pages", "rates", "heartbeats")


def shown(part: str, outcome: Outcome) -> None:
    for found in outcome.measurements:
        print(json.dumps({"part": part, "case": found.case, "contender": found.contender,
                          "events_per_second": round(found.rows_per_second),
                          "answer": found.verdict.value, "events": found.rows,
                          "seconds": [round(s, 3) for s in found.seconds]}), flush=True)
    for missing in outcome.absent:
        print(json.dumps({"part": part, "case": missing.case, "absent": missing.contender,
                          "reason": missing.reason}), flush=True)
    for note in outcome.notes:
        print(json.dumps({"part": part, "note": note}), flush=True)
    for plot in outcome.plots:
        print(json.dumps({"plot": plot.name, "x": plot.x, "y": plot.y, **plot.lines}), flush=True)


def arguments() -> argparse.Namespace:
    cores = os.cpu_count() or 2
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+",
                        default=[n for n in (1, 2, 4, 8, 12) if n <= cores])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    return parser.parse_args()


def main() -> None:
    asked, began = arguments(), time.perf_counter()
    print(json.dumps({"cores": os.cpu_count(), "python": sys.version.split()[0],
                      "machine": platform.platform(), "workers": asked.workers}), flush=True)
    goals = []
    for part in asked.only:
        with tempfile.TemporaryDirectory() as folder:
            outcome = measure(Setting(Path(folder), repeat=asked.runs, scale=asked.scale,
                                      workers=tuple(asked.workers)), part)
        shown(part, outcome)
        goals += outcome.goals
    for goal in goals:
        print(f"{goal.what}: {goal.measured or 'not measured'} ({goal.wanted}): {goal.word}")
    print(f"{time.perf_counter() - began:.0f} s in all")


if __name__ == "__main__":
    main()
