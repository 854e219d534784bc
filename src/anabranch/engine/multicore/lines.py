"""What takes the rows of a stage through it: its kernel, plain Python, or what makes a sink's text.
There is a line for each bucket of keys, or for each worker where nothing is remembered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from anabranch.engine.multicore.compilation import Compilation
from anabranch.engine.multicore.double_check import Doubts
from anabranch.engine.multicore.late import LateKernels
from anabranch.engine.multicore.late_line import LateLine
from anabranch.engine.multicore.line import Line
from anabranch.engine.multicore.merge_line import MergeLine
from anabranch.engine.multicore.placement import Placement
from anabranch.engine.multicore.runners import ByWorker, Here
from anabranch.engine.multicore.stages import Sharing, Stage
from anabranch.engine.multicore.texts import Texts, is_text
from anabranch.ir.graph import Operator

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


@dataclass(frozen=True)
class Lines:
    """Makes the runners of a run's stages, which ask where their kernels are. Parallel operators
    in `doubts` run their first items twice, unless they are kernels."""

    placement: Placement
    compilation: Compilation
    late: LateKernels
    doubts: Doubts | None = None

    def of(self, stage: Stage) -> Here | ByWorker | Texts:
        placement = self.placement
        if is_text(stage):
            return Texts(placement.emit, self._sink_of(stage))
        if stage.index in placement.tiers and placement.tiers[stage.index].merges:
            return Here([MergeLine(placement.graph, stage.operators[0])])
        if (kernel := placement.kernel(stage)) is not None:
            return self._several(stage, self._with_kernel(stage, kernel))
        if stage in self.late.stages:
            return self._several(stage, self._with_late_kernel(stage))
        return Here([Line(placement.graph, stage.operators, self._has_buckets(stage),
                          self._doubts(stage)) for _ in range(placement.buckets(stage))])

    def _several(self, stage: Stage, make: Callable[[], Line]) -> Here | ByWorker:
        if stage.sharing is Sharing.ANY:
            return ByWorker([make() for _ in range(self.placement.knobs.workers)])
        return Here([make() for _ in range(self.placement.buckets(stage))])

    def _with_kernel(self, stage: Stage, kernel: Kernel) -> Callable[[], Line]:
        # Numba takes half a second to import.
        from anabranch.engine.multicore.kernel_line import KernelLine
        from anabranch.engine.multicore.split_line import SplitLine

        kind = SplitLine if self.placement.tiers[stage.index].divides else KernelLine
        return partial(kind, self.placement.graph, stage.operators, kernel,
                       self._has_buckets(stage), partial(self.compilation.is_ready, kernel))

    def _with_late_kernel(self, stage: Stage) -> Callable[[], Line]:
        return partial(LateLine, self.placement.graph, stage.operators, self._has_buckets(stage),
                       lambda: self.late.kernels.get(stage.index), self._doubts(stage))

    def _doubts(self, stage: Stage) -> Doubts | None:
        return self.doubts if stage.sharing in (Sharing.ANY, Sharing.BUCKETS) else None

    def _has_buckets(self, stage: Stage) -> bool:
        return self.placement.buckets(stage) > 1

    def _sink_of(self, text: Stage) -> Operator:
        """The sink whose text the stage makes."""
        return next(op for op in self.placement.stages[-1].operators if op.inputs == text.outputs)
