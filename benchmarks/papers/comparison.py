"""What was measured here, in the words of the papers' figures."""

from __future__ import annotations

import os
from collections.abc import Sequence

from benchmarks.measurement import Measurement, Outcome

NOTHING = "not measured"
FEW = 4


def on_few_cores(why: str) -> str:
    """What makes a figure differ where there are few cores, as long as there are."""
    return why if (os.cpu_count() or 1) <= FEW else ""


def right(outcome: Outcome, case: str) -> list[Measurement]:
    """The contenders of a case, in their order, whose answers are right."""
    return [m for m in outcome.measurements if m.case == case and m.verdict.is_right]


def speed_up(outcome: Outcome, case: str) -> str:
    """How much faster the last contender of a case is than the first: the most workers than one.

    >>> from benchmarks.answers import Verdict
    >>> one, two = (Measurement("c", f"{n} workers", True, 10, (s,), Verdict.IN_ORDER)
    ...             for n, s in ((1, 3.8), (2, 2.0)))
    >>> speed_up(Outcome([one, two]), "c"), speed_up(Outcome(), "c")
    ('1.90 times with 2 workers (95 % of linear)', 'not measured')
    """
    found = right(outcome, case)
    if len(found) < 2:
        return NOTHING
    times = found[-1].rows_per_second / found[0].rows_per_second
    count = int(found[-1].contender.partition(" ")[0])
    return f"{times:.2f} times with {count} workers ({100 * times / count:.0f} % of linear)"


def against(outcome: Outcome, case: str, one: str, other: str) -> float | None:
    """How many times as fast as another contender one is."""
    first, second = outcome.of(case, one), outcome.of(case, other)
    return first.rows_per_second / second.rows_per_second if first and second else None


def times(found: Sequence[float | None]) -> str:
    """The least and the most of some ratios.

    >>> times([1.25, None, 0.98]), times([1.1]), times([None])
    ('0.98 to 1.25 times', '1.10 times', 'not measured')
    """
    known = sorted(f"{ratio:.2f}" for ratio in found if ratio is not None)
    if not known:
        return NOTHING
    return f"{' to '.join(dict.fromkeys((known[0], known[-1])))} times"


def goal(outcome: Outcome, beginning: str) -> str:
    """What was measured for the goal whose text begins so."""
    return next((g.measured for g in outcome.goals
                 if g.what.startswith(beginning) and g.measured), NOTHING)


def last_point(outcome: Outcome, plot: str, line: str) -> float | None:
    """Where a line of a plot ends."""
    points = next((p.lines.get(line) for p in outcome.plots if p.name == plot), None)
    return points[-1][1] if points else None


def cases(outcome: Outcome) -> list[str]:
    return list(dict.fromkeys(m.case for m in outcome.measurements))
