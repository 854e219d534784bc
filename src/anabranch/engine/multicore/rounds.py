"""Operators that run together: every source tuple goes round among them until it is done.

Loops, and operators that share a variable, see when items come; they are run here as the
sequential engine runs them. Sinks too: what they are given goes out in the sequential order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter

from anabranch.engine.failure import guarded
from anabranch.engine.multicore.line import Flow, failure_of
from anabranch.engine.multicore.slices import Batch, Failure, Rows, gathered
from anabranch.engine.multicore.stages import Stage
from anabranch.engine.sequential import Emit, Machine
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Sink, Source

Stopped = Callable[[], bool]


class Rounds(Machine):
    """A stage's operators as a machine of their own, with a source for each queue that comes in
    and a sink for each that goes out."""

    def __init__(self, graph: Graph, stage: Stage, emit: Emit, stopped: Stopped):
        inputs = [Operator(f"{q} in", Source(), (), (q,)) for q in stage.inputs]
        outputs = [Operator(f"{q} out", Sink(), (q,)) for q in stage.outputs]
        self.stage, self.stopped, self.out_of_here = stage, stopped, emit
        self.origin, self.position = 0, graph.position
        self.collected = {op.name: Flow([], []) for op in outputs}
        # The outgoing queues are drained last, so that the stage's own order is untouched.
        own = graph.with_operators([*inputs, *stage.operators, *outputs])
        super().__init__(own, self._sink)

    def run(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        """One round for each origin, in order, up to the first failure."""
        for origin, arrivals in _by_origin(batches):
            if self.stopped():
                break
            self.origin = origin
            try:
                for port, item in arrivals:
                    self._deliver(self.graph.operators[port], [(0, item)])
                self._run()
            except Exception as error:
                return self._taken(), [Failure((origin, self._failing_position(), 0), error)]
        return self._taken(), []

    def finish_one(self, name: str) -> tuple[list[Flow], list[Failure]]:
        op, self.origin = self.graph[name], 0
        try:
            self._deliver(op, guarded(op, op.kind.finish, self._cells(op)))
            self._run()
        except Exception as error:
            return self._taken(), [Failure((0, self.position(op), 0), error)]
        return self._taken(), []

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

    def run(self, batches: list[Batch]) -> tuple[list[Flow], list[Failure]]:
        rows = gathered([batches[port] for port in self.port_of])
        done = 0
        try:
            for sink, item in zip(rows.each_port, rows.items):
                if self.stopped():
                    break
                self.emit(self.operators[sink], item)
                done += 1
        except Exception as error:
            return [], [self._failure(rows, done, error)]
        return [], []

    def _failure(self, rows: Rows, index: int, error: Exception) -> Failure:
        sink = rows.each_port[index]
        error = failure_of(self.operators[sink], error, rows.items[index])
        return Failure((rows.origins[index], self.positions[sink], 0), error)


def _by_origin(batches: list[Batch]) -> Iterator[tuple[int, list[tuple[int, object]]]]:
    """For each origin, what arrives with it: (port, item), the first port first."""
    arrivals = [(origin, (port, item)) for port, batch in enumerate(batches)
                for origin, item in zip(batch.origins, batch.items)]
    if len(batches) > 1:
        arrivals.sort(key=itemgetter(0))
    for origin, group in groupby(arrivals, key=itemgetter(0)):
        yield origin, [arrival for _, arrival in group]
