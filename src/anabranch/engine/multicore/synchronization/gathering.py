"""Small slices are put together while workers are busy: each that is dealt out costs as much as
some hundred events. What comes of them is taken apart again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from anabranch.engine.items import joined
from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.slices import Failure, Rows, Slice
from anabranch.engine.multicore.synchronization.posted import Leave
from anabranch.engine.multicore.synchronization.service import Shared

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
