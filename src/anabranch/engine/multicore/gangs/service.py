"""A stage with a state that can be forked: in one place at first, then shared.

Small slices are put together while workers are busy: each that is dealt out costs as much as some
hundred events. What comes of them is taken apart again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from anabranch.batch.items import joined
from anabranch.batch.slices import Failure, Flow, Outcome, Rows, Slice
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.gangs.mail import Leave
from anabranch.engine.multicore.service import HandOn, InOrder
from anabranch.runtime.gang.plans import Planning


class Shared(Protocol):
    """So many `workers` with one state. Slices leave as they came, in order."""

    workers: int

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None: ...


Begin = Callable[[Leave], "Shared | None"]
"""Begins to share the state, if everything is ready for it."""


class SynchronizedService(InOrder):
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


ENOUGH = 512
"""So many events are worth dealing out, whatever the workers do."""

BUSY = 1
"""Workers that have so much before them have time to wait for more."""

Taken = tuple[Slice, Rows, bool]


class Gathering:
    """Stands between the stage and those who share its state, whom `begin` begins."""

    def __init__(self, begin: Callable[[Leave], Shared], leave: Leave):
        self.leave, self.lock = leave, threading.Lock()
        self.held: deque[Taken] = deque()
        self.underway: deque[list[Taken]] = deque()
        self.shared = begin(self._left)
        self.workers = self.shared.workers

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None:
        self.held.append((slice_, rows, final))
        self._deal()

    def _deal(self) -> None:
        # Who is not let in leaves it to who is inside, and looks again afterwards.
        while self._is_time() and self.lock.acquire(blocking=False):
            try:
                if group := self._next():
                    self.underway.append(group)
                    slice_, _, final = group[-1]
                    self.shared.take(slice_, _together([rows for _, rows, _ in group]), final)
            finally:
                self.lock.release()

    def _is_time(self) -> bool:
        waiting = list(self.held)
        return bool(waiting) and (len(self.underway) < BUSY or any(f for _, _, f in waiting)
                                  or sum(len(rows) for _, rows, _ in waiting) >= ENOUGH)

    def _next(self) -> list[Taken]:
        """What waits, as far as it goes together: the end of the input comes alone."""
        group: list[Taken] = []
        while self.held and not (group and self.held[0][2]):
            group.append(self.held.popleft())
        return group

    def _left(self, slice_: Slice, rows: Rows, outcome: Outcome) -> None:
        """A group has been worked off; in the order in which they were dealt out."""
        group, begin = self.underway.popleft(), 0
        for number, (own, part, _) in enumerate(group):
            end = begin + len(part)
            # The first tells of all that was measured.
            steps = outcome.steps if number == 0 else ()
            self.leave(own, part, outcome if len(group) == 1 else replace(
                _cut(outcome, begin, end), steps=steps))
            begin = end
        self._deal()


def _together(parts: list[Rows]) -> Rows:
    if len(parts) == 1:
        return parts[0]
    items = joined([rows.items for rows in parts])
    return Rows(range(len(items)), None, items)


def _cut(outcome: Outcome, begin: int, end: int) -> Outcome:
    """What came of some of the rows."""
    [flow] = outcome.outputs
    rows = np.asarray(flow.rows, np.int64)
    first, last = np.searchsorted(rows, [begin, end]).tolist()
    failures = [Failure((position, row - begin), error)
                for (position, row), error in outcome.failures if begin <= row < end]
    return Outcome([Flow((rows[first:last] - begin).tolist(), flow.items[first:last])], failures)
