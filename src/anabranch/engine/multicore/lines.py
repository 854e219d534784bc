"""What takes rows through a stage: its kernel, plain Python, or a sink's text.

There is a line for each bucket of keys, or for each worker where nothing is remembered.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from anabranch.batch.buckets import Dealt, DealtOut, Route
from anabranch.batch.items import Columns
from anabranch.batch.slices import Flow, Outcome, Step
from anabranch.engine.multicore.compilation import Compilation, LateKernels
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.multicore import MulticorePlan
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.steps import is_deal, is_text, text_name
from anabranch.runtime.ends.emitting import Emit, Emitter
from anabranch.runtime.stage.double_check import Doubts
from anabranch.runtime.stage.merge import MergeLine
from anabranch.runtime.stage.rows import Line
from anabranch.runtime.stage.runners import ByWorker, Here

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
        from anabranch.runtime.stage.kernel import KernelLine

        line = KernelLine(self.graph, self.operators, kernel, self.buckets)
        line.adopt(self.line.state())
        self.line = line


class Texts:
    """The runner of such a stage."""

    def __init__(self, emit: Emitter, sink: Operator):
        self.emit, self.sink = emit, sink

    def run(self, worker, bucket, number, flow):
        began = time.thread_time()
        items = self.emit.with_text(self.sink, flow.items)
        seconds = time.thread_time() - began
        step = Step(text_name(self.sink), len(items), len(items), seconds)
        return Outcome([Flow(flow.rows, items)], [], seconds, (step,))


class RowDealer:
    """The runner of a stage that deals rows to the buckets of the one behind it."""

    def __init__(self, deal: Operator, kernel: Kernel, ready: Callable[[], bool]):
        self.name, self.kernel, self.ready = deal.name, kernel, ready
        self.route = Route(0, deal.kind.keys, deal.kind.buckets)

    def run(self, worker, bucket, number, flow):
        began, items = time.thread_time(), flow.items
        if isinstance(items, Columns) and len(items):
            items = self._dealt(items)
        seconds = time.thread_time() - began
        step = Step(self.name, len(items), len(items), seconds)
        return Outcome([Flow(flow.rows, items)], [], seconds, (step,))

    def _dealt(self, items: Columns) -> Dealt:
        if self.kernel.tier != "native" or not self.ready():
            return DealtOut.of(items, self.route)
        # Numba takes half a second to import.
        from anabranch.kernels.native.deal import SliceDealt

        return SliceDealt.of(items, self.route, self.kernel)


@dataclass(frozen=True)
class Lines:
    """Makes the runners of a run's stages, which ask where their kernels are. Parallel operators
    in `doubts` run their first items twice, unless they are kernels."""

    physical: MulticorePlan
    emit: Emit
    compilation: Compilation
    late: LateKernels
    doubts: Doubts | None = None

    def of(self, stage: Stage) -> Here | ByWorker | Texts | RowDealer:
        physical = self.physical
        if is_text(stage):
            return Texts(self.emit, self._sink_of(stage))
        if is_deal(stage):
            return self._dealer(stage)
        if stage.index in physical.tiers and physical.tiers[stage.index].merges:
            return Here([MergeLine(physical.graph, stage.operators[0])])
        if (kernel := physical.kernel(stage)) is not None:
            return self._several(stage, self._with_kernel(stage, kernel))
        if stage in self.late.stages:
            return self._several(stage, self._with_late_kernel(stage))
        return Here([Line(physical.graph, stage.operators, self._has_buckets(stage),
                          self._doubts(stage)) for _ in range(physical.buckets(stage))])

    def _dealer(self, stage: Stage) -> RowDealer:
        behind = next(other for other in self.physical.stages if other.inputs == stage.outputs)
        return RowDealer(stage.operators[0], self.physical.kernel(behind),
                         self.compilation.has_loops)

    def _several(self, stage: Stage, make: Callable[[], Line]) -> Here | ByWorker:
        if stage.sharing is Sharing.ANY:
            return ByWorker([make() for _ in range(self.physical.tuning.workers)])
        return Here([make() for _ in range(self.physical.buckets(stage))])

    def _with_kernel(self, stage: Stage, kernel: Kernel) -> Callable[[], Line]:
        # Numba takes half a second to import.
        from anabranch.runtime.stage.kernel import KernelLine, SplitLine

        kind = SplitLine if self.physical.tiers[stage.index].divides else KernelLine
        return partial(kind, self.physical.graph, stage.operators, kernel,
                       self._has_buckets(stage), partial(self.compilation.is_ready, kernel))

    def _with_late_kernel(self, stage: Stage) -> Callable[[], Line]:
        return partial(LateLine, self.physical.graph, stage.operators, self._has_buckets(stage),
                       lambda: self.late.kernels.get(stage.index), self._doubts(stage))

    def _doubts(self, stage: Stage) -> Doubts | None:
        return self.doubts if stage.sharing in (Sharing.ANY, Sharing.BUCKETS) else None

    def _has_buckets(self, stage: Stage) -> bool:
        return self.physical.buckets(stage) > 1

    def _sink_of(self, text: Stage) -> Operator:
        """The sink whose text the stage makes."""
        return next(op for stage in self.physical.stages if stage.is_sink
                    for op in stage.operators if op.inputs == text.outputs)
