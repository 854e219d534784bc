"""Placement: which stages run in worker processes, in how many buckets, and in which form their
outputs come back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.batch.buckets import Route
from anabranch.batch.items import has_columns
from anabranch.batch.packs import MOST_BUCKETS
from anabranch.ir.graph import Graph
from anabranch.ir.types import Type
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.cost import Prospect
from anabranch.plan.physical.cut import LINES
from anabranch.plan.physical.fuse import staged
from anabranch.plan.physical.hot_keys import split
from anabranch.plan.physical.stages import Sharing, Stage
from anabranch.plan.physical.texts import is_text, with_texts
from anabranch.plan.physical.tiers import Tier
from anabranch.plan.tuning import Knobs
from anabranch.runtime.ends.emitting import Emit, Emitter
from anabranch.runtime.processes import pool as processes

if TYPE_CHECKING:
    from anabranch.kernels import Kernel


BUCKETS_PER_WORKER = 8
"""Keys that come often are seldom together in one of many buckets. With the partitioned queue each
worker has one only, as in the paper that the hybrid queue is from."""

KERNELS_PER_WORKER = 2
"""Each call of a kernel asks for the interpreter's lock, and no state has to move: so few of them
that a slow worker can still leave some to others."""

Output = tuple[int, int]
"""A stage and the number of one of its outputs."""


def placed(plan: Plan, emit: Emit, knobs: Knobs, ahead: Prospect) -> Placement:
    """The stages of a plan whose operators are unfused, for a run with this ahead of it, where they
    run, and what stands in front of some of them."""
    stages, tiers = staged(plan, knobs.kernels, (knobs.kernel_buckets or 1) > 1, ahead)
    graph = plan.graph
    if knobs.workers > 1 and knobs.processes != "never" and processes.are_worthwhile():
        graph, stages, tiers = split(graph, stages, tiers, knobs.workers)
    if isinstance(emit, Emitter) and all(op.is_sink for op in stages[-1].operators):
        stages = with_texts(stages, emit.makes_text)
    return Placement(graph, tuple(stages), tiers, knobs, emit)


@dataclass(frozen=True)
class Placement:
    """Follows from a run's stages, their tiers and its knobs."""

    graph: Graph
    stages: tuple[Stage, ...]
    tiers: dict[int, Tier]
    knobs: Knobs
    emit: Emit

    def kernel(self, stage: Stage) -> Kernel | None:
        return self.tiers[stage.index].kernel if stage.index in self.tiers else None

    def buckets(self, stage: Stage) -> int:
        """How many buckets a stage has. To take columns apart costs more than what most kernels
        do with them, so a kernel without loops has a single one if nothing else is asked for."""
        if stage.sharing is not Sharing.BUCKETS:
            return 1
        if self.kernel(stage) is not None and self.knobs.kernel_buckets:
            return self.knobs.kernel_buckets
        if self.knobs.workers == 1 or self._is_quick(stage):
            return 1
        if self.knobs.queue == "partitioned" and not self.in_processes(stage):
            return self.knobs.workers
        each = BUCKETS_PER_WORKER if self.kernel(stage) is None else KERNELS_PER_WORKER
        return min(self.knobs.workers * each, MOST_BUCKETS)

    def _is_quick(self, stage: Stage) -> bool:
        """Whether it is a kernel without loops."""
        return self.kernel(stage) is not None and not self.tiers[stage.index].has_loops

    def in_processes(self, stage: Stage) -> bool:
        parallel = stage.sharing in (Sharing.ANY, Sharing.BUCKETS) and self.kernel(stage) is None
        wanted = self.knobs.processes != "never" and self.knobs.workers > 1 and not is_text(stage)
        return parallel and wanted and processes.are_worthwhile()

    def is_divided(self, stage: Stage) -> bool:
        """Whether every slice of the stage goes to all processes, each with its buckets."""
        return stage.sharing is Sharing.BUCKETS and self.in_processes(stage)

    def is_shared_out(self, stage: Stage) -> bool:
        """Whether all workers have a part in every slice of the stage."""
        in_kernels = self.kernel(stage) is not None and self.buckets(stage) > 1
        return in_kernels or self.is_divided(stage) or (stage.sharing is Sharing.PLAN and (
            self.knobs.processes != "never"))

    @property
    def is_light(self) -> bool:
        """Whether rows in columns take nanoseconds wherever they come: that need not be tried."""
        return all(map(self._is_light, self.stages))

    def _is_light(self, stage: Stage) -> bool:
        if stage.is_sink:
            # Operators that meet a sink outside of the graph are in its stage.
            return isinstance(self.emit, Emitter) and all(
                op.is_sink and self.emit.takes_columns(op) for op in stage.operators)
        tier = self.tiers.get(stage.index)
        return is_text(stage) or (stage.sharing in LINES and tier is not None
                                  and tier.name != "rows" and not tier.has_loops)

    @property
    def slices_under_way(self) -> int:
        """How many slices may be under way. Few are enough where each goes to all processes; a
        bucket that moves then reaches its new owner soon."""
        shared = [s for s in self.stages if s.sharing in (Sharing.ANY, Sharing.BUCKETS)
                  and not is_text(s)]
        if self.knobs.slices_under_way or not shared or not all(map(self.is_divided, shared)):
            return self.knobs.bound
        return min(self.knobs.bound, 2 + 4 * len(shared))

    def route(self, stage: Stage) -> Route:
        return Route(stage.index, stage.keys, self.buckets(stage))

    def following(self, stage: Stage) -> dict[int, Stage]:
        """By output, the stages for whose processes it is divided where it is made."""
        if not self.in_processes(stage):
            return {}
        return {output: readers[0] for output, queue in enumerate(stage.outputs)
                if (readers := [s for s in self.stages
                                if self.is_divided(s) and s.inputs == (queue,)])}

    def inherited(self) -> list[str]:
        """The sources whose lists processes are given by place, each row to one of them: a process
        that looks at a row copies it."""
        return [op.name for op in self.graph.sources if any(
            op.outputs[0] in stage.inputs and stage.sharing is Sharing.ANY
            and self.in_processes(stage) for stage in self.stages)]

    def routes(self) -> dict[Output, Route]:
        """The way of all outputs that are divided where they are made."""
        return {(stage.index, output): self.route(divided) for stage in self.stages
                for output, divided in self.following(stage).items()}

    def columns(self) -> dict[Output, Type]:
        """The types of the outputs of processes that are read here, in columns."""
        return {(stage.index, output): kind for stage in self.stages if self.in_processes(stage)
                for output, queue in enumerate(stage.outputs)
                if has_columns(kind := self.graph.queue(queue).type) and self._read_so(queue)}

    def _read_so(self, queue: str) -> bool:
        readers = [s for s in self.stages if queue in s.inputs]
        return all(is_text(s) or self.kernel(s) is not None or self._writes_columns(s, queue)
                   for s in readers)

    def _writes_columns(self, stage: Stage, queue: str) -> bool:
        return isinstance(self.emit, Emitter) and all(
            op.is_sink and self.emit.takes_columns(op) for op in stage.operators
            if queue in op.inputs)
