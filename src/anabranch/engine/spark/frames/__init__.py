"""Spark as the host: a program over DataFrames is a DataFrame.

Spark computes it when it is asked for rows. A part of the plan is an exchange by the hash of the
keys, a sort by the order, and one `mapInArrow` in which the stages run over Arrow batches, with
kernels where they compile. The order travels in columns. Only what Spark Connect has is used, so a
program runs there as on classic Spark.

    buckets.py   Stages with state on a streaming DataFrame, by buckets of keys
    changes.py   What a query would meet that went on from a checkpoint as another program
    columns.py   Operators behind a source as columns of Spark's own, and the check of its rows
    errors.py    What may be wrong with rows, said the same by Spark and by our workers
    frame.py     A plan as a lazy DataFrame: exchanges, sorts and `mapInArrow`
    held.py      Rows that wait for others in Spark's store, by the names of their columns
    lateness.py  The rows of a DataFrame that are in time, and those that are late
    layout.py    The columns in which rows travel: their stamp, the queue they are on, and the item
    merging.py   Several streaming DataFrames as one, in the order of their times
    pages.py     The state of a bucket in Spark's state store: pages, and what they are pages of
    plain.py     Columns of Spark's whose values travel as Python's objects
    portions.py  Portions of sorted rows: all rows of a source tuple are in one of them
    tasks.py     What runs in Python workers: the batches of a partition through some stages
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from anabranch.core.errors import UsageError
from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.plan import Execution

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from anabranch.engine.spark.stream.upgrade import ProgramChange
    from anabranch.plan.physical.spark.frames import FramePlan


def execution(plan: Plan) -> Execution | None:
    """How a plan runs from DataFrames to DataFrames; None where it does not."""
    from anabranch.io.dataframe.frames import FrameSink, FrameSource
    from anabranch.plan.physical.spark.frames import frame_plan, shown

    sources = [op.kind.spec for op in plan.graph.sources]
    if not sources or not all(isinstance(spec, FrameSource) for spec in sources) or not all(
            isinstance(op.kind.spec, FrameSink) for op in plan.graph.sinks):
        return None
    return shown(frame_plan(plan), any(spec.is_streaming for spec in sources))


def dataframe(graph: Graph, order: str | None = None, times: str = "instants",
              dropped: Iterable[str] = ()) -> DataFrame:
    """The DataFrame of what a program with one sink gives; nothing is computed yet."""
    from anabranch.engine.spark.frames.frame import TIMES, check_known, check_store, frame_of

    if times not in TIMES:
        raise UsageError(f"times={times!r} is not known", expected='"instants" or "wall clock"')
    check_store(op for op in graph.sources if op.kind.spec.lateness is not None)
    plan = _planned(graph)
    check_known(plan.type_of(plan.queue), plan.sink)
    return frame_of(plan, order, times, frozenset(dropped))


def state_changes(graph: Graph, checkpoint: str, dropped: Iterable[str] = ()
                  ) -> list[ProgramChange]:
    """What a query would meet that went on from the checkpoint as this program."""
    from anabranch.engine.spark.frames.changes import changes

    return list(changes(_planned(graph), checkpoint, frozenset(dropped)))


def _planned(graph: Graph) -> FramePlan:
    from anabranch.compile import compile_graph
    from anabranch.engine.spark.frames.lateness import in_time
    from anabranch.plan.physical.spark.frames import frame_plan

    return frame_plan(compile_graph(in_time(graph)))
