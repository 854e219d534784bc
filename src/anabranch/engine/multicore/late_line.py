"""A straight line of operators in plain Python that goes on as a kernel once there is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from anabranch.engine.multicore.double_check import Doubts
from anabranch.engine.multicore.flows import Flow, Outcome
from anabranch.engine.multicore.line import Line
from anabranch.ir.graph import Graph, Operator

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


class LateLine:
    """Has the interface of `Line`. Before each slice it asks whether the kernel is `found`; if so,
    the kernel goes on from what the operators remember. `done` counts the rows of each tier."""

    def __init__(self, graph: Graph, operators: Sequence[Operator], buckets: bool,
                 found: Callable[[], Kernel | None], doubts: Doubts | None = None):
        self.graph, self.operators, self.buckets, self.found = graph, operators, buckets, found
        self.line, self.rows = Line(graph, operators, buckets, doubts), 0

    def run(self, number: int, flow: Flow) -> Outcome:
        if isinstance(self.line, Line) and (kernel := self.found()) is not None:
            self._go_on_as(kernel)
        self.rows += len(flow.items)
        return self.line.run(number, flow)

    def finish(self, number: int, name: str) -> Outcome:
        return self.line.finish(number, name)

    def state(self) -> list:
        return self.line.state()

    def adopt(self, state: list) -> None:
        self.line.adopt(state)

    @property
    def done(self) -> Counter:
        faster = Counter() if isinstance(self.line, Line) else Counter(self.line.done)
        del faster["rows"]
        return Counter(rows=self.rows - faster.total()) + faster

    def _go_on_as(self, kernel: Kernel) -> None:
        # Numba takes half a second to import, and is there now.
        from anabranch.engine.multicore.kernel_line import KernelLine

        line = KernelLine(self.graph, self.operators, kernel, self.buckets)
        line.adopt(self.line.state())
        self.line = line
