"""Services: a stage at work; slices come and go in the order of their numbers.

A slice is put in when it is complete; workers serve it, and what comes
out is handed on in the order of the numbers again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from anabranch.batch.failure import ReportLate
from anabranch.batch.items import picked
from anabranch.batch.slices import EMPTY, Batch, Failure, Flow, Outcome, Rows, Slice, gathered
from anabranch.engine.multicore.reorder import Merge
from anabranch.engine.multicore.worklists import Enough, SharedQueue
from anabranch.plan.logical.plan import Ordering
from anabranch.plan.physical.stages import Stage
from anabranch.runtime.ends.emitting import Emit, is_full
from anabranch.runtime.metrics import Meter
from anabranch.runtime.stage.runners import Runner

HandOn = Callable[[Slice], None]
MakeMerge = Callable[[HandOn], Merge]
PULSES = (Ordering.NONE, Ordering.SEQNO_PULSES)
"""The strategies with which an empty slice is served by nobody."""


class Service:
    """What all stages have: a worklist, and the way on. `most` is how many may serve at once,
    `elsewhere` how many worker processes serve it, `longest` the most work that waited for them.
    It is `settled` when it is known whether it needs any."""

    most: int | None = 1
    elsewhere = most_elsewhere = longest = 0
    settled = True

    def __init__(self, stage: Stage, worklist, hand_on: HandOn, measure: Callable):
        self.stage, self.worklist, self.hand_on, self.measure = stage, worklist, hand_on, measure
        self.meter = Meter()

    def put(self, slice_: Slice) -> None:
        self.worklist.add(0, slice_)

    def come_home(self) -> None:
        """From now on the stage runs here; only those in processes are elsewhere."""

    def available(self, worker: int) -> int:
        """How much a worker that comes now would find."""
        return self.worklist.available(worker)

    @property
    def waiting(self) -> int:
        """How much work there is, for whomever."""
        return self.available(0)

    def serve(self, worker: int, enough: Enough) -> None:
        self.worklist.serve(worker, lambda work: self._timed(worker, work), enough)

    def _timed(self, worker: int, work: object) -> None:
        began = time.perf_counter()
        rows_in, rows_out = self.operate(worker, work)
        self.measure(self.stage.index, rows_in, rows_out, time.perf_counter() - began)

    def operate(self, worker: int, work: object) -> tuple[int, int]:
        """Does a piece of work, each kind of stage in its own way; the rows in and out."""
        raise NotImplementedError

    def _finishes(self, slice_: Slice) -> bool:
        return slice_.final is not None and slice_.final in self.stage

    def _passes_as_pulse(self, slice_: Slice) -> bool:
        """An empty slice tells only how far the stage is: it goes on where it is, if the strategy
        has pulses, or nobody waits for it."""
        is_pulse = self.stage.ordering in PULSES and not self._finishes(slice_) and not any(
            len(slice_.batches[queue].items) for queue in self.stage.inputs)
        if is_pulse:
            slice_.batches |= dict.fromkeys(self.stage.outputs, EMPTY)
            self.hand_on(slice_)
        return is_pulse

    def _input(self, slice_: Slice) -> Rows:
        return gathered([slice_.batches[q] for q in self.stage.inputs])

    def _store(self, slice_: Slice, rows: Rows, outcome: Outcome) -> int:
        """The outcome as the slice's batches; the number of rows in them."""
        slice_.computed(outcome.seconds)
        self.meter.add(outcome.steps)
        origins = None if self._finishes(slice_) else rows.origins
        for queue, flow in zip(self.stage.outputs, outcome.outputs):
            slice_.batches[queue] = Batch([0] * len(flow.items) if origins is None
                                          else picked(origins, flow.rows), flow.items)
        slice_.add_failures([_dated(origins, failure) for failure in outcome.failures])
        return sum(len(flow.items) for flow in outcome.outputs)


def _dated(origins: Sequence[int] | None, failure: Failure) -> Failure:
    position, row = failure.when
    return Failure((origins[row] if origins is not None else 0, position, row), failure.error)


class InOrder(Service):
    """One worker at a time, slice after slice."""

    def __init__(self, stage, hand_on, measure, runner: Runner):
        super().__init__(stage, SharedQueue(), hand_on, measure)
        self.runner = runner

    def operate(self, worker, slice_):
        rows = self._input(slice_)
        rows_out = self._store(slice_, rows, self._outcome(worker, slice_, rows))
        self.hand_on(slice_)
        return len(rows), rows_out

    def _outcome(self, worker: int, slice_: Slice, rows: Rows) -> Outcome:
        if self._finishes(slice_):
            return self.runner.finish(worker, 0, slice_.number, slice_.final)
        return self.runner.run(worker, 0, slice_.number,
                               Flow(range(len(rows)), rows.items, rows.ports))


class Stateless(InOrder):
    """Any number of workers; a merge puts the slices back in order, where that is wanted."""

    most = None

    def __init__(self, stage, hand_on, measure, runner: Runner, merge: MakeMerge):
        self.merge = merge(hand_on)
        super().__init__(stage, self.merge.leave, measure, runner)

    def put(self, slice_):
        self.merge.enter(slice_)
        if not self._passes_as_pulse(slice_):
            super().put(slice_)


class SinksFull(Exception):
    """The sinks have got all that there can be for them: the run has ended well."""


class Together(Service):
    """Operators that run together, and the sinks: one source tuple after another. `merge` is there
    if slices may come in another order than they are to be taken. The `last` stage tells what
    failed, and what came late."""

    def __init__(self, stage, hand_on, measure, rounds, emit: Emit, failed: Callable,
                 late: ReportLate, last: bool = False, merge: MakeMerge | None = None):
        super().__init__(stage, SharedQueue(), hand_on, measure)
        self.rounds, self.failed, self.late, self.last = rounds, failed, late, last
        self.emit = emit
        self.put = super().put if merge is None else merge(super().put).leave

    def operate(self, worker, slice_):
        began = time.thread_time()
        batches = [_before(slice_.cut, slice_.batches[q]) for q in self.stage.inputs]
        flows, failures = self.rounds.finish_one(slice_.final) if self._finishes(slice_) \
            else self.rounds.run(batches)
        slice_.computed(time.thread_time() - began)
        self.meter.add(self.rounds.steps())
        for queue, flow in zip(self.stage.outputs, flows):
            slice_.batches[queue] = Batch(flow.rows, flow.items)
        slice_.add_failures(failures)
        if is_full(self.emit):
            self.failed(SinksFull())
        if self.last:
            for row in slice_.late_rows():
                self.late(row)
            if slice_.failure:
                self.failed(slice_.failure.error)
        self.hand_on(slice_)
        return sum(len(b.items) for b in batches), sum(len(f.items) for f in flows)


def _before(cut: float, batch: Batch) -> Batch:
    """What stands before the first failure."""
    kept = sum(1 for origin in batch.origins if origin < cut) if cut != float("inf") \
        else len(batch.items)
    return batch if kept == len(batch.items) else Batch(batch.origins[:kept], batch.items[:kept])
