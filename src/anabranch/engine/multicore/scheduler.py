"""The scheduler: which stage should a worker serve now? Heuristics pick one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TIME_SLICE = 0.01
"""A worker serves a stage for so many seconds, then asks again."""

CAPACITY = 64
"""So much work the worklists hold together before QST throttles."""


def queue_size_throttling(scheduler, ready: list[int]) -> int:
    """QST: the earliest stage whose output has room; if none has, the last one makes some.

    The room is shared out by how much each stage gives for one source tuple.
    """
    gives = [scheduler.rows_out_each(stage) for stage in range(len(scheduler.shapes))]
    total = sum(gives)
    for stage in ready:
        threshold = CAPACITY * gives[stage] / total if total else CAPACITY
        behind = sum(scheduler.waiting[follower] for follower in scheduler.shapes[stage].feeds)
        if behind < max(threshold, 1):
            return stage
    return ready[-1]


def last_in_pipeline(scheduler, ready: list[int]) -> int:
    """LP: the latest stage that has input."""
    return ready[-1]


def estimated_time(scheduler, ready: list[int]) -> int:
    """ET: the stage whose worklist would take longest with one more worker."""
    def remaining(stage: int) -> float:
        seen = scheduler.measured[stage]
        return scheduler.waiting[stage] * seen.cost_of_one / (seen.workers + 1)
    return max(ready, key=remaining)


def current_throughput(scheduler, ready: list[int]) -> int:
    """CT: the stage that handles the fewest source tuples in this window, as allotted now.

    Its rows are counted in source tuples: what one source tuple becomes before the stage, so a
    stage that drops everything still has a throughput.
    """
    def source_tuples(stage: int) -> float:
        seen = scheduler.measured[stage]
        seconds = seen.window_busy + seen.workers * TIME_SLICE
        return seconds / (seen.cost * scheduler.rows_in_each(stage))
    return min(ready, key=source_tuples)


HEURISTICS = {"CT": current_throughput, "LP": last_in_pipeline, "ET": estimated_time,
              "QST": queue_size_throttling}


WINDOW = 0.1
"""Throughput is compared over windows of so many seconds."""

@dataclass(frozen=True)
class Shape:
    """A stage as the scheduler sees it: `most` workers at once (None for any number), and the
    stages that it feeds. Stages are listed each before those that it feeds."""

    name: str
    most: int | None
    feeds: tuple[int, ...]


class Measured:
    """What was seen of a stage so far; `peak` is the most workers it ever had, `longest` the most
    work that waited."""

    __slots__ = ("busy", "longest", "peak", "rows_in", "rows_out", "times", "window_busy",
                 "workers")

    def __init__(self):
        self.workers, self.times, self.rows_in, self.rows_out = 0, 0, 0, 0
        self.peak, self.longest = 0, 0
        self.busy, self.window_busy = 0.0, 0.0

    def joined(self, waiting: int) -> None:
        """One worker more, that finds so much work."""
        self.workers += 1
        self.peak, self.longest = max(self.peak, self.workers), max(self.longest, waiting)

    @property
    def cost(self) -> float:
        """Seconds for each row; a microsecond until it is known."""
        return self.busy / self.rows_in if self.rows_in and self.busy else 1e-6

    @property
    def cost_of_one(self) -> float:
        """Seconds for each piece of work, a slice or a bucket's part of it."""
        return self.busy / self.times if self.times else self.cost


class Scheduler:
    """Knows the stages' shapes, workers and measurements, and applies one heuristic."""

    def __init__(self, shapes: Sequence[Shape], heuristic: str = "CT"):
        self.shapes, self.heuristic = list(shapes), HEURISTICS[heuristic]
        self.measured = [Measured() for _ in shapes]
        self.source_rows = 0
        self.window_end = WINDOW
        self.waiting: Sequence[int] = [0] * len(self.shapes)

    def choose(self, waiting: Sequence[int], now: float) -> int | None:
        """The stage for a worker that finds so much work `waiting` in each; None to wait."""
        if now >= self.window_end:
            self._next_window(now)
        self.waiting = waiting
        ready = [i for i in range(len(self.shapes)) if self.schedulable(i)]
        if not ready:
            return None
        stage = self.heuristic(self, ready)
        self.measured[stage].joined(waiting[stage])
        return stage

    def done(self, stage: int) -> None:
        """A worker has left the stage."""
        self.measured[stage].workers -= 1

    def served(self, stage: int, rows_in: int, rows_out: int, seconds: float) -> None:
        """A worker has taken rows through the stage."""
        seen = self.measured[stage]
        seen.times += 1
        seen.rows_in, seen.rows_out = seen.rows_in + rows_in, seen.rows_out + rows_out
        seen.busy, seen.window_busy = seen.busy + seconds, seen.window_busy + seconds

    def read(self, rows: int) -> None:
        """So many source tuples came in."""
        self.source_rows += rows

    def schedulable(self, stage: int) -> bool:
        most = self.shapes[stage].most
        free = most is None or self.measured[stage].workers < most
        return self.waiting[stage] > 0 and free

    def rows_in_each(self, stage: int) -> float:
        """How many rows of the stage one source tuple becomes: the selectivity of all before it."""
        return max(self.measured[stage].rows_in, 1) / max(self.source_rows, 1)

    def rows_out_each(self, stage: int) -> float:
        """How many rows one source tuple becomes behind the stage."""
        return self.measured[stage].rows_out / max(self.source_rows, 1)

    def _next_window(self, now: float) -> None:
        self.window_end = now + WINDOW
        for seen in self.measured:
            seen.window_busy = 0.0
