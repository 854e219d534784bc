"""The network: services joined as the graph says; slices pass each stage once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from anabranch.batch.slices import Slice
from anabranch.engine.multicore.scheduler import Shape
from anabranch.engine.multicore.service import Service
from anabranch.ir.graph import Graph
from anabranch.plan.physical.stages import Stage

Make = Callable[[Stage, Callable[[Slice], None]], Service]


class Network:
    """Takes slices in at the sources and tells `done` when the sinks have emitted them.

    The last stage of sinks waits for all others: only then is it known whether any of them failed
    at an earlier tuple. Sinks that gave up order wait for nobody but those who write to them.
    """

    def __init__(self, graph: Graph, stages: Sequence[Stage], make: Make,
                 done: Callable[[Slice], None]):
        writers = {q: stage.index for stage in stages for q in stage.outputs}
        sources = {q for op in graph.sources for q in op.outputs}
        self.sources, self.done, self.last = sorted(sources), done, stages[-1]
        self.before = [_before(stage, stages, writers) for stage in stages]
        self.fed_by_sources = [s.index for s in stages if sources.intersection(s.inputs)]
        self.after = [[f.index for f in stages if stage.index in self.before[f.index]]
                      for stage in stages]
        self.services = [make(stage, partial(self._passed, stage)) for stage in stages]

    def shapes(self) -> list[Shape]:
        return [Shape(s.stage.name, s.most, tuple(after))
                for s, after in zip(self.services, self.after)]

    def put(self, slice_: Slice) -> None:
        """A new slice, with the batches of all sources."""
        slice_.missing = [len(before) + (index in self.fed_by_sources)
                          for index, before in enumerate(self.before)]
        for stage in self.fed_by_sources:
            self._arrive(slice_, stage)

    def _passed(self, stage: Stage, slice_: Slice) -> None:
        if stage is self.last:
            self.done(slice_)
        for follower in self.after[stage.index]:
            self._arrive(slice_, follower)

    def _arrive(self, slice_: Slice, stage: int) -> None:
        if slice_.arrived(stage):
            self.services[stage].put(slice_)


def _before(stage: Stage, stages: Sequence[Stage], writers: dict[str, int]) -> set[int]:
    if stage is stages[-1]:
        return {other.index for other in stages} - {stage.index}
    return {writers[q] for q in stage.inputs if q in writers}
