"""Runners: how the rows of a stage with buckets, or without state, are worked off.

A runner is all that the engine knows of a stage's code: `run(worker, bucket, number, flow)` takes
the rows of one slice through it, `finish` tells one of its operators of the end of the input. Rows
are numbered by their place in the stage's input, and every output names the row it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.batch.slices import Flow, Outcome
from anabranch.plan.tuning import costs
from anabranch.runtime.stage.rows import Line


class Runner(Protocol):
    def run(self, worker: int, bucket: int, number: int, flow: Flow) -> Outcome: ...

    def finish(self, worker: int, bucket: int, number: int, name: str) -> Outcome: ...


class Here:
    """In the worker's own thread; a line for each bucket, or more where a plan has some."""

    def __init__(self, lines: list[Line]):
        self.lines = lines

    def run(self, worker, bucket, number, flow):
        return self.lines[bucket].run(number, flow)

    def finish(self, worker, bucket, number, name):
        return self.lines[bucket].finish(number, name)


class ByWorker:
    """The same for a stage without state whose lines still have a memory: one for each worker."""

    def __init__(self, lines: Sequence[Line]):
        self.lines = lines

    def run(self, worker, bucket, number, flow):
        return self.lines[worker].run(number, flow)

    def finish(self, worker, bucket, number, name):
        return self.lines[worker].finish(number, name)


COST_OF_A_CALL, COST_OF_ANOTHER = 20e-6, 5e-6
"""So many seconds at most it takes to begin with some rows, however light they are: where they come
one by one that must not count as theirs. And for each further bucket of a slice."""

class Judge:
    """Looks at what the last rows cost; a resigned one never advises to move. Rows are `worth` it
    from so many seconds each; those it has looked at last were `heavy` or not.

    >>> judge = Judge()
    >>> judge.worth_moving(10, 0.001), judge.worth_moving(100, 0.02)
    (False, True)
    >>> any(judge.worth_moving(1, 20e-6) for _ in range(1000))
    False
    """

    def __init__(self, resigned: bool = False, worth: float | None = None):
        self.rows, self.seconds, self.resigned, self.worth = 0, 0.0, resigned, (
            costs().row_worth_moving if worth is None else worth)
        self.has_judged, self.heavy = resigned, False

    def worth_moving(self, rows: int, seconds: float, calls: int = 1) -> bool:
        """After so many rows, which were computed in so many calls."""
        self.rows, self.seconds = self.rows + rows, self.seconds + max(
            0.0, seconds - COST_OF_A_CALL - (calls - 1) * COST_OF_ANOTHER)
        if self.resigned or self.seconds < costs().trial_work:
            return False
        self.heavy = self.seconds > self.worth * self.rows
        self.rows, self.seconds, self.has_judged = 0, 0.0, True
        return self.heavy
