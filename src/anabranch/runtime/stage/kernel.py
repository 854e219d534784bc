"""A straight line of operators as a kernel, with the interface of `rows.Line`.

A split tells the port of every row by a kernel, and takes the columns apart.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from anabranch.batch.items import Columns, as_batch, joined, picked
from anabranch.batch.outcomes import total
from anabranch.batch.slices import Flow, Outcome, Step
from anabranch.ir.graph import Graph, Operator
from anabranch.kernels import Kernel
from anabranch.kernels.kernel import columns_read
from anabranch.kernels.native.deal import BucketRows
from anabranch.kernels.rows import RowsState
from anabranch.kernels.stamps import FIRST_END, at_end
from anabranch.kernels.tally import Tally
from anabranch.runtime.stage.rows import Line

Place = tuple


class Places:
    """Remembers with which number each slice begins; the first `noted` of them are saved."""

    def __init__(self):
        self.noted = 0
        self.starts: list[int] = []
        self.numbers: list[object] = []
        self.start_of: dict[object, int] = {}
        self.ends: dict[int, object] = {}
        self.next = 0

    def begin(self, number: object, rows: Sequence[int]) -> int:
        """The number of row 0 of a slice, some of whose rows come now, in order."""
        start = self.start_of[number] = self.next
        self.starts.append(start)
        self.numbers.append(number)
        self.next += int(rows[-1]) + 1 if len(rows) else 0
        return start

    def end(self, operator: int, number: object) -> None:
        """The stateful operator of this number ends with this slice."""
        self.ends[operator] = number

    def of(self, stamp: int) -> Place:
        if stamp >= FIRST_END:
            operator = (stamp // FIRST_END).bit_length() - 1
            return self.ends[operator], self.of(stamp - at_end(operator, 0))
        slice_ = bisect_right(self.starts, stamp) - 1
        return self.numbers[slice_], stamp - self.starts[slice_]

    def stamp(self, place: Place) -> int:
        number, row = place
        return self.start_of[number] + row

    def learn(self, places: Iterable[Place]) -> None:
        """Makes places known that were noted elsewhere, before any slice of this line's own."""
        last: dict[object, int] = {}
        for number, row in places:
            last[number] = max(row, last.get(number, 0))
        for number in sorted(last):
            if number not in self.start_of:
                self.begin(number, (last[number],))

    def keep(self, stamps: np.ndarray) -> None:
        """Forgets the slices of which no row has one of the stamps."""
        if self.starts:
            chosen = np.unique(np.searchsorted(self.starts, stamps, side="right") - 1).tolist()
            slices = [(self.numbers[n], self.starts[n]) for n in chosen]
            self.start_of = dict(slices)
            self.numbers, self.starts = [n for n, _ in slices], [start for _, start in slices]

    def saved(self, first: int) -> list:
        """What is known of the slices from the `first` on, for `restore`."""
        return [self.numbers[first:], self.starts[first:], self.next]

    def restore(self, saved: Sequence) -> None:
        """Makes slices known behind those that are."""
        numbers, starts, self.next = saved
        self.numbers += numbers
        self.starts += starts
        self.start_of |= dict(zip(numbers, starts))


