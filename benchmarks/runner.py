"""Runs contenders against each other, and checks every answer.

Each turn runs all contenders of a case, every other turn in the opposite order, so whatever else
the machine does meets all of them alike; ratios are of medians from one such comparison.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence

import pyarrow as pa

from benchmarks import machine
from benchmarks.answers import Verdict, judged
from benchmarks.measurement import (
    Absent,
    Contender,
    Goal,
    Measurement,
    NotThere,
    Outcome,
    Run,
    Setting,
)

NOTED = 0.02
"""What the host takes is told if it is more than that part of the time."""


def compared(case: str, contenders: Sequence[Contender], expected: pa.Table, rows: int,
             setting: Setting) -> Outcome:
    """What was measured of each contender; one that fails is named with its reason."""
    runs: dict[str, list[tuple[Run, Verdict]]] = {c.name: [] for c in contenders}
    absent: dict[str, str] = {}
    stolen = machine.stolen()
    for turn in range(setting.repeat):
        for contender in contenders[::-1] if turn % 2 else contenders:
            if contender.name not in absent:
                setting.tell(f"{case}: {contender.name} ({turn + 1} of {setting.repeat})")
                _one(contender, expected[:contender.rows], runs[contender.name], absent)
    return Outcome([_measurement(case, c, rows, runs[c.name]) for c in contenders
                    if c.name not in absent],
                   [Absent(case, name, reason) for name, reason in absent.items()],
                   notes=_stolen(case, machine.stolen() - stolen, runs.values()))


def _stolen(case: str, seconds: float, runs: Iterable[list[tuple[Run, Verdict]]]) -> list[str]:
    """A note where others had part of the processors: workers that wait for each other then wait
    for the one whose processor is gone."""
    taken = sum(run.seconds for each in runs for run, _ in each)
    return [f"{case}: the host took {seconds:.1f} s of the processors' time for others, in "
            f"{taken:.0f} s of runs"] if seconds > NOTED * taken else []


def _one(contender: Contender, expected: pa.Table, runs: list, absent: dict[str, str]) -> None:
    # What others left behind, and the inputs of all, would be looked through in one of the runs.
    gc.collect()
    try:
        run = contender.run()
    except NotThere as why:
        absent[contender.name] = str(why)
    else:
        runs.append((run, judged(run.answer, expected)))


def _measurement(case: str, contender: Contender, rows: int,
                 runs: Sequence[tuple[Run, Verdict]]) -> Measurement:
    verdict = Verdict.IN_ORDER
    for _, seen in runs:
        verdict = verdict.worse(seen)
    startups = sorted(run.startup for run, _ in runs if run.startup is not None)
    return Measurement(case, contender.name, contender.ours, contender.rows or rows,
                       tuple(run.seconds for run, _ in runs), verdict,
                       startups[len(startups) // 2] if startups else None, contender.lines)


def at_least(what: str, measured: float | None, wanted: float, unit: str = "times") -> Goal:
    """A goal that a measured value passes from below.

    >>> at_least("rows", 1.5, 1.2).word, at_least("rows", None, 1.2).word
    ('reached', 'not measured')
    """
    return _goal(what, measured, f"at least {wanted:g} {unit}", unit,
                 None if measured is None else measured >= wanted)


def at_most(what: str, measured: float | None, wanted: float, unit: str = "times") -> Goal:
    return _goal(what, measured, f"at most {wanted:g} {unit}", unit,
                 None if measured is None else measured <= wanted)


def _goal(what: str, measured: float | None, wanted: str, unit: str, reached: bool | None) -> Goal:
    return Goal(what, wanted, "" if measured is None else f"{measured:.3g} {unit}", reached)


def ratio(outcome: Outcome, case: str, ours: str, *peers: str) -> float | None:
    """How many times as fast as the fastest of the peers ours is; only right answers count, and
    ours only in order."""
    own = outcome.of(case, ours)
    others = [m for peer in peers if (m := outcome.of(case, peer))]
    if own is None or own.verdict is not Verdict.IN_ORDER or not others:
        return None
    return own.rows_per_second / max(m.rows_per_second for m in others)


def workers(n: int) -> str:
    """
    >>> workers(1), workers(2)
    ('1 worker', '2 workers')
    """
    return f"{n} worker{'' if n == 1 else 's'}"


def faults(outcome: Outcome) -> list[str]:
    """What our own engines got wrong: values, or the order that is promised."""
    return [f"{m.case}, {m.contender}: {m.verdict.value}" for m in outcome.measurements
            if m.ours and m.verdict is not Verdict.IN_ORDER]
