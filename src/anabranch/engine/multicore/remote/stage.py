"""Stages in worker processes, and the thread that gives all of them their work.

A process is given its next work before it has answered the last, so it need not wait for anybody
here.
"""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from anabranch.batch.slices import Flow, Outcome, Rows, Slice
from anabranch.batch.transport import CannotTravel, dumped, packed
from anabranch.core.threads import start_thread
from anabranch.engine.multicore.service import HandOn, MakeMerge, Service
from anabranch.engine.multicore.worklists import SharedQueue
from anabranch.runtime.processes.messages import given, outcome
from anabranch.runtime.processes.pool import Pool, Reply
from anabranch.runtime.stage.runners import Judge, Runner

AHEAD = 2
"""So many requests a process may have."""


class Remote(Service):
    """What all stages in processes have. The dispatcher calls `give` when a process can take more;
    `begin` sends the work there and `complete` takes the answer. Workers here `serve` what stays.
    """

    def __init__(self, stage, worklist, hand_on: HandOn, measure, pool: Pool, runner: Runner,
                 tell: Callable[[], None]):
        super().__init__(stage, worklist, hand_on, measure)
        self.pool, self.runner, self.tell = pool, runner, tell
        self.pending = [0] * len(pool.processes)
        self.has_left = self.is_back = False
        self.next: Mapping[int, object] = {}

    @property
    def away(self) -> bool:
        """Whether the next slices go to processes."""
        return self.has_left and not self.is_back

    def come_home(self) -> None:
        self.is_back = True

    def leads_to(self, following: Mapping[int, object]) -> None:
        """The partitioned stages in processes that read its outputs, by the output's number."""
        self.next = following

    def put(self, slice_: Slice) -> None:
        # In the order of the slices, so that all stages agree from which on a bucket has moved.
        for service in self.next.values():
            service.owners_for(slice_)
        self.enqueue(slice_)
        self.longest = max(self.longest, self.waiting)

    @property
    def elsewhere(self) -> int:
        return sum(map(bool, self.pending))

    @property
    def has_work(self) -> bool:
        """Whether some process could be given more."""
        return any(self.waits_for(process) and pending < AHEAD
                   for process, pending in enumerate(self.pending))

    def give(self, process: int) -> None:
        """Sends the next work for this process to it, if there is some."""
        work = self.next_for(process)
        if work is not None:
            self.begin(process, work)
            self.most_elsewhere = max(self.most_elsewhere, self.elsewhere)

    def _ask(self, process: int, work: object, kind: str, *arguments: object,
             keep: object = None) -> None:
        self.pool.ask(process, partial(self._answered, process, work), kind, self.stage.index,
                      *arguments, keep=keep)
        self.pending[process] += 1

    def _answered(self, process: int, work: object, reply: Reply) -> None:
        self.pending[process] -= 1
        self.complete(work, reply)

    def _owners(self, slice_: Slice) -> dict[int, bytes]:
        return {output: service.owners_for(slice_).tobytes()
                for output, service in self.next.items()}

    def _measured(self, rows_in: int, seconds: float, done: Outcome) -> None:
        """To be called when all is handed on: it tells those who may wait for that."""
        self.measure(self.stage.index, rows_in, sum(len(f.items) for f in done.outputs), seconds)


