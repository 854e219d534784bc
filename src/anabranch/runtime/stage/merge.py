"""A union by an attribute over columns, with the interface of `rows.Line`.

Where items do not come in columns, or go back in time, the plain line takes over for good.
"""

from __future__ import annotations

import time
from collections import deque

from anabranch.batch.items import Columns, picked
from anabranch.batch.merge import Merging, NotInOrder
from anabranch.batch.slices import Flow, Outcome, Step
from anabranch.ir.graph import Graph, Operator
from anabranch.runtime.stage.rows import Line


class MergeLine:
    """One union, and what its ports hold. `done` counts the rows of each tier."""

    def __init__(self, graph: Graph, op: Operator):
        self.op, self.line = op, Line(graph, [op])
        self.merging: Merging | None = Merging(op.kind.ports, op.kind.on)
        self.done = {"rows": 0, "columns": 0}

    def run(self, number: int, flow: Flow) -> Outcome:
        """Takes the rows of slice `number` through the union."""
        if not len(flow.items):
            return Outcome([Flow([], [])], [])
        if self.merging is not None and isinstance(flow.items, Columns):
            try:
                return self._merged(flow)
            except NotInOrder:
                pass
        self._fall()
        self.done["rows"] += len(flow.items)
        return self.line.run(number, flow)

    def finish(self, number: int, name: str) -> Outcome:
        """What is left, at the end of the input."""
        if self.merging is None:
            return self.line.finish(number, name)
        items = self.merging.rest()
        left = [] if items is None else items
        return Outcome([Flow([0] * len(left), left)], [], 0.0,
                       (Step(name, 0, len(left), 0.0),))

    def _merged(self, flow: Flow) -> Outcome:
        began = time.thread_time()
        rows, items = self.merging.merged(flow.ports, flow.items)
        self.done["columns"] += len(flow.items)
        seconds = time.thread_time() - began
        step = Step(self.op.name, len(flow.items), len(items), seconds)
        return Outcome([Flow(picked(flow.rows, rows), items)], [], seconds, (step,))

    def _fall(self) -> None:
        """Hands what is held over to the plain line."""
        if self.merging is not None:
            held = [deque(item for piece in port.items for item in piece)
                    for port in self.merging.ports]
            self.line.adopt([([held], None)])
            self.merging = None
