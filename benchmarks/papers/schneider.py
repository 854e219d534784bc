"""Schneider et al., on stateful distributed streaming applications.

Schneider, Hirzel, Gedik and Wu, "Auto-parallelizing stateful distributed streaming applications",
measured on four machines of eight cores.
"""

from __future__ import annotations

from benchmarks.measurement import Beside, Measurement, Outcome
from benchmarks.papers.comparison import NOTHING, goal, right, speed_up
from benchmarks.report.figures import rate

HEAVY, LIGHT = "100 microseconds", "5 microseconds"
LINEAR = {"stateless": "32 times with 32 channels (100 % of linear)",
          "keyed": "31.3 times with 32 channels (98 %)",
          "shuffle": "15.3 times with 16 channels on 32 cores (96 %), 22.6 with 32 (71 %)"}
CHEAP = {"stateless": "more channels do no harm", "keyed": "2 times and more up to 16 channels",
         "shuffle": "more than 2 times"}
APPLICATIONS = {"network monitoring": "11.4 to 21.1 times with 16 or 32 channels",
                "pagerank": "the same", "tweet words": "the same", "same tag": "the same",
                "finance": "3.2 times with 4 channels, not more with others"}
SMALL = ("a tuple takes {} microseconds here, and much of it is making the input, in one process; "
         "in the paper {}")
WHY = {"network monitoring": SMALL.format(7, "23 to 33, and order is given up"),
       "pagerank": "the blocks of one round are computed side by side, the rest in turn; a tuple "
                   "of the paper took 11 s",
       "tweet words": SMALL.format(25, "103"), "same tag": SMALL.format(12, "140 and 3,500"),
       "finance": "the union by time is one operator, there as here"}


def scalability(outcome: Outcome) -> list[Beside]:
    return [Beside(f"6, {name}, {cost}", paper[name], speed_up(outcome, f"{name}, {cost}"), why)
            for cost, paper, why in (
                (HEAVY, LINEAR, ""),
                (LIGHT, CHEAP, "rows of so little work stay in one process: to send them to "
                               "another costs as much"))
            for name in LINEAR]


def order(outcome: Outcome) -> list[Beside]:
    why = "order is told once for each slice, not for each tuple"
    return [Beside("8, time and rate", "0.6 to 1,000 microseconds, 1.6 M to 1,000 tuples/s",
                   _time_and_rate(outcome), "ours are in order"),
            Beside("8, sequence numbers", "at most 12 %", goal(outcome, "sequence numbers"), why),
            Beside("8, pulses", "at most 21 %", goal(outcome, "pulses"), why)]


def _time_and_rate(outcome: Outcome) -> str:
    found = [m for m in outcome.measurements
             if m.contender == "in order" and m.case.startswith("sequence numbers")]
    if not found:
        return NOTHING
    cheap, dear = found[0], found[-1]
    return (f"{_microseconds(cheap)} to {_microseconds(dear)} microseconds, "
            f"{rate(cheap.rows_per_second)} to {rate(dear.rows_per_second)} tuples/s")


def _microseconds(m: Measurement) -> str:
    return f"{1e6 / m.rows_per_second:,.3g}"


def epochs(outcome: Outcome) -> list[Beside]:
    rates = {m.contender: m.rows_per_second for m in right(outcome, "epochs")}
    some = [rates[f"slices of {n}"] for n in (8, 16, 32) if f"slices of {n}" in rates]
    ours = f"at most {100 * (max(some) - min(some)) / max(some):.0f} %" if some else NOTHING
    return [Beside("8, epochs of 8 to 32 tuples", "the speed varies by at most 8 %", ours,
                   "a slice is handed over as a whole: each costs Python's time, so that longer "
                   "ones are faster")]


def selectivity(outcome: Outcome) -> list[Beside]:
    return [Beside("8, work for every tuple", "the most is gained",
                   speed_up(outcome, "1 of 1")),
            Beside("8, work for one of 256", "slower than sequential, unless the work is much",
                   speed_up(outcome, "1 of 256"),
                   "workers fetch slices themselves: no splitter pays for more of them")]


def applications(outcome: Outcome) -> list[Beside]:
    return [Beside(f"12, {name}", paper, speed_up(outcome, name), WHY.get(name, ""))
            for name, paper in APPLICATIONS.items()]


FIGURES = {"figure-6": scalability, "figure-8-order": order, "figure-8-epochs": epochs,
           "figure-8-selectivity": selectivity, "figure-12": applications}
