"""A partitioned stage at work: the rows of a slice go apart by their keys and come together again.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from operator import itemgetter

from anabranch.engine.multicore.line import Flow, Outcome
from anabranch.engine.multicore.runners import Runner
from anabranch.engine.multicore.service import Service, send
from anabranch.engine.multicore.slices import EMPTY, Rows, Slice
from anabranch.ir.operators import key_function


@dataclass(eq=False)
class Parts:
    """A slice in the hands of several buckets: what each made of it, until the last is done."""

    slice: Slice
    rows: Rows
    missing: int
    outcomes: list[Outcome] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, outcome: Outcome) -> bool:
        with self.lock:
            self.outcomes.append(outcome)
            self.missing -= 1
            return self.missing == 0

    def merged(self, outputs: int) -> Outcome:
        """All outcomes as one, in the order of the rows."""
        flows = [_merged([o.outputs[port] for o in self.outcomes]) for port in range(outputs)]
        return Outcome(flows, list(chain.from_iterable(o.failures for o in self.outcomes)),
                       sum(o.seconds for o in self.outcomes))


def _merged(flows: list[Flow]) -> Flow:
    if len(flows) == 1:
        return flows[0]
    # The sort is stable and finds the flows' runs, so it merges them.
    pairs = sorted(chain.from_iterable(zip(f.rows, f.items) for f in flows), key=itemgetter(0))
    rows, items = zip(*pairs) if pairs else ((), ())
    return Flow(rows, list(items))


def spread(number: int, buckets: int) -> int:
    """A bucket for a hash. Numbers hash to themselves, so they are mixed: keys that are all
    multiples of ten must not meet in one bucket of ten.

    >>> len({spread(10 * n, 10) for n in range(100)})
    10
    """
    return ((number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF) >> 32) % buckets


class Partitioned(Service):
    """The rows of a slice go to the buckets of their keys; each bucket takes slices in order."""

    def __init__(self, stage, hand_on, measure, runner: Runner, reorder, queue, buckets: int):
        super().__init__(stage, queue(buckets), partial(send, reorder(hand_on)), measure)
        self.runner, self.most, self.buckets = runner, buckets, buckets
        self.key_of = [key_function(key) for key in stage.keys]

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

    def operate(self, worker, work):
        parts, bucket, flow = work
        number, final = parts.slice.number, parts.slice.final
        outcome = self.runner.finish(worker, bucket, number, final) if flow is None \
            else self.runner.run(worker, bucket, number, flow)
        if parts.add(outcome):
            self._store(parts.slice, parts.rows, parts.merged(len(self.stage.outputs)))
            self.hand_on(parts.slice)
        return len(flow.items) if flow else 0, sum(len(f.items) for f in outcome.outputs)

    def _split(self, rows: Rows) -> dict[int, Flow]:
        flows: dict[int, Flow] = {}
        several = rows.ports is not None
        for row, bucket in enumerate(self._buckets_of(rows)):
            flow = flows.get(bucket)
            if flow is None:
                flow = flows[bucket] = Flow([], [], [] if several else None)
            flow.rows.append(row)
            flow.items.append(rows.items[row])
            if several:
                flow.ports.append(rows.ports[row])
        return flows

    def _buckets_of(self, rows: Rows) -> list[int]:
        if rows.ports is not None:
            return [self._bucket(port, item) for port, item in zip(rows.ports, rows.items)]
        try:
            return [spread(hash(key), self.buckets) for key in map(self.key_of[0], rows.items)]
        except Exception:
            return [self._bucket(0, item) for item in rows.items]

    def _bucket(self, port: int, item: object) -> int:
        # All routing is done here, in one process, so Python's own hash will do: it agrees with
        # the dictionaries in which operators keep their keys.
        try:
            return spread(hash(self.key_of[port](item)), self.buckets)
        except Exception:
            # The operator will fail on this item, and say so better.
            return 0
