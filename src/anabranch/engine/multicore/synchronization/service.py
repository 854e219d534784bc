"""A stage with a state that can be forked: in one place while that is fast enough, then shared by
the workers of a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.flows import Outcome
from anabranch.engine.multicore.service import HandOn, InOrder
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.synchronization.plans import Planning
from anabranch.engine.multicore.synchronization.posted import Leave


class Shared(Protocol):
    """So many `workers` with one state. Slices leave as they came, in order."""

    workers: int

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None: ...


Begin = Callable[[Leave], "Shared | None"]
"""Begins to share the state, if everything is ready for it."""


class Synchronized(InOrder):
    """Slices go through `runner` until they cost so much that sharing them pays."""

    def __init__(self, stage, hand_on: HandOn, crew: Crew, runner, plan: Planning, begin: Begin):
        super().__init__(stage, hand_on, crew.measure, runner)
        self.plan, self.crew, self.begin = plan, crew, begin
        self.shared: Shared | None = None
        self.taken = self.left = 0

    @property
    def settled(self) -> bool:
        return self.shared is not None or self.plan.is_settled

    @property
    def elsewhere(self) -> int:
        return self.shared.workers if self.taken > self.left else 0

    def operate(self, worker, slice_):
        rows = self._input(slice_)
        self.plan.look_at(rows.items)
        if self.shared is None and self.plan.pays:
            self.shared = self.begin(self._leave)
        if self.shared is None:
            return self._here(worker, slice_, rows)
        self.taken, self.most_elsewhere = self.taken + 1, self.shared.workers
        self.shared.take(slice_, rows, self._finishes(slice_))
        return len(rows), 0

    def _here(self, worker: int, slice_: Slice, rows: Rows) -> tuple[int, int]:
        outcome = self._outcome(worker, slice_, rows)
        self.plan.judge(rows.items, outcome.seconds)
        rows_out = self._store(slice_, rows, outcome)
        self.hand_on(slice_)
        return len(rows), rows_out

    def _leave(self, slice_: Slice, rows: Rows, outcome: Outcome) -> None:
        rows_out = self._store(slice_, rows, outcome)
        # Behind the last slice nobody would count it any more.
        self.measure(self.stage.index, 0, rows_out, outcome.seconds)
        self.left += 1
        self.hand_on(slice_)
        self.crew.tell()
