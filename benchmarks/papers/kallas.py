"""Kallas et al., "Stream Processing with Dependency-Guided Synchronization".

Kallas, Niksic, Stanford and Alur measured on 12 nodes.
"""

from __future__ import annotations

from benchmarks.measurement import Beside, Outcome
from benchmarks.papers.comparison import NOTHING, last_point, on_few_cores, speed_up

SCALING = {"windows": "Flink 10, Timely 8, synchronization plans 8 times",
           "views": "Flink 2 (by hand 9), Timely 1 (by hand 2), synchronization plans 8 times",
           "fraud": "Flink 1 (by hand 9), Timely 6, synchronization plans 8 times"}
INDEPENDENT = ("no program says how many workers there are, which of them gets an event, or how "
               "they talk")


def applications(outcome: Outcome) -> list[Beside]:
    """Figures 4 and 8, which Table 1 sums up."""
    scaling = [Beside(f"4 and 8, {name}", paper, speed_up(outcome, name),
                      "one thread reads and divides the events; the paper's come from many sources")
               for name, paper in SCALING.items()]
    return [*scaling, Beside("Table 1, independence of platform",
                             "with synchronization plans all three; by hand none or two",
                             f"all three: {INDEPENDENT}")]


def latency(outcome: Outcome) -> list[Beside]:
    line = next((line for plot in outcome.plots for line in reversed(plot.lines)
                 if "50th" in line), "")
    wait = last_point(outcome, "loaded", line)
    rate = max((m.case for m in outcome.measurements), default="", key=_offered)
    return [Beside("6, the highest rate", "Flink's own plan falls behind; with a synchronization "
                   "plan 4 to 8 times the throughput at low latency",
                   NOTHING if wait is None else f"{rate}: median {wait:.1f} ms ({line})",
                   on_few_cores("rates are those that two cores can follow"))]


def _offered(case: str) -> int:
    return int(case.partition(" ")[0].replace(",", ""))


FIGURES = {"figures-4-8": applications, "figure-6": latency}
