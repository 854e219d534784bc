"""What the stages of a job did and when, as the tasks have noted it down.

It comes to the driver with the output, long after it has happened. But tasks also note when, by the
clocks of their machines, so that a report can show the work at the time at which it was done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anabranch.engine.multicore.metrics import OperatorMetrics, StageMetrics
from anabranch.engine.multicore.tiers import Tier
from anabranch.engine.spark.explaining import metrics_of
from anabranch.engine.spark.measured import Measured, together
from anabranch.engine.spark.pieces import Piece
from anabranch.engine.spark.program import Stages

MOST = 20_000
"""With more notes than these, two after each other become one: streams may go on for ever."""


class Timeline:
    """The notes of all tasks, in the order in which they come."""

    def __init__(self, stages: Stages, tiers: Mapping[int, Tier] | None = None):
        self.stages, self.tiers = stages, tiers or {}
        self.notes: list[Measured] = []

    def note(self, piece: Piece) -> None:
        self.notes.extend(piece.measured)
        if len(self.notes) > MOST:
            self.notes = halved(self.notes)

    def metrics(self) -> list[StageMetrics]:
        """What every stage did in all."""
        return metrics_of(self.stages, self.tiers, self.notes)

    def at(self, times: Sequence[float]) -> list[tuple[StageMetrics, ...]]:
        """What every stage had done at each of these times, in seconds of the epoch."""
        shares = [done_at(np.asarray(times), [note for note in self.notes
                                              if note.stage == stage.index])
                  for stage in self.stages.before]
        whole = self.metrics()
        return [tuple(map(partly, whole, now)) for now in zip(*shares)]


def done_at(times: np.ndarray, notes: Sequence[Measured]) -> np.ndarray:
    """The share of some work that is done at each time.

    >>> one, two = (Measured(0, 10, 10, 1.0, 0, began=at, ended=at + 1) for at in (5.0, 6.0))
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


def halved(notes: Sequence[Measured]) -> list[Measured]:
    """Two of each stage that follow each other as one."""
    left: dict[int, Measured] = {}
    done = []
    for note in notes:
        if note.stage in left:
            done.append(together(left.pop(note.stage), note))
        else:
            left[note.stage] = note
    return [*done, *left.values()]
