"""What benchmarks are made of: contenders, measurements, goals, plots, outcomes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path

import pyarrow as pa

from anabranch.core.errors import AnabranchError
from benchmarks.answers import Verdict


class NotThere(Exception):
    """Something cannot be measured here; the text says why."""


@dataclass(frozen=True)
class Run:
    """One run of a contender: its own count of seconds, its answer, and its time to start."""

    seconds: float
    answer: pa.Table
    startup: float | None = None


@dataclass(frozen=True)
class Contender:
    """One way to do the work of a case. `lines` counts the code that a user writes for it;
    `rows` how many of the case's rows it is given, from the first on, where that is not all."""

    name: str
    run: Callable[[], Run]
    ours: bool = False
    lines: int | None = None
    rows: int | None = None


@dataclass(frozen=True)
class Measurement:
    """All runs of one contender in one case; the verdict is that of its worst run."""

    case: str
    contender: str
    ours: bool
    rows: int
    seconds: tuple[float, ...]
    verdict: Verdict
    startup: float | None = None
    lines: int | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def rows_per_second(self) -> float:
        return self.rows / self.median

    @property
    def spread(self) -> float:
        """How far apart the runs are: from the fastest to the slowest, as a part of the median."""
        return (max(self.seconds) - min(self.seconds)) / self.median


@dataclass(frozen=True)
class Absent:
    """What could not be measured, and why."""

    case: str
    contender: str
    reason: str


@dataclass(frozen=True)
class Goal:
    """What is aimed at beside what was measured; `reached` is None when it could not be."""

    what: str
    wanted: str
    measured: str
    reached: bool | None

    @property
    def word(self) -> str:
        return {True: "reached", False: "not reached", None: "not measured"}[self.reached]


@dataclass(frozen=True)
class Beside:
    """A figure of a paper beside ours; `why` says what makes them differ, where they do."""

    what: str
    paper: str
    ours: str
    why: str = ""


@dataclass(frozen=True)
class Plot:
    """Lines through points, to be drawn."""

    name: str
    title: str
    x: str
    y: str
    lines: dict[str, list[tuple[float, float]]]
    log: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a workload gave."""

    measurements: list[Measurement] = field(default_factory=list)
    absent: list[Absent] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    beside: list[Beside] = field(default_factory=list)

    def of(self, case: str, contender: str) -> Measurement | None:
        """The measurement of a contender, if it is there and its answer is right."""
        return next((m for m in self.measurements if (m.case, m.contender) == (case, contender)
                     and m.verdict.is_right), None)

    def joined(self, other: Outcome) -> Outcome:
        return Outcome(*(getattr(self, part.name) + getattr(other, part.name)
                         for part in fields(Outcome)))


@dataclass(frozen=True)
class Setting:
    """How to measure: sizes, repetitions, workers, a folder to write to, and whom to tell."""

    folder: Path
    rows: int = 2_000_000
    repeat: int = 3
    workers: tuple[int, ...] = (1, 2)
    scale: float = 1.0
    tell: Callable[[str], None] = lambda text: None

    @property
    def most_workers(self) -> int:
        return max(self.workers)


@dataclass(frozen=True)
class Workload:
    """A workload of a suite: `measure(setting)` gives its outcome, and `beside(outcome)` what a
    paper tells of it."""

    name: str
    title: str
    measure: Callable[[Setting], Outcome]
    beside: Callable[[Outcome], list[Beside]] = lambda outcome: []


Done = dict[Callable[[Setting], Outcome], Outcome]
"""What was measured already, with the same setting: several suites share some work."""


def outcome_of(workload: Workload, setting: Setting, done: Done | None = None) -> Outcome:
    """What a workload gives; one that cannot run here is named with the reason."""
    done = {} if done is None else done
    if workload.measure not in done:
        done[workload.measure] = _outcome(workload, setting)
    outcome = done[workload.measure]
    return outcome.joined(Outcome(beside=workload.beside(outcome)))


def _outcome(workload: Workload, setting: Setting) -> Outcome:
    try:
        return workload.measure(setting)
    except NotThere as why:
        return Outcome(absent=[Absent("all", workload.name, str(why))])
    except AnabranchError as error:
        return Outcome(absent=[Absent("all", workload.name, f"it failed: {error.what}")])
