"""Runners: how the rows of a stage with buckets, or without state, are worked off.

A runner is all that the engine knows of a stage's code: `run(worker, bucket, number, flow)` takes
the rows of one slice through it, `finish` tells one of its operators of the end of the input. Rows
are numbered by their place in the stage's input, and every output names the row it comes from.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from anabranch.engine.multicore.line import Flow, Line, Outcome
from anabranch.engine.multicore.processes import Pool
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.transport import CannotTravel, dumped, packed
from anabranch.errors import RunError


class Runner(Protocol):
    def run(self, worker: int, bucket: int, number: int, flow: Flow) -> Outcome: ...

    def finish(self, worker: int, bucket: int, number: int, name: str) -> Outcome: ...


class Here:
    """Plain Python in the worker's own thread; a line for each bucket."""

    def __init__(self, lines: Sequence[Line]):
        self.lines = lines

    def run(self, worker, bucket, number, flow):
        return self.lines[bucket].run(number, flow)

    def finish(self, worker, bucket, number, name):
        return self.lines[bucket].finish(number, name)


WORTH_MOVING = 4e-6
"""Seconds of computing for each row from which on it pays to send rows to a process and back."""

JUDGED_AFTER = 0.005
"""So many seconds of computing are looked at together."""


class WherePays:
    """Light work here, heavy work in the worker's process: bucket `n` in that of worker `n`.

    Only the time that a thread computes is counted: a function that waits may as well wait here.
    Once a bucket has moved it stays there. With `at_once` everything moves before the first row.
    """

    def __init__(self, pool: Pool, stage: Stage, here: Here, at_once: bool):
        self.pool, self.stage, self.here = pool, stage, here
        self.away = [at_once] * len(here.lines)
        self.judges = [Judge() for _ in here.lines]

    def run(self, worker, bucket, number, flow):
        if self.away[bucket]:
            return self._run_there(worker, bucket, number, flow)
        began = time.thread_time()
        outcome = self.here.run(worker, bucket, number, flow)
        if self.judges[bucket].worth_moving(len(flow.items), time.thread_time() - began):
            self._move(worker, bucket, [flow, *outcome.outputs])
        return outcome

    def finish(self, worker, bucket, number, name):
        if not self.away[bucket]:
            return self.here.finish(worker, bucket, number, name)
        try:
            return self.pool.finish(worker, (self.stage.index, bucket), number, name)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def _run_there(self, worker: int, bucket: int, number: int, flow: Flow) -> Outcome:
        try:
            return self.pool.run(worker, (self.stage.index, bucket), number, flow)
        except CannotTravel as error:
            if self.stage.sharing is Sharing.ANY:
                return self.here.run(worker, bucket, number, flow)
            raise self._stuck(error) from None

    def _move(self, worker: int, bucket: int, seen: list[Flow]) -> None:
        """Moves the bucket, unless its state, or what it was just given or gave, cannot travel."""
        try:
            dumped([packed(flow.items) for flow in seen])
            if self.stage.sharing is Sharing.BUCKETS:
                self.pool.adopt(worker, (self.stage.index, bucket), self.here.lines[bucket].state())
            self.away[bucket] = True
        except CannotTravel:
            self.judges[bucket] = Judge(resigned=True)

    def _stuck(self, error: CannotTravel) -> RunError:
        return RunError(f"an item of {self.stage.name} cannot travel between its worker process "
                        f"and the others: {error}", self.stage.operators[0].span,
                        help="define the item's class at the top level of a module, or run with "
                             "one worker")


class Judge:
    """Looks at what the last rows cost; a resigned one never advises to move.

    >>> judge = Judge()
    >>> judge.worth_moving(10, 0.001), judge.worth_moving(100, 0.02)
    (False, True)
    """

    def __init__(self, resigned: bool = False):
        self.rows, self.seconds, self.resigned = 0, 0.0, resigned

    def worth_moving(self, rows: int, seconds: float) -> bool:
        self.rows, self.seconds = self.rows + rows, self.seconds + seconds
        if self.resigned or self.seconds < JUDGED_AFTER:
            return False
        heavy = self.seconds > WORTH_MOVING * self.rows
        self.rows, self.seconds = 0, 0.0
        return heavy
