"""Operators that run together: each source tuple goes round until it is done.

Loops, and operators that share a variable, see when items come; they are run here as the
sequential engine runs them. Sinks too: what they are given goes out in the sequential order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from operator import itemgetter

from anabranch.batch.failure import guarded
from anabranch.batch.slices import Batch, Failure, Flow, Rows, Step, gathered
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Sink, Source
from anabranch.ir.windows import LateRow
from anabranch.plan.physical.stages import Stage
from anabranch.runtime.ends.emitting import Emit, Emitter
from anabranch.runtime.machine import Machine
from anabranch.runtime.stage.ahead import Ahead
from anabranch.runtime.stage.rows import failure_of

Stopped = Callable[[], bool]

LOOKS_UP_AFTER = 16
"""After so many items a sink looks whether all has stopped."""


class Rounds(Machine):
    """A stage's operators as a machine of their own, with a source for each queue that comes in
    and a sink for each that goes out. Firings of the operators in `ahead` may be computed before
    their turn."""

    def __init__(self, graph: Graph, stage: Stage, emit: Emit, stopped: Stopped):
        self.ahead: Mapping[str, Ahead] = {}
        inputs = [Operator(f"{q} in", Source(), (), (q,)) for q in stage.inputs]
        outputs = [Operator(f"{q} out", Sink(), (q,)) for q in stage.outputs]
        self.stage, self.stopped, self.out_of_here = stage, stopped, emit
        self.origin, self.position, self.came_late = 0, graph.position, []
        self.collected = {op.name: Flow([], []) for op in outputs}
        self.seen = {op.name: Step(op.name, 0, 0, 0.0) for op in stage.operators}
        # The outgoing queues are drained last, so that the stage's own order is untouched.
        own = graph.with_operators([*inputs, *stage.operators, *outputs])
        super().__init__(own, self._sink)

    def run(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        """One round for each origin, in order, up to the first failure."""
        for origin, arrivals in by_origin(batches):
            if self.stopped():
                break
            self.origin = origin
            try:
                for port, item in arrivals:
                    self._deliver(self.graph.operators[port], [(0, item)])
                self._run()
            except Exception as error:
                return self._taken(), [*self.late_rows(), Failure(
                    (origin, self._failing_position(), 0), error)]
        return self._taken(), self.late_rows()

    def finish_one(self, name: str) -> tuple[list[Flow], list[Failure]]:
        op, self.origin = self.graph[name], 0
        try:
            began = time.thread_time()
            outputs = guarded(op, op.kind.finish, self._cells(op))
            self._note(op, 0, len(outputs), time.thread_time() - began)
            self._deliver(op, outputs)
            self._run()
        except Exception as error:
            return self._taken(), [*self.late_rows(), Failure((0, self.position(op), 0), error)]
        return self._taken(), self.late_rows()

    def steps(self) -> list[Step]:
        """What each operator did since the last time."""
        seen = list(self.seen.values())
        self.seen = {step.operator: Step(step.operator, 0, 0, 0.0) for step in seen}
        return seen

    def _fire_of(self, op: Operator):
        fire = super()._fire_of(op)
        return fire if fire is None or op.name not in self.seen else partial(self._timed, op, fire)

    def _late(self, op: Operator, row: LateRow) -> None:
        self.came_late.append(Failure((self.origin, self.position(op.name), 0), row))

    def late_rows(self) -> list[Failure]:
        """What has come late since the last time."""
        late, self.came_late = self.came_late, []
        return late

    def _timed(self, op: Operator, fire: Callable, port: int, item: object) -> list:
        if op.name in self.ahead:
            outputs, seconds = self.ahead[op.name].fire(fire, port, item)
        else:
            began = time.thread_time()
            outputs = list(fire(port, item))
            seconds = time.thread_time() - began
        self._note(op, 1, len(outputs), seconds)
        return outputs

    def _note(self, op: Operator, rows_in: int, rows_out: int, seconds: float) -> None:
        seen = self.seen[op.name]
        self.seen[op.name] = Step(op.name, seen.rows_in + rows_in, seen.rows_out + rows_out,
                                  seen.seconds + seconds)

    def _failing_position(self) -> int:
        """Of the operator whose turn it is."""
        op = self.graph.operators[self.waiting[0]] if self.waiting else self.stage.operators[0]
        return self.position(op.name)

    def _sink(self, op: Operator, item: object) -> None:
        if op.name in self.collected:
            self.collected[op.name].rows.append(self.origin)
            self.collected[op.name].items.append(item)
        else:
            self.out_of_here(op, item)

    def _taken(self) -> list[Flow]:
        flows = list(self.collected.values())
        self.collected = {name: Flow([], []) for name in self.collected}
        return flows


class Emission:
    """The stage of all sinks: of each source tuple, the first sink's items go out first."""

    def __init__(self, graph: Graph, stage: Stage, emit: Emit, stopped: Stopped):
        self.operators, self.emit, self.stopped = stage.operators, emit, stopped
        self.positions = [graph.position(op) for op in stage.operators]
        self.port_of = [stage.inputs.index(op.inputs[0]) for op in stage.operators]
        self.began, self.counts = 0.0, [0] * len(stage.operators)

    def steps(self) -> list[Step]:
        """What each sink did of the last slice; the time is shared out by their rows."""
        each = (time.thread_time() - self.began) / max(1, sum(self.counts))
        return [Step(op.name, count, 0, count * each)
                for op, count in zip(self.operators, self.counts)]

    def run(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        given = [batches[port] for port in self.port_of]
        self.began, self.counts = time.thread_time(), [len(batch.items) for batch in given]
        sinks, failures = self._in_columns(given) if isinstance(self.emit, Emitter) else (
            list(range(len(given))), [])
        rows = gathered([given[sink] for sink in sinks]) if sinks and not failures else None
        return [], failures if rows is None else self._one_by_one(sinks, rows)

    def _in_columns(self, given: list[Batch]) -> tuple[list[int], list[Failure]]:
        """Writes what comes in columns; gives the sinks that are left, and failures."""
        left = []
        for sink, batch in enumerate(given):
            try:
                if len(batch.items) and (self.stopped() or self.emit.write(self.operators[sink],
                                                                           batch.items)):
                    continue
            except Exception as error:
                error = failure_of(self.operators[sink], error)
                return [], [Failure((batch.origins[0], self.positions[sink], 0), error)]
            left.append(sink)
        return left, []

    def _one_by_one(self, sinks: list[int], rows: Rows) -> list[Failure]:
        emit, operators, done = self.emit, [self.operators[sink] for sink in sinks], 0
        try:
            for port, item in zip(rows.each_port, rows.items):
                if not done % LOOKS_UP_AFTER and self.stopped():
                    break
                emit(operators[port], item)
                done += 1
        except Exception as error:
            return [self._failure(sinks[rows.each_port[done]], rows, done, error)]
        return []

    def _failure(self, sink: int, rows: Rows, index: int, error: Exception) -> Failure:
        error = failure_of(self.operators[sink], error, rows.items[index])
        return Failure((rows.origins[index], self.positions[sink], 0), error)


def by_origin(batches: list[Batch]) -> Iterator[tuple[int, list[tuple[int, object]]]]:
    """For each origin, what arrives with it: (port, item), the first port first."""
    arrivals = [(origin, (port, item)) for port, batch in enumerate(batches)
                for origin, item in zip(batch.origins, batch.items)]
    if len(batches) > 1:
        arrivals.sort(key=itemgetter(0))
    for origin, group in groupby(arrivals, key=itemgetter(0)):
        yield origin, [arrival for _, arrival in group]
