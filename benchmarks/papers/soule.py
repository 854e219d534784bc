"""Soulé et al., "River: an intermediate language for stream processing".

Soulé, Hirzel, Gedik and Grimm measured on up to 16 machines of eight cores.
"""

from __future__ import annotations

from benchmarks.measurement import Beside, Outcome
from benchmarks.papers.comparison import against, cases, speed_up, times


def placement(outcome: Outcome) -> list[Beside]:
    return [Beside("20 (a), Linear Road", "3.70 times on four machines, 4.02 fused",
                   speed_up(outcome, "linear road (cql)"),
                   "windows over all vehicles and the instants of relations are put together in "
                   "one place"),
            Beside("20 (b), FM radio", "1.84 times on four machines",
                   speed_up(outcome, "fm radio (str)"),
                   "pieces of the whole radio are replicated, where the paper places its filters")]


def fission(outcome: Outcome) -> list[Beside]:
    return [Beside("20 (c), log analyzer in Sawzall",
                   "8.92 times on 16 machines; fused 50.32 times with 64 replicas",
                   speed_up(outcome, "log analyzer (szl)"),
                   "fused and compiled: reading the lines takes as long as counting them"),
            Beside("20 (d), log analyzer in CQL", "2.19 times at best, on six machines",
                   speed_up(outcome, "log analyzer (cql)"),
                   "slices of many instants; one worker already has a reading thread beside it")]


def calibration(outcome: Outcome) -> list[Beside]:
    return [Beside("calibration, 10^9 items against Hadoop", "0.83 times (115 s and 96 s)",
                   times([against(outcome, case, "anabranch", "pyspark")
                          for case in cases(outcome)]),
                   "against PySpark written by hand; the Sawzall loop is compiled")]


def sharing(outcome: Outcome) -> list[Beside]:
    locks = [case for case in cases(outcome) if case.startswith("(a)")]
    many = [case for case in cases(outcome) if case.startswith("(b)")]
    return [Beside("21 (a), three operators, two locks", "about twice as fast as with one lock",
                   times([against(outcome, case, "multicore", "sequential") for case in locks]),
                   "the first operator is a tuple ahead of the last; the first slices are not yet"),
            Beside("21 (b), 1 to 1,250 variables",
                   "a lock for each: linear in their number; one for all: no growth",
                   times([_growth(outcome, many)]) + " the time of one variable",
                   "no locks: a tuple costs what it takes to hand the values over")]


def _growth(outcome: Outcome, many: list[str]) -> float | None:
    found = [m.median for case in many if (m := outcome.of(case, "multicore"))]
    return found[-1] / found[0] if found else None


FIGURES = {"figure-20-placement": placement, "figure-20-fission": fission,
           "calibration": calibration, "figure-21": sharing}
