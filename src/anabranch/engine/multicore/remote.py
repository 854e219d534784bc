"""Stages in worker processes. A process is given its next work before it has answered the last,
so it need not wait for anybody here.

Light work stays here, in the worker's thread, until it is seen to be heavy. Only the time that a
thread computes is counted: a function that waits may as well wait here.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from functools import partial

from anabranch.engine.multicore.line import Flow, Outcome
from anabranch.engine.multicore.messages import given, outcome
from anabranch.engine.multicore.processes import Call, Pool
from anabranch.engine.multicore.runners import Here, Judge
from anabranch.engine.multicore.service import HandOn, Service, send
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.transport import CannotTravel, dumped, packed
from anabranch.engine.multicore.worklists import SharedQueue

AHEAD = 2
"""So many requests a process may have."""


class Remote(Service):
    """What all stages in processes have: `begin` takes work up and may leave it in the process,
    `complete` takes the answer."""

    most = None

    def __init__(self, stage, worklist, hand_on: HandOn, measure, pool: Pool, here: Here):
        super().__init__(stage, worklist, hand_on, measure)
        self.pool, self.here = pool, here
        self.pending: list[deque] = [deque() for _ in range(len(pool.processes) + 1)]
        self.next: Mapping[int, object] = {}

    def leads_to(self, following: Mapping[int, object]) -> None:
        """The partitioned stages in processes that read its outputs, by the output's number."""
        self.next = following

    def put(self, slice_: Slice) -> None:
        # In the order of the slices, so that all stages agree from which on a bucket has moved.
        for service in self.next.values():
            service.owners_for(slice_)
        self.enqueue(slice_)

    def available(self, worker: int) -> int:
        return self.worklist.available(worker) + len(self.pending[worker])

    def serve(self, worker, enough):
        pending = self.pending[worker]
        while not enough():
            work = self.worklist.take(worker) if len(pending) < AHEAD else None
            if work is not None:
                self.begin(worker, work)
            elif pending:
                self.complete(worker, *pending.popleft())
            else:
                return

    def _ask(self, worker: int, work: object, kind: str, *arguments: object,
             keep: object = None) -> None:
        call = self.pool.ask(worker, kind, self.stage.index, *arguments, keep=keep)
        self.pending[worker].append((work, call))

    def _owners(self, slice_: Slice) -> dict[int, bytes]:
        return {output: service.owners_for(slice_).tobytes()
                for output, service in self.next.items()}

    def _measured(self, rows_in: int, seconds: float, done: Outcome) -> None:
        """To be called when all is handed on: it tells those who may wait for that."""
        self.measure(self.stage.index, rows_in, sum(len(f.items) for f in done.outputs), seconds)


class RemoteStateless(Remote):
    """Slices go to any process; a reorder buffer puts them back in order."""

    def __init__(self, stage, hand_on, measure, pool, here, at_once, reorder):
        buffer = reorder(hand_on)
        super().__init__(stage, SharedQueue(), partial(send, buffer), measure, pool, here)
        self.away, self.judge = at_once, Judge()

    def available(self, worker: int) -> int:
        return super().available(worker) if worker < len(self.pool.processes) else 0

    def enqueue(self, slice_: Slice) -> None:
        self.worklist.add(0, slice_)

    def begin(self, worker: int, slice_: Slice) -> None:
        rows = self._input(slice_)
        flow = Flow(range(len(rows)), rows.items, rows.ports)
        if not self.away or self._finishes(slice_):
            self._run_here(slice_, rows, flow)
            return
        try:
            self._ask(worker, (slice_, rows, flow), "run", slice_.number, given(flow),
                      self._owners(slice_), keep=flow)
        except CannotTravel:
            self._run_here(slice_, rows, flow)

    def complete(self, worker: int, work: tuple, call: Call) -> None:
        slice_, rows, flow = work
        try:
            answer = call.answer()
        except CannotTravel:
            self._run_here(slice_, rows, flow)
            return
        done = outcome(self.pool.memory, answer)
        self._pass_on(slice_, rows, done)
        self._measured(len(rows), sum(answer.busy.values()), done)

    def _run_here(self, slice_: Slice, rows: Rows, flow: Flow) -> None:
        began, computed = time.perf_counter(), time.thread_time()
        line, number = self.here.lines[0], slice_.number
        done = line.finish(number, slice_.final) if self._finishes(slice_) \
            else line.run(number, flow)
        if self.judge.worth_moving(len(rows), time.thread_time() - computed):
            self._move([flow, *done.outputs])
        seconds = time.perf_counter() - began
        self._pass_on(slice_, rows, done)
        self._measured(len(rows), seconds, done)

    def _move(self, seen: list[Flow]) -> None:
        """From now on in processes, unless what was just given or made cannot travel."""
        try:
            dumped([packed(flow.items) for flow in seen])
            self.away = True
        except CannotTravel:
            self.judge = Judge(resigned=True)

    def _pass_on(self, slice_: Slice, rows: Rows, done: Outcome) -> None:
        self._store(slice_, rows, done)
        self.hand_on(slice_)
