"""A stage with a state that can be forked: in one place while that is fast enough, then by a gang.

What the workers of a plan do in parallel is put together again by the places of the events in the
operator's input, so what is handed on is what one worker alone would give.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from anabranch.engine.items import Columns, joined
from anabranch.engine.multicore.crew import Crew
from anabranch.engine.multicore.line import Flow, Outcome
from anabranch.engine.multicore.service import HandOn, InOrder
from anabranch.engine.multicore.slices import Failure, Rows, Slice
from anabranch.engine.multicore.synchronization.plans import Planning
from anabranch.engine.multicore.synchronization.tagging import at_places
from anabranch.sync.collecting import Collector
from anabranch.sync.messages import Done, Down, Run, Up
from anabranch.sync.routing import ROOT, Router
from anabranch.sync.updates import Failed


@dataclass(frozen=True)
class Underway:
    """A slice that the gang works on: its rows have the stamps from `first` on."""

    slice: Slice
    rows: Rows
    first: int

    @property
    def until(self) -> int:
        return self.first + len(self.rows)


class Synchronized(InOrder):
    """Slices go through `runner` until they cost so much that a gang pays, and takes over."""

    def __init__(self, stage, hand_on: HandOn, crew: Crew, runner, plan: Planning):
        super().__init__(stage, hand_on, crew.measure, runner)
        self.plan, self.crew = plan, crew
        self.lock = threading.RLock()
        self.gang = None
        self.begun = 0
        self.underway: deque[Underway] = deque()

    def operate(self, worker, slice_):
        rows = self._input(slice_)
        self.plan.look_at(rows.items)
        if self.gang is None and self.plan.pays:
            self._start()
        return self._there(slice_, rows) if self.gang else self._here(worker, slice_, rows)

    def _here(self, worker: int, slice_: Slice, rows: Rows) -> tuple[int, int]:
        outcome = self._outcome(worker, slice_, rows)
        self.plan.judge(len(rows), outcome.seconds)
        rows_out = self._store(slice_, rows, outcome)
        self.hand_on(slice_)
        return len(rows), rows_out

    def _start(self) -> None:
        tree = self.plan.tree()
        self.router = Router(tree, self.plan.tagged, at_places)
        self.collector = Collector(sum(1 for _ in tree.nodes()))
        self.gang = self.plan.begin(self.plan.program, tree, self._hear)
        state = self.plan.state_of(self.runner.lines[0])
        self.gang.post([(ROOT, Down(state))])

    def _there(self, slice_: Slice, rows: Rows) -> tuple[int, int]:
        with self.lock:
            self.underway.append(Underway(slice_, rows, self.begun))
        messages = self.router.ended() if self._finishes(slice_) \
            else self.router.routed(self.begun, rows.items)
        self.begun += len(rows)
        self.gang.post(messages)
        with self.lock:
            # Nobody has anything to say of a slice without rows.
            self._hand_on_complete()
        return len(rows), len(rows)

    def _hear(self, told: Done | Up | BaseException) -> None:
        """What a worker says, in whichever thread."""
        try:
            with self.lock:
                if isinstance(told, BaseException):
                    self.crew.fail(told)
                elif isinstance(told, Up):
                    self._finished(told.state)
                else:
                    self.collector.add(told)
                    self._hand_on_complete()
        except BaseException as error:
            self.crew.fail(error)

    def _hand_on_complete(self) -> None:
        """Slices leave in order, as soon as nothing of them is missing."""
        complete, failed = self.collector.complete, self.collector.failure
        while self.underway and not self._finishes(self.underway[0].slice) and (
                self.underway[0].until <= complete or failed is not None):
            one = self.underway.popleft()
            self._leave(one, self._outcome_of(one, failed))
            if failed is not None and failed.stamp < one.until:
                return

    def _outcome_of(self, one: Underway, failed: Failed | None) -> Outcome:
        flow = in_one(self.collector.taken(one.until), one.first)
        failures = []
        if failed is not None and failed.stamp < one.until:
            row = max(0, failed.stamp - one.first)
            failures = [Failure((self.plan.position, row), failed.error)]
            flow = Flow(flow.rows[:kept], flow.items[:kept]) \
                if (kept := int(np.searchsorted(flow.rows, row))) < len(flow.items) else flow
        return Outcome([flow], failures)

    def _finished(self, state: object) -> None:
        one = self.underway.popleft()
        self._leave(one, self.plan.finished(state))
        self._hand_on_complete()

    def _leave(self, one: Underway, outcome: Outcome) -> None:
        self._store(one.slice, one.rows, outcome)
        self.hand_on(one.slice)
        self.crew.tell()


def in_one(runs: Sequence[Run], first: int) -> Flow:
    """The outputs of several workers in the order of their events, counted from `first`."""
    if all(isinstance(run.items, Columns) for run in runs) and runs:
        stamps = np.concatenate([np.asarray(run.stamps) for run in runs])
        order = np.argsort(stamps, kind="stable")
        return Flow(stamps[order] - first, joined([run.items for run in runs]).taken(order))
    pairs = sorted(((stamp, item) for run in runs for stamp, item in zip(run.stamps, run.items)),
                   key=itemgetter(0))
    return Flow([stamp - first for stamp, _ in pairs], [item for _, item in pairs])
