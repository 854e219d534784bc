"""A partitioned stage at work: a slice's rows part by key and come together.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from anabranch.batch.buckets import Dealt, Route, by_bucket
from anabranch.batch.outcomes import combined, measured
from anabranch.batch.slices import EMPTY, Flow, Outcome, Rows, Slice
from anabranch.engine.multicore.service import MakeMerge, Service
from anabranch.engine.multicore.worklists import Enough, SharedQueue
from anabranch.runtime.stage.runners import Runner


@dataclass(eq=False)
class Parts:
    """A slice in the hands of several buckets: what each made of it, until the last is done, and
    how many seconds they were `busy`, where that is measured."""

    slice: Slice
    rows: Rows
    missing: int
    outcomes: list[Outcome] = field(default_factory=list)
    busy: dict[int, float] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, outcome: Outcome, busy: Mapping[int, float] | None = None) -> bool:
        with self.lock:
            self.outcomes.append(outcome)
            self.busy.update(busy or {})
            self.missing -= 1
            return self.missing == 0

    def merged(self) -> Outcome:
        """All outcomes as one, in the order of the rows."""
        dealt = self.rows.items
        flow = dealt.put_back(self.outcomes) if isinstance(dealt, Dealt) else None
        return combined(self.outcomes) if flow is None else Outcome(
            [flow], [], *measured(self.outcomes))


class Partitioned(Service):
    """The rows of a slice go to the buckets of their keys; each bucket takes slices in order. What
    all of them made of a slice waits among the `finished`: any worker puts it together, as the next
    slice must not wait for that in the bucket that was the last."""

    def __init__(self, stage, hand_on, measure, runner: Runner, merge: MakeMerge, queue,
                 buckets: int):
        super().__init__(stage, queue(buckets), merge(hand_on).leave, measure)
        self.runner, self.most, self.buckets = runner, 2 * buckets, buckets
        self.finished = SharedQueue()
        self.route = Route(stage.index, stage.keys, buckets)

    def put(self, slice_: Slice) -> None:
        rows = self._input(slice_)
        flows = dict.fromkeys(range(self.buckets)) if self._finishes(slice_) else self._split(rows)
        parts = Parts(slice_, rows, len(flows))
        if not flows:
            for queue in self.stage.outputs:
                slice_.batches[queue] = EMPTY
            self.hand_on(slice_)
        for bucket, flow in flows.items():
            self.worklist.add(bucket, (parts, bucket, flow))

    def available(self, worker: int) -> int:
        return self.finished.available(worker) + self.worklist.available(worker)

    def serve(self, worker: int, enough: Enough) -> None:
        def is_over() -> bool:
            return enough() or self.finished.available(worker) > 0
        while not enough() and self.available(worker):
            self.finished.serve(worker, self._put_together, enough)
            self.worklist.serve(worker, lambda work: self._timed(worker, work), is_over)

    def operate(self, worker, work):
        parts, bucket, flow = work
        number, final = parts.slice.number, parts.slice.final
        outcome = self.runner.finish(worker, bucket, number, final) if flow is None \
            else self.runner.run(worker, bucket, number, flow)
        if parts.add(outcome):
            self.finished.add(bucket, parts)
        return len(flow.items) if flow else 0, sum(len(f.items) for f in outcome.outputs)

    def _put_together(self, parts: Parts) -> None:
        began = time.perf_counter()
        self._store(parts.slice, parts.rows, parts.merged())
        self.hand_on(parts.slice)
        self.measure(self.stage.index, 0, 0, time.perf_counter() - began)

    def _split(self, rows: Rows) -> dict[int, Flow]:
        if not len(rows):
            return {}
        if isinstance(rows.items, Dealt):
            return dict(rows.items.parts)
        return by_bucket(Flow(range(len(rows)), rows.items, rows.ports),
                         self.route.buckets_of(rows.items, rows.ports))
