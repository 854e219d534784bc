"""Spark's plan: who reads and writes, segments, exchanges, tiers, tasks.

It follows from the logical plan, what the user asked for, the cluster, and the tuning of the run.
The engine executes it, `explain` prints it. What it leaves open are named alternatives: a job that
is a DataFrame runs as slices where Spark cannot compute it as Python does; tasks read files only if
they find them; columns are read as far as rows are plain; a gang is used where it pays; and of a
stream the size of each batch says how many tasks it has, and whether in kernels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from anabranch.core.once import once
from anabranch.io.arrow.extract import Names
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.logical.plan import Plan, Reason
from anabranch.plan.physical.spark.cluster import Cluster
from anabranch.plan.physical.spark.dataframe import DataFramePlan, frame_of
from anabranch.plan.physical.spark.placement import (
    JobLayout,
    Number,
    batch_layout,
    executors_may_write,
    firsts_of,
    tasks_reading,
)
from anabranch.plan.physical.spark.reading import (
    Asked,
    SourceReading,
    TaskSplit,
    batch_reading,
    driver_reading,
    stream_reading,
    task_reading,
    why_by_driver,
)
from anabranch.plan.physical.spark.segments import Segment, Stages, with_gangs
from anabranch.plan.physical.spark.tiers import kernels_of, tiers_of, wanted_of
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.plan.physical.stages import finishes
from anabranch.plan.physical.tiers import Tier, with_forms_chosen


@dataclass(frozen=True)
class SparkPlan:
    """How a job runs, or each batch of a stream. `frame` has the steps of a DataFrame, or says why
    the job is none; `part_sinks` are the names of the sinks that tasks write. `chosen` are the
    tiers of the stages, None for a stream, which asks for them when a batch is worth it. A run
    that `fell_back` had a DataFrame first."""

    plan: Plan
    stages: Stages
    chosen: Mapping[int, Tier] | None
    reading: SourceReading
    frame: DataFramePlan | Reason
    part_sinks: frozenset[str]
    asked: Asked
    cluster: Cluster
    tuning: SparkKnobs
    fell_back: bool = False

    @property
    def graph(self) -> Graph:
        return self.stages.graph

    @once
    def tiers(self) -> Mapping[int, Tier]:
        """Those of the stages, by their numbers: of a stream those of batches that are worth it."""
        return self.chosen if self.chosen is not None else tiers_of(
            self.graph, self.stages.segments, 0)

    @once
    def kernels(self) -> dict[int, object]:
        return kernels_of(self.tiers)

    @once
    def wanted(self) -> dict[str, Names]:
        """By source, the columns that are needed where all have their kernels."""
        return wanted_of(self.stages, self.kernels)

    @property
    def may_have_gangs(self) -> bool:
        return self.cluster.has_gangs and self.tuning.gangs != "never"

    @once
    def segments(self) -> list[Segment]:
        """Those of a job of several tasks; where a gang does not pay, the driver goes on with fewer
        of them."""
        found = self.stages.segments
        return found if self.may_have_gangs else with_gangs(found, ())

    @once
    def segments_alone(self) -> list[Segment]:
        """Those of a job of one task, all of which it takes one after another."""
        return with_gangs(self.stages.segments, ())

    def is_alone(self, elements: int, size: int) -> bool:
        """Whether one task does everything, when so many slices or parts of the input have come,
        with so many bytes: for little input that is the fastest way."""
        # Spark Connect deals rows to tasks in any case.
        if self.cluster.connect:
            return False
        return size < self.tuning.small_batch if self.asked.stream else elements < 2

    @once
    def known_alone(self) -> bool | None:
        """The same before anything is read, if it is known then."""
        if self.asked.stream or self.reading.slices is None:
            return False if self.cluster.connect else None
        return self.is_alone(self.reading.slices, self.reading.size)

    def reading_tasks(self, elements: int, size: int) -> int:
        """How many tasks so many elements of the input make."""
        return tasks_reading(elements, size, self.cluster.cores, self.tuning)

    def layout(self, numbers: Sequence[Number], size: int) -> JobLayout:
        """How a batch job is laid out whose slices, or parts of the input, have these numbers and
        so many bytes."""
        tasks = self.reading_tasks(len(numbers), size)
        return batch_layout(numbers, tasks, self.cluster.cores)

    @property
    def buckets(self) -> int:
        """How many buckets a stream has for its keys, unless its checkpoint has some already."""
        return max(self.tuning.fewest_buckets, 2 * self.cluster.cores)

    def stream_layout(self, numbers: Sequence[Number], size: int, sent: int, buckets: int
                      ) -> JobLayout:
        """The same of a batch of so many bytes, of which so many are sent to the tasks."""
        alone = size < self.tuning.small_batch
        tasks = 1 if alone else self.reading_tasks(len(numbers), sent)
        return JobLayout(buckets, firsts_of(numbers, tasks), min(self.cluster.cores, buckets))

    def batch_splits(self, files: Sequence[tuple[Operator, str]], compiled: bool
                     ) -> tuple[TaskSplit, ...]:
        """What the tasks of a batch of a stream read of these files."""
        return task_reading(files, self.cluster.cores, self.tuning, compiled).splits

    def on(self, cluster: Cluster) -> SparkPlan:
        """The plan of the same run on the cluster that there is."""
        return self if cluster == self.cluster else spark_plan(
            self.plan, self.tuning, cluster, self.asked)

    def read_by_driver(self, why: Reason) -> SparkPlan:
        """The plan of the same run where tasks do not find the files."""
        return replace(self, reading=driver_reading(self.graph, self.asked, self.tuning, why))

    def without_frame(self, why: Reason) -> SparkPlan:
        """The plan of the same run as slices, because Spark could not compute the DataFrame."""
        return replace(self, frame=why, fell_back=True)

    @once
    def told_of_end(self) -> list[Operator]:
        """The operators that are told of the end of the input, each by a slice of its own."""
        return [op for op in self.graph if not (op.is_source or op.is_sink) and finishes(op)]


def spark_plan(plan: Plan, tuning: SparkKnobs | None = None, cluster: Cluster | None = None,
               asked: Asked | None = None) -> SparkPlan:
    """How the engine runs a plan whose ends are bound."""
    plan, tuning, asked = with_forms_chosen(plan), tuning or SparkKnobs(), asked or Asked()
    cluster = cluster or Cluster.named(None)
    return (_stream_plan if asked.stream else _batch_plan)(plan, tuning, cluster, asked)


def _batch_plan(plan: Plan, tuning: SparkKnobs, cluster: Cluster, asked: Asked) -> SparkPlan:
    stages = Stages.of(plan)
    frame = _frame(stages.graph, tuning, cluster, asked)
    tiers = tiers_of(stages.graph, stages.segments, tuning.worth_compiling)
    stages, tiers = stages.with_hot_keys_split(tiers, cluster.cores)
    compiled = bool(kernels_of(tiers))
    reading = batch_reading(stages.graph, asked, cluster, tuning, compiled)
    return SparkPlan(plan, stages, tiers, reading, frame, _part_sinks(stages, asked), asked,
                     cluster, tuning)


def _stream_plan(plan: Plan, tuning: SparkKnobs, cluster: Cluster, asked: Asked) -> SparkPlan:
    # What is remembered of keys lies in buckets from one batch to the next.
    stages = Stages.of(plan, keyed_gangs=False)
    why = why_by_driver(stages.graph, asked)
    reading = stream_reading(stages.graph) if why is None else driver_reading(
        stages.graph, asked, tuning, why)
    return SparkPlan(plan, stages, None, reading, Reason("a stream goes on from its own state"),
                     _part_sinks(stages, asked), asked, cluster, tuning)


def _part_sinks(stages: Stages, asked: Asked) -> frozenset[str]:
    may = [op for op in stages.graph.sinks if executors_may_write(stages.graph, stages.sinks, op)]
    return frozenset() if asked.single_file or asked.items else frozenset(op.name for op in may)


def _frame(graph: Graph, tuning: SparkKnobs, cluster: Cluster, asked: Asked
           ) -> DataFramePlan | Reason:
    if asked.items or asked.limit is not None or asked.single_file or cluster.connect:
        return Reason("it is no whole job from files to part files, or goes to Spark Connect")
    return frame_of(graph, tuning.most_frame_files)
