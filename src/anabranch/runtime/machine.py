"""The machine: a graph whose operators fire tuple after tuple, to completion.

While any operator has input: the first such operator, in the graph's order, takes the next item of
its first non-empty port and fires. When the sources have ended, each operator in turn is told so
and what it still emits is run to completion.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable
from functools import partial

from anabranch.batch.failure import ReportLate, guarded, tolerating
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Cell
from anabranch.ir.windows import LateRow
from anabranch.runtime.ends.emitting import Emit


class Machine:
    """A graph with its variables and queues: push a source tuple in and it runs to completion."""

    def __init__(self, graph: Graph, emit: Emit, late: ReportLate = lambda row: None):
        self.graph, self.emit, self.late = graph, emit, late
        self.cells = {v.name: Cell(v.initial()) for v in graph.variables}
        self.queues = [[deque() for _ in op.inputs] for op in graph]
        self.fires = [self._fire_of(op) for op in graph]
        self.targets = {op.name: [self._readers(q) for q in op.outputs] for op in graph}
        self.waiting: list[int] = []

    def push(self, source: Operator, item: object) -> None:
        self._deliver(source, [(0, item)])
        self._run()

    def finish(self) -> None:
        for op in self.graph:
            if not (op.is_source or op.is_sink):
                self._deliver(op, guarded(op, op.kind.finish, self._cells(op)))
                self._run()

    def reopen(self) -> None:
        """Goes on with what the cells hold now."""
        self.fires = [self._fire_of(op) for op in self.graph]

    def _run(self) -> None:
        while self.waiting:
            index = self.waiting[0]
            for port, queue in enumerate(self.queues[index]):
                if queue:
                    op = self.graph.operators[index]
                    self._deliver(op, guarded(op, self.fires[index], port, queue.popleft()))
                    break
            else:
                heapq.heappop(self.waiting)

    def _deliver(self, op: Operator, outputs: Iterable[tuple[int, object]]) -> None:
        targets = self.targets[op.name]
        for port, item in outputs:
            for index, in_port in targets[port]:
                if not any(self.queues[index]):
                    heapq.heappush(self.waiting, index)
                self.queues[index][in_port].append(item)

    def _fire_of(self, op: Operator):
        if op.is_sink:
            return lambda port, item: self.emit(op, item) or ()
        return None if op.is_source else tolerating(
            op, op.kind.open(self._cells(op)), partial(self._late, op))

    def _late(self, op: Operator, row: LateRow) -> None:
        self.late(row)

    def _cells(self, op: Operator) -> list[Cell]:
        return [self.cells[v] for v in op.variables]

    def _readers(self, queue: str) -> list[tuple[int, int]]:
        return [(self.graph.position(op), port) for op in dict.fromkeys(self.graph.readers(queue))
                for port, q in enumerate(op.inputs) if q == queue]
