"""A gang whose workers send messages: the slices it works on, and what leaves."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anabranch.batch.items import Columns
from anabranch.batch.slices import Failure, Flow, Outcome, Rows, Slice, Step
from anabranch.runtime.gang.messages import Done, Down, Up
from anabranch.runtime.gang.outputs import Collector, in_one
from anabranch.runtime.gang.plans import Planning
from anabranch.runtime.gang.routing import ROOT, Router
from anabranch.runtime.gang.tagging import at_places
from anabranch.runtime.gang.updates import Failed

Leave = Callable[[Slice, Rows, Outcome], None]
"""Is given each slice, in order, with what came of its rows."""


@dataclass(frozen=True)
class Underway:
    """A slice that the gang works on: its rows have the stamps from `first` on."""

    slice: Slice
    rows: Rows
    first: int
    final: bool

    @property
    def until(self) -> int:
        return self.first + len(self.rows)


class Posted:
    """Deals slices out to a gang, which `begin(program, tree, hear)` starts, with this state."""

    def __init__(self, begin: Callable, plan: Planning, state: object, leave: Leave, *,
                 fail: Callable[[BaseException], None]):
        self.plan, self.leave, self.fail = plan, leave, fail
        self.lock = threading.RLock()
        self.begun = 0
        self.underway: deque[Underway] = deque()
        self.lent: deque[tuple[int, object]] = deque()
        self.last: Up | None = None
        self.metered = 0.0
        tree = plan.tree()
        self.collector = Collector(sum(1 for _ in tree.nodes()))
        self.workers = sum(not node.children for node in tree.nodes())
        self.gang = begin(plan.program, tree, self._hear)
        self.router = Router(tree, plan.tagged, at_places, self.gang.pools)
        self.gang.post([(ROOT, Down(state))])

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None:
        """Takes the next slice; the `final` one tells of the end of the input."""
        with self.lock:
            self.underway.append(Underway(slice_, rows, self.begun, final))
        # To read all events, to take some, costs next to nothing if they are held in columns.
        messages = self.router.ended() if final else self.router.routed(
            self.begun, rows.items, pooled=isinstance(rows.items, Columns))
        self.begun += len(rows)
        lent = self.gang.post(messages)
        with self.lock:
            self.lent.append((self.begun, lent))
            # Nobody has anything to say of a slice without rows.
            self._hand_on_complete()

    def _hear(self, told: Done | Up | BaseException) -> None:
        """What a worker says, in whichever thread."""
        try:
            with self.lock:
                if isinstance(told, BaseException):
                    self.fail(told)
                elif isinstance(told, Up):
                    # It may overtake what other workers say of the slices before the final one.
                    self.last = told
                else:
                    self.collector.add(told)
                self._hand_on_complete()
        except BaseException as error:
            self.fail(error)

    def _hand_on_complete(self) -> None:
        """Slices leave in order, as soon as nothing of them is missing."""
        while self.lent and self.lent[0][0] <= self.collector.complete:
            self.lent.popleft()
        failed = self.collector.failure
        while self.underway and self._is_complete(self.underway[0]):
            one = self.underway.popleft()
            self.leave(one.slice, one.rows, self._outcome_of(one, failed))
            if failed is not None and failed.stamp < one.until:
                return

    def _is_complete(self, one: Underway) -> bool:
        """The final slice has the last state, all others what the workers make of their rows."""
        if one.final:
            return self.last is not None
        return one.until <= self.collector.complete or self.collector.failure is not None

    def _outcome_of(self, one: Underway, failed: Failed | None) -> Outcome:
        if one.final:
            return self.plan.finished(self.last.state)
        run = in_one(self.collector.taken(one.until))
        flow = Flow(_counted_from(one.first, run.stamps), run.items)
        failures = []
        if failed is not None and failed.stamp < one.until:
            row = max(0, failed.stamp - one.first)
            failures = [Failure((self.plan.position, row), failed.error)]
            flow = Flow(flow.rows[:kept], flow.items[:kept]) \
                if (kept := int(np.searchsorted(flow.rows, row))) < len(flow.items) else flow
        return Outcome([flow], failures, steps=(self._step(len(one.rows), len(flow.items)),))

    def _step(self, rows_in: int, rows_out: int) -> Step:
        """With the seconds that the workers have told of since the last slice left: those of a
        single slice are not known."""
        before, self.metered = self.metered, sum(self.collector.seconds)
        return Step(self.plan.operator.name, rows_in, rows_out, self.metered - before)


def _counted_from(first: int, stamps: Sequence[int]) -> Sequence[int]:
    if isinstance(stamps, list):
        return [stamp - first for stamp in stamps]
    return np.asarray(stamps) - first
