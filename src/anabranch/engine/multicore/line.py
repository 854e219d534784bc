"""A straight line of operators in plain Python: each takes all rows of a slice, then the next.

Rows keep the number of the input row that caused them. When a function raises, the rows before the
failing one still pass the operators behind it: one of them may fail at an earlier tuple, and the
earliest failure is the program's.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from anabranch.engine.multicore.double_check import Doubts
from anabranch.engine.multicore.flows import Flow, Outcome, Step
from anabranch.engine.multicore.line_steps import LineStep
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Cell


class Line:
    """The operators of a stage with cells of their own, so there can be one for each bucket.

    With `buckets`, keyed operators remember with which row each key came first: what they emit at
    the end of the input is then put in order among that of other buckets. Operators in `doubts` run
    their first items twice.
    """

    def __init__(self, graph: Graph, operators: Sequence[Operator], buckets: bool = False,
                 doubts: Doubts | None = None):
        initial = {v.name: v.initial for v in graph.variables}
        self.steps = [LineStep(op, graph.position(op), [Cell(initial[v]()) for v in op.variables],
                               buckets, doubts) for op in operators]

    def run(self, number: int, flow: Flow) -> Outcome:
        """Takes the rows of slice `number` through the line."""
        return self._through(self.steps, number, [flow], [])

    def finish(self, number: int, name: str) -> Outcome:
        """Tells one operator of the end of its input; its last items pass those behind it."""
        index = next(i for i, step in enumerate(self.steps) if step.op.name == name)
        flows, failures = self.steps[index].finish()
        ended = Step(name, 0, _count(flows), 0.0)
        return self._through(self.steps[index + 1:], number, flows, failures, ended)

    def state(self) -> list:
        """All that the operators remember."""
        return [([cell.value for cell in step.cells], step.first) for step in self.steps]

    def adopt(self, state: list) -> None:
        """Goes on from what another line of the same operators remembers."""
        for step, (values, first) in zip(self.steps, state):
            step.adopt(values, first)

    def _through(self, steps, number: int, flows: list[Flow], failures: list, *done: Step
                 ) -> Outcome:
        # Not the time on the clock: it grows when workers get into each other's way.
        began = before = time.thread_time()
        for step in steps:
            rows_in = len(flows[0].items)
            flows, failure = step.run(number, flows[0])
            failures, now = [*failures, *failure], time.thread_time()
            apart = step.apart.pop(threading.get_ident(), 0.0)
            done += (Step(step.op.name, rows_in, _count(flows), now - before - apart),)
            began, before = began + apart, now
        return Outcome(flows, failures, before - began, done)


def _count(flows: Sequence[Flow]) -> int:
    return sum(len(flow.items) for flow in flows)
