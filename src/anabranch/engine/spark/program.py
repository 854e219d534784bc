"""A plan as a job: its stages and its input, what the tasks are told, and its output in order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anabranch.engine.failure import ReportLate
from anabranch.engine.multicore.columns_wanted import Names, columns_wanted
from anabranch.engine.multicore.coming import rows_known
from anabranch.engine.multicore.double_check import Doubts
from anabranch.engine.multicore.rounds import Emission, Rounds
from anabranch.engine.multicore.slices import late_before
from anabranch.engine.multicore.splitting import split
from anabranch.engine.multicore.stages import Stage, formed
from anabranch.engine.multicore.tiers import Tier
from anabranch.engine.multicore.unfused import unfused
from anabranch.engine.sequential import Emit
from anabranch.engine.spark.intake import ends
from anabranch.engine.spark.job import parts as parts_of
from anabranch.engine.spark.job import slices_out
from anabranch.engine.spark.segments import Segment, segments_of
from anabranch.engine.spark.sinks import PartSink
from anabranch.engine.spark.synchronization.planning import Planner
from anabranch.engine.spark.tasks import Fresh, Layout, Program, States, in_rounds
from anabranch.ir.graph import Graph
from anabranch.once import once
from anabranch.plan import Plan

if TYPE_CHECKING:
    from pyspark import SparkContext

    from anabranch.engine.spark.pieces import Piece


@dataclass(frozen=True)
class Stages:
    """The plan as stages; the last of them is the sinks'. Parallel operators in `doubts` run their
    first items twice."""

    graph: Graph
    before: list[Stage]
    sinks: Stage
    doubts: Doubts | None = None

    @once
    def segments(self) -> list[Segment]:
        return segments_of(self.before, self.sinks.inputs)

    @staticmethod
    def of(plan: Plan, keyed_gangs: bool = True) -> Stages:
        """Without `keyed_gangs` what has a state for each key always goes by its keys."""
        plain = unfused(plan)
        stages = formed(plain, keyed_gangs)
        sinks = next(stage for stage in stages if stage.is_sink)
        return Stages(plain.graph, [stage for stage in stages if stage is not sinks], sinks,
                      Doubts(plan))

    def with_hot_keys_split(self, tiers: dict[int, Tier], workers: int
                            ) -> tuple[Stages, dict[int, Tier]]:
        """The same with a stage in front of windows, where the tasks before the shuffle put items
        of hot keys together; and the tiers by their new numbers."""
        graph, stages, tiers = split(self.graph, [*self.before, self.sinks], tiers, workers)
        return Stages(graph, stages[:-1], stages[-1], self.doubts), tiers

    @property
    def in_rows(self) -> dict[int, Tier]:
        return {stage.index: Tier(None) for stage in self.before}


@dataclass(frozen=True)
class Given:
    """The input: slices, or where they are, each with the number of its first slice."""

    data: list[bytes]
    numbers: list[tuple[int, int]]


def run_job(context: SparkContext, stages: Stages, given: Given, emit: Emit,
            seen: Callable[[Piece], None] = lambda piece: None, parts: Sequence[PartSink] = (),
            kernels: Mapping[int, object] | None = None, planner: Planner | None = None,
            late: ReportLate = lambda row: None) -> None:
    """Runs the stages over all of the input. `seen` is given every slice of the output, in order,
    `emit` the items of the sinks that are not in `parts`, and `late` what came too late."""
    program = program_of(stages, layout_of(context, given), parts, kernels)
    # A single slice is no work for several tasks.
    slices = slices_out(context, program, [*given.data, *ends(stages.graph)],
                        at_once=len(given.numbers) < 2,
                        planner=planner or Planner(rows=rows_known(stages.graph)))
    emitted(stages, parts, slices, emit, seen, late=late)


def program_of(stages: Stages, layout: Layout, parts: Sequence[PartSink] = (),
               kernels: Mapping[int, object] | None = None, states: States | None = None
               ) -> Program:
    """What the tasks are told."""
    return Program(_bare(stages.graph), stages.segments, layout, tuple(parts), kernels,
                   states or Fresh(), wanted_of(stages, kernels or {}), doubts=stages.doubts)


def wanted_of(stages: Stages, kernels: Mapping[int, object]) -> dict[str, Names]:
    """By source, for those that are not needed wholly, the columns that are needed."""
    tiers = {index: Tier(kernel, None) for index, kernel in kernels.items()}
    return columns_wanted(stages.graph, [*stages.before, stages.sinks], tiers)


def layout_of(context: SparkContext, given: Given) -> Layout:
    numbers = given.numbers or [(0, 0)]
    count = min(parts_of(context, given.data), len(numbers))
    firsts = tuple(numbers[len(numbers) * part // count] for part in range(count))
    # Few slices are no work for many tasks.
    return Layout(min(2 * context.defaultParallelism, len(numbers)), firsts)


def emitted(stages: Stages, parts: Sequence[PartSink], slices: Generator[Piece], emit: Emit,
            seen: Callable[[Piece], None], states: States | None = None,
            late: ReportLate = lambda row: None) -> None:
    """Gives the items of the slices to the sinks that are not in `parts`, up to the first failure,
    which is raised."""
    states, sinks = states or Fresh(), _others(stages.sinks, {sink.name for sink in parts})
    plain = all(op.is_sink for op in sinks.operators)

    def make() -> Emission | Rounds:
        return (Emission if plain else Rounds)(stages.graph, sinks, emit, lambda: False)
    emission = make() if plain else states.opened(sinks, 0, make)
    with closing(slices):
        for piece in slices:
            seen(piece)
            done = in_rounds(emission, sinks, piece)
            for row in late_before(done.late, done.failure):
                late(row)
            if done.failure is not None:
                raise done.failure.error
    if not plain:
        states.closed(sinks, 0, emission)


def _others(sinks: Stage, written: set[str]) -> Stage:
    if not written:
        return sinks
    operators = tuple(op for op in sinks.operators if op.name not in written)
    return replace(sinks, operators=operators,
                   inputs=tuple(dict.fromkeys(op.inputs[0] for op in operators)))


def _bare(graph: Graph) -> Graph:
    """The graph without what it reads and writes, which stays here."""
    return graph.with_operators(
        replace(op, kind=replace(op.kind, spec=None)) if op.is_source or op.is_sink else op
        for op in graph)
