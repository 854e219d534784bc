"""A team: workers in threads that go through each slice together, in native code.

They meet there, without the interpreter; a slice costs each of them one call. A slice with a row
that native code cannot do is done again in one place, from the state before it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from queue import SimpleQueue

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns, as_batch
from anabranch.engine.multicore.flows import Flow, Outcome, Step
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.synchronization.job import Job
from anabranch.engine.multicore.synchronization.plans import Planning
from anabranch.engine.multicore.synchronization.posted import Leave
from anabranch.engine.multicore.synchronization.schedule import (
    alike_of,
    layout_of,
    scheduled,
    takes_of,
)
from anabranch.kernels.native.dealing import dealt
from anabranch.kernels.native.shares import Given, Share
from anabranch.kernels.native.team import Team, TeamKernel
from anabranch.sync.plan import Tree
from anabranch.sync.routing import Router

STOP = None
LATELY = 1_000_000
"""After so many events it is looked whether there is a much better plan by now."""
FOREVER = float("inf")


class NativeTeam:
    """A thread for each leaf of the plan, and one for what leaves. `line` is where slices are done
    in one place, and holds the state at first."""

    def __init__(self, kernel: TeamKernel, plan: Planning, line, leave: Leave,
                 fail: Callable[[BaseException], None]):
        self.kernel, self.plan, self.line, self.leave, self.fail = kernel, plan, line, leave, fail
        self.input_type, self.output_type = kernel.rows.input_type, kernel.rows.output_type
        self.results: SimpleQueue = SimpleQueue()
        self.lock, self.jobs, self.broken = threading.Condition(), 0, threading.Event()
        self.done, self.patience, self.lately = 0, 1, Counter()
        # Before the job `again` all are done in one place.
        self.again, self.in_line = 0, False
        self._begin(plan.tree(), plan.state_of(line))
        self.last = self._thread(self._let_leave)

    def _begin(self, tree: Tree, state: object) -> None:
        """Begins with a plan, from this state."""
        self.tree, self.router = tree, Router(tree, self.plan.tagged)
        self.team = Team(self.kernel, layout_of(tree), takes_of(tree, self.kernel.tags))
        self.alike = alike_of(tree)
        self._put(state)
        self.inboxes = {leaf: SimpleQueue() for leaf in self.team.layout.leaves}
        self.threads = [self._thread(self._work, leaf) for leaf in self.inboxes]

    @property
    def workers(self) -> int:
        return len(self.inboxes)

    def _put(self, state: object) -> None:
        """Gives the team a state; one that does not fit stays in one place, with all that comes."""
        if not self.team.put(state):
            self.line.adopt([([{None: state}], None)])
            self.in_line, self.again = True, FOREVER

    def _thread(self, work: Callable, *given: object) -> threading.Thread:
        thread = threading.Thread(target=self._guarded, args=(work, *given), daemon=True,
                                  name=f"anabranch team {' '.join(map(str, given))}")
        thread.start()
        return thread

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None:
        """Takes the next slice; the `final` one tells of the end of the input."""
        if self.team.knows_many_texts:
            self._forget_texts()
        if self.lately.total() >= LATELY:
            self._look_again()
        job = Job(self.jobs, slice_, rows, final, len(self.inboxes))
        batch = None if final or self.jobs < self.again else as_batch(rows.items, self.input_type)
        self.jobs += 1
        if batch is not None and self.done == job.number and self.plan.is_light(len(rows)):
            self._do_alone(job, batch)
            return
        if batch is not None:
            job.given, job.shares = self._prepared(batch)
        for inbox in self.inboxes.values():
            inbox.put(job)

    def _do_alone(self, job: Job, batch: pa.RecordBatch) -> None:
        """Does a light slice here and now, as nobody is at work: to wake the workers would take
        longer."""
        job.given = self.team.given(batch, self.team.coded(batch), np.arange(len(batch)))
        began = time.thread_time()
        job.parts[0] = self.team.alone(job.given)
        job.seconds = time.thread_time() - began
        if not job.is_done:
            job.outcome = self._in_one_place(job, fell=True)
        self._let_go(job)

    def close(self) -> None:
        self._break_off()
        self._dismiss()
        self.results.put(STOP)
        self.last.join()

    def _dismiss(self) -> None:
        for inbox in self.inboxes.values():
            inbox.put(STOP)
        for thread in self.threads:
            thread.join()

    def _look_again(self) -> None:
        """Makes a new plan where the tags that came lately are others than the first ones."""
        tree = self.plan.better_than(self.tree, self.lately)
        self.lately.clear()
        if tree is not None:
            self._wait_until_done()
            if not self.in_line and not self.broken.is_set():
                self._dismiss()
                self._begin(tree, self.team.state())

    def _prepared(self, batch: pa.RecordBatch) -> tuple[Given, dict[int, Share]]:
        coded = self.team.coded(batch)
        tags, number_of, codes = self.plan.tagged.numbered(Columns(coded, self.input_type))
        takers = [[self.alike[worker] for worker in self.router.takers(tag)] for tag in tags]
        order, begins, many = dealt(codes, number_of, takers, self.team.nodes)
        self.lately.update({tag: n for tag, n in zip(tags, many.tolist()) if n})
        return self.team.given(batch, coded, order), scheduled(
            self.team.layout, self.alike, order, begins)

    def _guarded(self, work: Callable, *given: object) -> None:
        try:
            work(*given)
        except BaseException as error:
            self._break_off()
            self.fail(error)

    def _break_off(self) -> None:
        """Lets nobody wait any longer: neither in native code nor for jobs to be done."""
        self.broken.set()
        self.team.stop()
        with self.lock:
            self.lock.notify_all()

    def _work(self, leaf: int) -> None:
        """The life of a worker."""
        while (job := self.inboxes[leaf].get()) is not STOP and not self.broken.is_set():
            part, began = None, time.thread_time()
            if job.given is not None and job.number >= self.again:
                part = job.parts[leaf] = self.team.share(leaf, job.given, job.shares[leaf])
            with self.lock:
                job.missing -= 1
                job.seconds += time.thread_time() - began
                is_last = not job.missing
            if is_last:
                self._complete(job)
            while part is None and not (job.over.wait(1.0) or self.broken.is_set()):
                # Whoever completes the job may have failed.
                continue

    def _complete(self, job: Job) -> None:
        """By the last worker that comes out of a job, the others being there or at the next."""
        if not job.is_done:
            job.outcome = self._in_one_place(job, fell=bool(job.parts))
            job.over.set()
        self.results.put(job)

    def _in_one_place(self, job: Job, fell: bool) -> Outcome:
        if fell:
            self.patience *= 2
            self.again = job.number + self.patience
        if job.final:
            return self.plan.finished(self._state())
        if not self.in_line:
            self.line.adopt([([{None: self.team.state()}], None)])
            self.in_line = True
        outcome = self.line.run(job.slice.number, Flow(range(len(job.rows)), job.rows.items))
        if job.number + 1 >= self.again and not outcome.failures:
            self.in_line = not self.team.put(self.plan.state_of(self.line))
            self.again = FOREVER if self.in_line else self.again
        return outcome

    def _let_leave(self) -> None:
        """Puts together what the workers have done, slice after slice."""
        while (job := self.results.get()) is not STOP:
            self._let_go(job)

    def _let_go(self, job: Job) -> None:
        if job.outcome is None:
            batch, origins = self.team.merged(job.given, job.parts.values())
            step = Step(self.plan.operator.name, len(job.rows), len(batch), job.seconds)
            job.outcome = Outcome([Flow(origins, Columns(batch, self.output_type))], [],
                                  steps=(step,))
        self.leave(job.slice, job.rows, job.outcome)
        with self.lock:
            self.done += 1
            self.lock.notify_all()

    def _wait_until_done(self) -> None:
        with self.lock:
            self.lock.wait_for(lambda: self.done == self.jobs or self.broken.is_set())

    def _forget_texts(self) -> None:
        self._wait_until_done()
        state = self._state()
        self.team.forget_texts()
        if not self.in_line:
            self._put(state)

    def _state(self) -> object:
        return self.plan.state_of(self.line) if self.in_line else self.team.state()