class KernelLine:
    """The operators of a stage with a state of their own, so there can be one for each bucket.

    `ready` is told for how many seconds rows have computed, and whether the next come in bulk, and
    tells whether the kernel may be used yet. After a fall the plain line keeps the stage
    for `patience` slices; each fall doubles the patience. `done` counts the rows of each tier.
    """

    def __init__(self, graph: Graph, operators: Sequence[Operator], kernel: Kernel,
                 buckets: bool = False,
                 ready: Callable[[float, bool], bool] = lambda seconds, bulk: True):
        self.operators, self.kernel, self.ready = tuple(operators), kernel, ready
        self.reads = columns_read(kernel)
        self.new_line = partial(Line, graph, operators, buckets)
        self.line, self.native, self.memory = self.new_line(), False, None
        self.waited, self.patience, self.seconds = 1, 1, 0.0
        # Only where keys are told of the end in several buckets is it asked when they came.
        noted = any(step.first is not None for step in self.line.steps)
        self.places = Places() if noted else None
        self.final: tuple | None = None
        self.tally = Tally(len(self.operators))
        self.done = {"rows": 0, kernel.tier: 0}

    def run(self, number: object, flow: Flow) -> Outcome:
        """Takes the rows of slice `number` through the line."""
        start = self.places.begin(number, flow.rows) if self.places else None
        native = self._goes_native(isinstance(flow.items, Columns))
        if native and isinstance(flow.items, BucketRows):
            return self._shared(number, flow, start)
        batch = as_batch(flow.items, self.kernel.rows.input_type, self.reads) if native else None
        if batch is None:
            return self._in_rows(number, flow)
        began = time.thread_time()
        stamps = 0 if start is None else start + np.asarray(flow.rows, np.int64)
        outputs, origins, done = self.kernel.advance(self.memory, batch, stamps, self.tally)
        self.done[self.kernel.tier] += done
        outcome = self._measured(self._flows(flow, batch, outputs, origins),
                                 time.thread_time() - began)
        if done == len(batch):
            return outcome
        return _followed(outcome, self._in_rows(number, Flow(flow.rows[done:], flow.items[done:])))

    def _shared(self, number: object, flow: Flow, start: int | None) -> Outcome:
        """The same for the rows of one bucket, into arrays that all buckets have."""
        began = time.thread_time()
        stamps = 0 if start is None else start + np.asarray(flow.rows, np.int64)
        made, rows, done = flow.items.through(self.kernel, self.memory, stamps, self.tally)
        self.done[self.kernel.tier] += done
        outcome = self._measured([Flow(rows, made)], time.thread_time() - began)
        if done == len(flow.items):
            return outcome
        return _followed(outcome, self._in_rows(number, Flow(flow.rows[done:], flow.items[done:])))

    def _flows(self, flow: Flow, batch: pa.RecordBatch, outputs: pa.RecordBatch,
               origins: np.ndarray) -> list[Flow]:
        """What the kernel made of a batch, by output."""
        return [Flow(picked(flow.rows, origins),
                     Columns(outputs, self.kernel.rows.output_type))]

    def finish(self, number: object, name: str) -> Outcome:
        """Tells one operator of the end of its input; its last items pass those behind it."""
        place = next(n for n, op in enumerate(self.operators) if op.name == name)
        operator = sum(bool(op.variables) for op in self.operators[:place])
        if self.places:
            self.places.end(operator, number)
        if not self._finished():
            return self.line.finish(number, name)
        began = time.thread_time()
        items, order = self.final
        own = np.flatnonzero((order >= at_end(operator, 0)) & (order < at_end(operator + 1, 0)))
        rows = [self.places.of(stamp) for stamp in (order[own] - at_end(operator, 0)).tolist()] \
            if self.places else [0] * len(own)
        return self._measured([Flow(rows, items.taken(own))], time.thread_time() - began)

    def _measured(self, flows: list[Flow], seconds: float) -> Outcome:
        """What the kernel made in so many seconds, which its operators share."""
        rows = self.tally.taken()
        steps = (Step(op.name, given, handed_on, seconds * share) for op, given, handed_on, share
                 in zip(self.operators, rows, rows[1:], self.tally.shares))
        return Outcome(flows, [], seconds, tuple(steps))

    def state(self) -> list:
        """All that the operators remember, as the plain line has it."""
        if not self.native:
            return self.line.state()
        rows = self.kernel.to_rows(self.memory)
        return [([rows.cells[v].value for v in op.variables], self._firsts(step, rows, index))
                for index, (op, step) in enumerate(zip(self.operators, self.line.steps))]

    def adopt(self, state: list) -> None:
        """Goes on from what another line of the same operators remembers."""
        if self.places:
            self.places.learn(place for _, first in state if first for place in first.values())
        self.native, self.memory, self.waited = False, None, self.patience
        self.line.adopt(state)

    def _goes_native(self, in_bulk: bool) -> bool:
        """Whether the kernel has the stage, or can take it now."""
        if not self.native and self.waited >= self.patience and self.ready(self.seconds, in_bulk):
            self._take_over()
        return self.native

    def _take_over(self) -> None:
        cells = {v: cell for step in self.line.steps
                 for v, cell in zip(step.op.variables, step.cells)}
        self.memory = self.kernel.from_rows(RowsState(cells, [
            self._seen(step) for step in self.line.steps]))
        self.native = self.memory is not None or not cells
        if self.native:
            self.line = self.new_line()
        else:
            self.waited = 0

    def _in_rows(self, number: object, flow: Flow) -> Outcome:
        if self.native:
            self._fall()
        self.waited += 1
        self.done["rows"] += len(flow.items)
        outcome = self.line.run(number, flow)
        self.seconds += outcome.seconds
        return outcome

    def _fall(self) -> None:
        self.line.adopt(self.state())
        self.native, self.memory = False, None
        self.waited, self.patience = 0, 2 * self.patience

    def _finished(self) -> bool:
        """Whether the kernel has said what all operators emit at the end."""
        if self.final is None and self.native:
            try:
                batch, order = self.kernel.finish(self.memory, self.tally)
                self.final = Columns(batch, self.kernel.rows.output_type), order
            except Exception:
                # The plain line finds the same failure, and knows where it belongs.
                self._fall()
        return self.final is not None

    def _firsts(self, step, rows: RowsState, index: int) -> dict | None:
        if step.first is None:
            return None
        keys = rows.cells[step.op.variables[0]].value
        return {key: self.places.of(stamp) for key, stamp in zip(keys, rows.seen[index])}

    def _seen(self, step) -> list[int]:
        keys = step.cells[0].value if step.cells else None
        if not isinstance(keys, dict):
            return []
        return [0 if step.first is None else self.places.stamp(step.first[key]) for key in keys]


def _followed(outcome: Outcome, rest: Outcome) -> Outcome:
    """Both as one: the rows of the second come after those of the first."""
    flows = [Flow([*a.rows, *b.rows], joined([a.items, b.items]))
             for a, b in zip(outcome.outputs, rest.outputs)]
    return Outcome(flows, rest.failures, outcome.seconds + rest.seconds,
                   total((*outcome.steps, *rest.steps)))


class SplitLine(KernelLine):
    """Its kernel gives a port number for every row."""

    def _flows(self, flow: Flow, batch: pa.RecordBatch, outputs: pa.RecordBatch,
               origins: np.ndarray) -> list[Flow]:
        ports, items = outputs.column(0).to_numpy(), Columns(batch, self.kernel.rows.input_type)
        return [Flow(picked(flow.rows, places := np.flatnonzero(ports == port)),
                     items.taken(places)) for port in range(len(self.operators[0].outputs))]
