"""A team: workers in threads that go through each slice together, in native code.

They meet there, without the interpreter; a slice costs each of them a call for each state that is
forked: the only one, or those of the hot keys. Rows of a state that native code cannot do are done
again in one place, from the state before them.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import accumulate
from queue import SimpleQueue

import numpy as np
import pyarrow as pa

from anabranch.engine.items import Columns, as_batch
from anabranch.engine.multicore.flows import Flow, Outcome, Step
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.outcomes import combined
from anabranch.engine.multicore.slices import Rows, Slice
from anabranch.engine.multicore.synchronization.cold_keys import ColdKeys
from anabranch.engine.multicore.synchronization.forked import Forked, Turn
from anabranch.engine.multicore.synchronization.job import Job
from anabranch.engine.multicore.synchronization.key_tagging import COLD, OnlyState, StateOfKey
from anabranch.engine.multicore.synchronization.plans import Planning, Trees
from anabranch.engine.multicore.synchronization.posted import Leave
from anabranch.kernels.native.dealing import dealt
from anabranch.kernels.native.lead import Lead
from anabranch.kernels.native.team import TeamKernel

STOP = None
LATELY = 1_000_000
"""After so many events it is looked whether there is a much better plan by now."""
BUCKETS_PER_WORKER = 2
"""Of keys that come seldom, where several workers have them: each costs a call a slice."""


class NativeTeam:
    """A thread for each leaf of the plans, some more where there are cold keys, and one for what
    leaves. `new_line` makes lines in which rows are done in one place; `line` holds the states at
    first."""

    def __init__(self, kernel: TeamKernel, plan: Planning, line: Line, leave: Leave,
                 fail: Callable[[BaseException], None], new_line: Callable[[], Line]):
        self.kernel, self.plan, self.leave, self.fail = kernel, plan, leave, fail
        self.new_line = new_line
        self.input_type, self.output_type = kernel.rows.input_type, kernel.rows.output_type
        self.results: SimpleQueue = SimpleQueue()
        self.lock, self.jobs, self.broken = threading.Condition(), 0, threading.Event()
        self.done, self.lately = 0, Counter()
        self._begin(plan.trees(), plan.states_of(line))
        self.last = self._thread(self._let_leave)

    def _begin(self, trees: Trees, states: dict) -> None:
        """Begins with plans for some keys, or for the only state, which has the key None."""
        kind, self.lead = self.plan.operator.kind, Lead(self.kernel)
        self.states = [Forked(self.kernel, self.lead, tree, self.new_line(), key)
                       for key, tree in trees.items()]
        # The workers of all trees, and then the buckets, are numbered one behind the other.
        self.firsts = list(accumulate((state.team.nodes for state in self.states), initial=0))
        hands = [partial(Job.take_part, hand=hand) for hand in range(
            max((len(state.leaves) for state in self.states), default=0))]
        self.cold, self.tagged = None, OnlyState(self.plan.tagged)
        if kind.by:
            many = self.plan.workers_of_cold(trees)
            hands += [partial(Job.take_cold, broken=self.broken)] * many
            buckets = BUCKETS_PER_WORKER * many if many > 1 else 1
            self.cold = ColdKeys([self.new_line() for _ in range(buckets)])
            self.tagged = StateOfKey(self.plan.tagged, kind.by, list(trees), buckets)
        self._put(states)
        self.inboxes = [SimpleQueue() for _ in hands]
        self.threads = [self._thread(self._work, *given) for given in zip(self.inboxes, hands)]

    @property
    def workers(self) -> int:
        return len(self.inboxes)

    def _put(self, states: dict) -> None:
        cold = dict(states)
        for state in self.states:
            own = cold.pop(state.key, None)
            state.put(self.plan.operator.kind.new_state() if own is None else own)
        if self.cold is not None:
            self.cold.put(cold)

    def _thread(self, work: Callable, *given: object) -> threading.Thread:
        thread = threading.Thread(target=self._guarded, args=(work, *given), daemon=True,
                                  name="anabranch team")
        thread.start()
        return thread

    def take(self, slice_: Slice, rows: Rows, final: bool) -> None:
        """Takes the next slice; the `final` one tells of the end of the input."""
        if self.lead.knows_many_texts:
            self._forget_texts()
        if self.lately.total() >= LATELY:
            self._look_again(rows)
        job = Job(self.jobs, slice_, rows, final, len(self.inboxes))
        self.jobs += 1
        if not final and self.done == job.number and self.plan.is_light(len(rows)):
            self._do_alone(job)
            return
        if not final:
            self._deal_out(job)
        for inbox in self.inboxes:
            inbox.put(job)

    def _do_alone(self, job: Job) -> None:
        """Does a light slice here and now, as nobody is at work: to wake the workers would take
        longer."""
        if self.cold is None:
            order, batch = np.arange(len(job.rows)), self._batch(job)
            job.turns = [Turn(self.states[0], order, None if batch is None else self.lead.given(
                batch, self.lead.coded(batch), order))]
        else:
            self._deal_out(job)
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
        trees = self.plan.better_than({s.key: s.tree for s in self.states},
                                      self.lately, rows.items)
        self.lately.clear()
        if trees is not None:
            self._wait_until_done()
            if not any(state.in_line for state in self.states) and not self.broken.is_set():
                states = self._states()
                self._dismiss()
                self._begin(trees, states)

    def _deal_out(self, job: Job) -> None:
        """Says who does which rows."""
        items, batch, given = job.rows.items, self._batch(job), None
        if batch is None and self.cold is None:
            job.turns = [Turn(self.states[0], np.arange(len(items)), None)]
            return
        coded = None if batch is None else self.lead.coded(batch)
        tags, number_of, codes = self.tagged.numbered(
            items if batch is None else Columns(coded, self.input_type))
        order, begins, many = dealt(codes, number_of, [self._takers(*tag) for tag in tags],
                                    self.firsts[-1] + len(self.cold.lines if self.cold else ()))
        self.lately.update({tag: n for tag, n in zip(tags, many.tolist()) if n})
        if batch is not None:
            given = self.lead.given(batch, coded, order)
        for state, first, last in zip(self.states, self.firsts, self.firsts[1:]):
            own = begins[first:last + 1]
            if own[-1] > own[0] or self.cold is None:
                job.turns.append(state.turn(order[own[0]:own[-1]], own - own[0], len(order), given))
        if self.cold is not None:
            items = items if batch is None else Columns(batch, self.input_type)
            job.cold = self.cold.turn(job.slice.number, items, order, begins[self.firsts[-1]:])

    def _batch(self, job: Job) -> pa.RecordBatch | None:
        """The rows in columns, if there is anybody who can take them so."""
        if self.cold is None and job.number < self.states[0].again:
            return None
        return as_batch(job.rows.items, self.input_type)

    def _takers(self, state: int, tag: object) -> list[int]:
        """The workers, or the bucket, that take a tag of a state."""
        if state == COLD:
            return [self.firsts[-1] + tag]
        return [self.firsts[state] + worker for worker in self.states[state].takers(tag)]

    def _guarded(self, work: Callable, *given: object) -> None:
        try:
            work(*given)
        except BaseException as error:
            self._break_off()
            self.fail(error)

    def _break_off(self) -> None:
        """Lets nobody wait any longer: neither in native code nor for jobs to be done."""
        self.broken.set()
        for state in self.states:
            state.team.stop()
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
            job.outcome = self.plan.finished(None if self.cold else self.states[0].state())
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
            self.done += 1
            self.lock.notify_all()

    def _in_native_code(self, job: Job) -> Iterator[Outcome]:
        """The outcome of all that native code has done; there is one at least."""
        if not (turns := job.native):
            yield Outcome([Flow([], [])], [])
            return
        batch, origins = self.lead.merged(
            turns[0].given.batch, [part for turn in turns for part in turn.parts.values()])
        rows = sum(len(turn.order) for turn in turns)
        step = Step(self.plan.operator.name, rows, len(batch), job.seconds - sum(
            outcome.seconds for outcome in (job.cold.outcomes if job.cold else ())))
        yield Outcome([Flow(origins, Columns(batch, self.output_type))], [], steps=(step,))

    def _wait_until_done(self) -> None:
        with self.lock:
            self.lock.wait_for(lambda: self.done == self.jobs or self.broken.is_set())

    def _forget_texts(self) -> None:
        self._wait_until_done()
        states = {state.key: state.state() for state in self.states if not state.in_line}
        self.lead.forget_texts()
        for state in self.states:
            if state.key in states:
                state.put(states[state.key])

    def _states(self) -> dict:
        """All states, when nobody is at work."""
        cold = self.cold.states() if self.cold else {}
        return cold | {state.key: state.state() for state in self.states}
