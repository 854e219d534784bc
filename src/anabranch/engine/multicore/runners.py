"""Runners: how the rows of a stage with buckets, or without state, are worked off.

A runner is all that the engine knows of a stage's code: `run(worker, bucket, number, flow)` takes
the rows of one slice through it, `finish` tells one of its operators of the end of the input. Rows
are numbered by their place in the stage's input, and every output names the row it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anabranch.engine.multicore.line import Flow, Line, Outcome
from anabranch.engine.multicore.processes import Pool
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.transport import CannotTravel
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


class InProcesses:
    """Plain Python in the worker's process; bucket `n` lives in the process of worker `n`."""

    def __init__(self, pool: Pool, stage: Stage, here: Here):
        self.pool, self.stage, self.here = pool, stage, here

    def run(self, worker, bucket, number, flow):
        try:
            return self.pool.run(worker, (self.stage.index, bucket), number, flow)
        except CannotTravel as error:
            if self.stage.sharing is Sharing.ANY:
                return self.here.run(worker, bucket, number, flow)
            raise self._stuck(error) from None

    def finish(self, worker, bucket, number, name):
        try:
            return self.pool.finish(worker, (self.stage.index, bucket), number, name)
        except CannotTravel as error:
            raise self._stuck(error) from None

    def _stuck(self, error: CannotTravel) -> RunError:
        return RunError(f"an item of {self.stage.name} cannot travel to its worker process: "
                        f"{error}", self.stage.operators[0].span,
                        help="define the item's class at the top level of a module, or run with "
                             "one worker")
