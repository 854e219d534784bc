"""Prasaad et al., "Scaling Ordered Stream Processing on Shared-Memory Multicores".

Prasaad, Ramalingam and Rajan measured on one machine, with up to 16 workers. The figures are
curves; their shapes are in words here.
"""

from __future__ import annotations

from benchmarks.measurement import Beside, Outcome
from benchmarks.papers.comparison import (
    NOTHING,
    against,
    cases,
    last_point,
    on_few_cores,
    right,
    times,
)

LP_TOO = ("Q1:", "Q15")
EVEN, UNEVEN = "width 2", "width 0.1"
LITTLE_TO_CHOOSE = ("16 workers, too, whose tuples wait; few slices are under way, so that each "
                    "stage has its turn soon, whoever chooses")
NO_CONTENTION = on_few_cores(
    "two threads seldom meet at a lock; the paper has up to 16 workers")


def heuristics(outcome: Outcome) -> list[Beside]:
    lines = [Beside(f"8, {case}",
                    f"CT the fastest{', LP as fast' if case.startswith(LP_TOO) else ''}",
                    _fastest(outcome, case), LITTLE_TO_CHOOSE) for case in cases(outcome)]
    return [*lines, Beside("8, latency", "LP the least, CT near it, ET and QST far more",
                           _latencies(outcome, "scheduling", ("CT", "LP", "ET", "QST")),
                           "mean of the last pipeline; all slices are under way at full load")]


def _fastest(outcome: Outcome, case: str) -> str:
    found = right(outcome, case)
    if not found:
        return NOTHING
    best = min(found, key=lambda m: m.median)
    ratio = against(outcome, case, "CT", best.contender)
    return f"{best.contender} the fastest, CT {times([ratio])}"


def _latencies(outcome: Outcome, plot: str, variants: tuple[str, ...]) -> str:
    found = {v: last_point(outcome, f"{plot}-latency", v) for v in variants}
    known = [f"{variant} {wait:.0f} ms" for variant, wait in found.items() if wait is not None]
    return ", ".join(known) or NOTHING


def skew(outcome: Outcome) -> list[Beside]:
    even, uneven = (f"hybrid {times([against(outcome, case, 'hybrid', 'partitioned')])}"
                    for case in (EVEN, UNEVEN))
    return [Beside("9, almost even keys", "both alike", even),
            Beside("9, uneven keys", "hybrid keeps its speed, partitioned loses most of it", uneven,
                   "16 workers, too; tuples wait, so that this needs no 16 cores. With keys yet "
                   "more uneven one of them is more than a worker can do, whatever the queue"),
            Beside("10, latency of a tuple of 10 ms",
                   "hybrid near the tuple's cost, partitioned much more",
                   _latencies(outcome, "skew", ("hybrid", "partitioned")))]


def queues(outcome: Outcome) -> list[Beside]:
    return [Beside("11, throughput", "hybrid much faster in all but Q15",
                   _over_all(outcome, "hybrid", "partitioned"),
                   "16 workers, too, whose tuples wait; but keys are even, so that a fixed part "
                   "of them for each is nearly as good"),
            Beside("11, latency", "hybrid less in three of five",
                   _latencies(outcome, "queue", ("hybrid", "partitioned")),
                   "mean of the last pipeline")]


def light(outcome: Outcome) -> list[Beside]:
    return _buffers(outcome, "12, light tuples", "non-blocking scales better than the lock")


def selective(outcome: Outcome) -> list[Beside]:
    return _buffers(outcome, "13, 50 outputs a tuple",
                    "non-blocking scales, the lock hardly does")


def _buffers(outcome: Outcome, what: str, paper: str) -> list[Beside]:
    most = cases(outcome)[-1] if outcome.measurements else ""
    return [Beside(what, paper, "non-blocking " + times(
        [against(outcome, most, "non-blocking", "lock")]), NO_CONTENTION)]


def pipelines(outcome: Outcome) -> list[Beside]:
    return [Beside("14, throughput", "non-blocking faster in all",
                   _over_all(outcome, "non-blocking", "lock"), NO_CONTENTION)]


def _over_all(outcome: Outcome, one: str, other: str) -> str:
    return f"{one} " + times([against(outcome, case, one, other) for case in cases(outcome)])


FIGURES = {"figure-8": heuristics, "figures-9-10": skew, "figure-11": queues, "figure-12": light,
           "figure-13": selective, "figure-14": pipelines}
