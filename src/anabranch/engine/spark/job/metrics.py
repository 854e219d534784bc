"""What the stages of a job did and when, as the tasks have noted it down.

It comes to the driver with the output, long after it has happened. But tasks also note when, by the
clocks of their machines, so that a report can show the work at the time at which it was done.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from anabranch.engine.spark.job.lines import TaskMeasurement, added, together
from anabranch.engine.spark.job.pieces import SlicePiece
from anabranch.plan.physical.plan import Execution
from anabranch.plan.physical.spark.execution import (
    BY_DRIVER,
    BY_TASKS,
    ROWS,
    Deeds,
    operator_names,
    recorded,
)
from anabranch.plan.physical.spark.plan import SparkPlan
from anabranch.plan.physical.spark.segments import Stages
from anabranch.plan.physical.stages import Stage
from anabranch.plan.physical.tiers import Tier
from anabranch.runtime.metrics import OperatorMetrics, StageMetrics, ends_of

MOST = 20_000
"""With more notes than these, two after each other become one: streams may go on for ever."""


class Timeline:
    """The notes of all tasks, in the order in which they come, and what was done where. `tiers` has
    those that a stream has now."""

    def __init__(self, physical: SparkPlan, tiers: Mapping[int, Tier] | None = None):
        self.physical, self.stages = physical, physical.stages
        self.tiers = physical.tiers if tiers is None else tiers
        self.notes: list[TaskMeasurement] = []
        self.deeds, self.by_tasks = Deeds(), Counter()

    def note(self, piece: SlicePiece) -> None:
        for note in piece.measured:
            if note.exchange:
                self.deeds.served(note.stage, note.exchange, note.task, note.alone)
            else:
                self.notes.append(note)
        for source, count, form in piece.read:
            if count:
                self.deeds.read(source, form, BY_TASKS)
        for sink, _, count in piece.written:
            self.deeds.wrote(sink, "parts")
            self.by_tasks[sink] += count
        if len(self.notes) > MOST:
            self.notes = halved(self.notes)

    def read_here(self, by_driver: bool, read: Mapping[str, int]) -> None:
        """Notes the sources of which the driver has read so many rows."""
        for source, count in read.items():
            if by_driver and count:
                self.deeds.read(source, ROWS, BY_DRIVER)

    def written_here(self, written: Mapping[str, int]) -> None:
        """Notes the sinks that have more rows than the tasks have written."""
        for sink, count in written.items():
            if count > self.by_tasks[sink]:
                self.deeds.wrote(sink, "driver")

    def recorded(self) -> Execution:
        """What was done, in the words of the plan."""
        done = {stage.index: metrics for stage, metrics in zip(self.stages.before, self.metrics())}
        return recorded(self.physical, self.deeds, {n: stage.tier for n, stage in done.items()},
                        {n: stage.reason for n, stage in done.items()})

    def metrics(self) -> list[StageMetrics]:
        """What every stage did in all."""
        found = metrics_of(self.stages, self.tiers, self.notes)
        return [replace(metrics, work=self.deeds.work(stage.index))
                for stage, metrics in zip(self.stages.before, found)]

    def at(self, times: Sequence[float]) -> list[tuple[StageMetrics, ...]]:
        """What every stage had done at each of these times, in seconds of the epoch."""
        shares = [done_at(np.asarray(times), [note for note in self.notes
                                              if note.stage == stage.index])
                  for stage in self.stages.before]
        whole = self.metrics()
        return [tuple(map(partly, whole, now)) for now in zip(*shares)]


def done_at(times: np.ndarray, notes: Sequence[TaskMeasurement]) -> np.ndarray:
    """The share of some work that is done at each time.

    >>> one, two = (TaskMeasurement(0, 10, 10, 1.0, 0, began=at, ended=at + 1) for at in (5.0, 6.0))
    >>> done_at(np.array([5.0, 5.5, 6.0, 7.0]), [one, two]).tolist()
    [0.0, 0.25, 0.5, 1.0]
    """
    work = np.array([max(note.seconds, 1e-9) for note in notes])
    done = np.zeros(len(times))
    for note, seconds in zip(notes, work):
        length = max(note.ended - note.began, 1e-9)
        done += seconds * np.clip((times - note.began) / length, 0.0, 1.0)
    return done / work.sum() if len(notes) else done


def partly(stage: StageMetrics, share: float) -> StageMetrics:
    """What a stage had done when it had done this share of it all."""
    def some(count: int | None) -> int | None:
        return None if count is None else round(share * count)

    def of_operator(each: OperatorMetrics) -> OperatorMetrics:
        return replace(each, rows_in=some(each.rows_in), rows_out=some(each.rows_out),
                       seconds=each.seconds and share * each.seconds)
    return replace(stage, rows_in=some(stage.rows_in), rows_out=some(stage.rows_out),
                   seconds=share * stage.seconds, each=tuple(map(of_operator, stage.each)))


def halved(notes: Sequence[TaskMeasurement]) -> list[TaskMeasurement]:
    """Two of each stage that follow each other as one."""
    left: dict[int, TaskMeasurement] = {}
    done = []
    for note in notes:
        if note.stage in left:
            done.append(together(left.pop(note.stage), note))
        else:
            left[note.stage] = note
    return [*done, *left.values()]


def metrics_of(stages: Stages, tiers: Mapping[int, Tier], measured: Iterable[TaskMeasurement]
               ) -> list[StageMetrics]:
    """What every stage did, of all its slices together."""
    by_stage: dict[int, list[TaskMeasurement]] = defaultdict(list)
    for each in measured:
        by_stage[each.stage].append(each)
    return [_metrics(stage, tiers.get(stage.index, Tier(None)), by_stage[stage.index])
            for stage in stages.before]


def _metrics(stage: Stage, tier: Tier, measured: list[TaskMeasurement]) -> StageMetrics:
    rows_in, rows_out, seconds, fast = (sum(each[n] for each in measured) for n in range(1, 5))
    by_tier = {name: rows for name, rows in ((tier.name, fast), ("rows", rows_in - fast)) if rows}
    why = tier.reason.text if tier.reason else ""
    each = tuple(OperatorMetrics(*step) for step in _steps(operator_names(stage), measured, fast))
    return StageMetrics(operators=operator_names(stage), sharing=stage.sharing.value,
                        rows_in=rows_in, rows_out=rows_out, seconds=seconds, each=each,
                        tier=tier.name if fast else "rows", reason=why, rows_by_tier=by_tier)


def _steps(names: tuple[str, ...], measured: list[TaskMeasurement], fast: int) -> Iterator[tuple]:
    """What is known of each operator: of those in a kernel together what came to the first and left
    the last, of one alone all."""
    rows_in, rows_out, seconds = (sum(each[n] for each in measured) for n in range(1, 4))
    known = {step.operator: step for step in added(s for each in measured for s in each.steps)}
    if len(names) == 1:
        known = {names[0]: (names[0], rows_in, rows_out, seconds)}
    elif fast:
        known = ends_of(names, rows_in, rows_out)
    return (known.get(name, (name, None, None, None)) for name in names)
