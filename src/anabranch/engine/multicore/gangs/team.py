"""A team: workers in threads that go through each slice together, in native code."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from queue import SimpleQueue

from anabranch.batch.items import Columns
from anabranch.batch.outcomes import combined
from anabranch.batch.slices import Flow, Outcome, Rows, Slice, Step
from anabranch.core.threads import start_thread
from anabranch.engine.multicore.gangs.mail import Leave
from anabranch.engine.multicore.gangs.roster import Job, Roster
from anabranch.kernels.native.team.kernel import TeamKernel
from anabranch.runtime.gang.plans import Planning, Trees
from anabranch.runtime.stage.rows import Line

STOP = None
LATELY = 1_000_000
"""After so many events it is looked whether there is a much better plan by now."""


class NativeTeam:
    """A thread for each leaf of the plans, some more where there are cold keys, and one for what
    leaves. `new_line` makes lines in which rows are done in one place; `line` holds the states at
    first. `done` counts the rows of each tier, as it does in a line; `left` the slices."""

    def __init__(self, kernel: TeamKernel, plan: Planning, line: Line, leave: Leave,
                 fail: Callable[[BaseException], None], new_line: Callable[[], Line]):
        self.kernel, self.plan, self.leave, self.fail = kernel, plan, leave, fail
        self.new_line = new_line
        self.results: SimpleQueue = SimpleQueue()
        self.lock, self.jobs, self.broken = threading.Condition(), 0, threading.Event()
        self.left, self.lately = 0, Counter()
        self.done = {"native": 0}
        self._begin(plan.trees(), plan.states_of(line))
        self.last = self._thread(self._let_leave)

    def _begin(self, trees: Trees, states: dict) -> None:
        self.roster = Roster(self.kernel, self.plan, trees, states, self.new_line)
        hands = self.roster.hands(self.broken)
        self.inboxes = [SimpleQueue() for _ in hands]
        self.threads = [self._thread(self._work, *given) for given in zip(self.inboxes, hands)]

    @property
    def workers(self) -> int:
        return min(len(self.inboxes), self.plan.workers)

    def _thread(self, work: Callable, *given: object) -> threading.Thread:
        return start_thread(self._guarded, work, *given, name="team")

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None:
        """Takes the next slice; the `final` one tells of the end of the input."""
        if self.roster.lead.knows_many_texts:
            self._wait_until_done()
            self.roster.forget_texts()
        if self.lately.total() >= LATELY:
            self._look_again(rows)
        job = Job(self.jobs, slice_, rows, final, len(self.inboxes))
        self.jobs += 1
        if not final and self.left == job.number and self.plan.is_light(len(rows)):
            self._do_alone(job)
            return
        if not final:
            self.lately.update(self.roster.deal(job))
        for inbox in self.inboxes:
            inbox.put(job)

    def _do_alone(self, job: Job) -> None:
        """Does a light slice here and now, as nobody is at work: to wake the workers would take
        longer."""
        self.roster.deal_to_one(job)
        began = time.thread_time()
        job.do_alone(self.broken)
        job.seconds = time.thread_time() - began
        job.do_again()
        self._let_go(job)

    def close(self) -> None:
        self._break_off()
        self._dismiss()
        self.results.put(STOP)
        self.last.join()

    def _dismiss(self) -> None:
        for inbox in self.inboxes:
            inbox.put(STOP)
        for thread in self.threads:
            thread.join()

    def _look_again(self, rows: Rows) -> None:
        """Makes a new plan where other tags, or other keys, come often than did at first."""
        states = self.roster.states
        trees = self.plan.better_than({s.key: s.tree for s in states}, self.lately, rows.items)
        self.lately.clear()
        if trees is not None:
            self._wait_until_done()
            if not any(state.in_line for state in states) and not self.broken.is_set():
                self._dismiss()
                self._begin(trees, self.roster.given_up())

    def _guarded(self, work: Callable, *given: object) -> None:
        try:
            work(*given)
        except BaseException as error:
            self._break_off()
            self.fail(error)

    def _break_off(self) -> None:
        """Lets nobody wait any longer: neither in native code nor for jobs to be done."""
        self.broken.set()
        self.roster.stop()
        with self.lock:
            self.lock.notify_all()

    def _work(self, inbox: SimpleQueue, take_part: Callable[[Job], bool]) -> None:
        """The life of a worker."""
        while (job := inbox.get()) is not STOP and not self.broken.is_set():
            began = time.thread_time()
            is_done = take_part(job)
            with self.lock:
                job.missing -= 1
                job.seconds += time.thread_time() - began
                is_last = not job.missing
            if is_last:
                self._complete(job)
            while not (is_done or job.over.wait(1.0) or self.broken.is_set()):
                # Whoever completes the job may have failed.
                continue

    def _complete(self, job: Job) -> None:
        """By the last worker that comes out of a job, the others being there or at the next."""
        if job.final:
            job.outcome = self.plan.finished(self.roster.only_state())
        job.do_again()
        job.over.set()
        self.results.put(job)

    def _let_leave(self) -> None:
        """Puts together what the workers have done, slice after slice."""
        while (job := self.results.get()) is not STOP:
            self._let_go(job)

    def _let_go(self, job: Job) -> None:
        outcome = job.outcome or combined([*self._in_native_code(job), *job.others()])
        self.leave(job.slice, job.rows, outcome)
        with self.lock:
            self.left += 1
            self.lock.notify_all()

    def _in_native_code(self, job: Job) -> Iterator[Outcome]:
        """The outcome of all that native code has done; there is one at least."""
        if not (turns := job.native):
            yield Outcome([Flow([], [])], [])
            return
        batch, origins = self.roster.lead.merged(
            turns[0].given.batch, [part for turn in turns for part in turn.parts.values()])
        rows = sum(len(turn.order) for turn in turns)
        self.done["native"] += rows
        step = Step(self.plan.operator.name, rows, len(batch), job.seconds - job.seconds_of_cold)
        items = Columns(batch, self.kernel.rows.output_type)
        yield Outcome([Flow(origins, items)], [], steps=(step,))

    def _wait_until_done(self) -> None:
        with self.lock:
            self.lock.wait_for(lambda: self.left == self.jobs or self.broken.is_set())