class RemoteStateless(Remote):
    """Slices go to any process; a merge puts them back in order, where that is wanted."""

    most = None

    def __init__(self, stage, hand_on, measure, pool, runner, tell, at_once, merge: MakeMerge):
        self.merge = merge(hand_on)
        super().__init__(stage, SharedQueue(), self.merge.leave, measure, pool, runner, tell)
        self.judge, self.has_left = Judge(), at_once
        self.abroad = SharedQueue()

    @property
    def waiting(self) -> int:
        return self.worklist.available(0) + self.abroad.available(0)

    @property
    def settled(self) -> bool:
        return self.has_left or self.judge.has_judged

    def enqueue(self, slice_: Slice) -> None:
        self.merge.enter(slice_)
        if self._passes_as_pulse(slice_):
            return
        if self.away and not self._finishes(slice_):
            self.abroad.add(0, slice_)
        else:
            self.worklist.add(0, slice_)

    def waits_for(self, process: int) -> int:
        return self.abroad.available(process)

    def next_for(self, process: int) -> Slice | None:
        return self.abroad.take(process)

    def begin(self, process: int, slice_: Slice) -> None:
        rows = self._input(slice_)
        flow = Flow(range(len(rows)), rows.items, rows.ports)
        try:
            self._ask(process, (slice_, rows), "run", slice_.number, given(flow),
                      self._owners(slice_), keep=flow)
        except CannotTravel:
            self._stay(slice_)

    def complete(self, work: tuple[Slice, Rows], reply: Reply) -> None:
        slice_, rows = work
        try:
            answer = reply.value
        except CannotTravel:
            self._stay(slice_)
            return
        done = outcome(self.pool.memory, answer)
        self._pass_on(slice_, rows, done)
        self._measured(len(rows), sum(answer.busy.values()), done)

    def _stay(self, slice_: Slice) -> None:
        """What cannot travel is left to the workers here."""
        slice_.stays.add(self.stage.index)
        self.worklist.add(0, slice_)
        self.tell()

    def _timed(self, worker: int, slice_: Slice) -> None:
        stays = self._finishes(slice_) or self.stage.index in slice_.stays
        if self.away and not stays:
            self.abroad.add(0, slice_)
            self.tell()
        else:
            self._run_here(worker, slice_, self._input(slice_))

    def _run_here(self, worker: int, slice_: Slice, rows: Rows) -> None:
        began, number = time.perf_counter(), slice_.number
        flow = Flow(range(len(rows)), rows.items, rows.ports)
        done = self.runner.finish(worker, 0, number, slice_.final) if self._finishes(slice_) \
            else self.runner.run(worker, 0, number, flow)
        if self.judge.worth_moving(len(rows), done.seconds):
            self._move([flow, *done.outputs])
        seconds = time.perf_counter() - began
        self._pass_on(slice_, rows, done)
        self._measured(len(rows), seconds, done)

    def _move(self, seen: list[Flow]) -> None:
        """From now on in processes, unless what was just given or made cannot travel."""
        try:
            dumped([packed(flow.items) for flow in seen])
            self.has_left = True
        except CannotTravel:
            self.judge = Judge(resigned=True)

    def _pass_on(self, slice_: Slice, rows: Rows, done: Outcome) -> None:
        self._store(slice_, rows, done)
        self.hand_on(slice_)


class Dispatcher:
    """Serves the stages in processes until the run has `stopped`, or failed."""

    def __init__(self, pool: Pool, stopped: Callable[[], bool],
                 fail: Callable[[BaseException], None]):
        self.pool, self.stopped, self.fail = pool, stopped, fail
        self.services: Sequence[Remote] = ()
        self.selector = selectors.DefaultSelector()
        self.bell, self.rope = os.pipe()
        self.told = self.asleep = False
        self.thread: threading.Thread | None = None

    def start(self, services: Sequence[Remote]) -> None:
        """The latest stage is served first, so that slices leave before others come."""
        self.services = services[::-1]
        self.selector.register(self.bell, selectors.EVENT_READ)
        for process in self.pool.processes:
            self.selector.register(process.wire, selectors.EVENT_READ, process)
        self.thread = start_thread(self._work, name="dispatcher")

    def wake(self) -> None:
        """Something happened: called after it was written down. Most of it is of no interest."""
        self.told = True
        if self.asleep and (self.stopped() or any(service.has_work for service in self.services)):
            self.asleep = False
            os.write(self.rope, b"!")

    def close(self) -> None:
        """The thread has ended, or waits for a process that is dead."""
        self.wake()
        if self.thread is not None and self.thread.is_alive():
            self.thread.join()
        self.selector.close()
        os.close(self.bell)
        os.close(self.rope)

    def _work(self) -> None:
        try:
            while not self.stopped():
                self.told = False
                self._give()
                self._take()
        except BaseException as error:
            self.fail(error)

    def _give(self) -> None:
        """Nobody gets a second request before all others have a first."""
        for wanted in range(AHEAD):
            for service in self.services:
                for process in range(len(self.pool.processes)):
                    if service.pending[process] == wanted:
                        service.give(process)

    def _take(self) -> None:
        """Waits until something happens, and takes all answers that are there."""
        self.asleep = True
        # Who told before that wrote nothing, and who tells from now on rings the bell.
        ready = self.selector.select(0 if self.told or self.stopped() else None)
        self.asleep = False
        for key, _ in ready:
            if key.data is None:
                os.read(self.bell, 4096)
            else:
                key.data.receive()
