"""What a query would meet that went on from a checkpoint as another program.

Nothing runs of it: what the saved state is of is noted beside it, and so is what the program's
would be of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import reduce
from typing import TYPE_CHECKING

from anabranch.core.errors import UsageError
from anabranch.core.source import Span
from anabranch.engine.spark.frames.frame import layout_of, task_of
from anabranch.engine.spark.frames.pages import about, refusals
from anabranch.engine.spark.frames.tasks import PartWorker
from anabranch.engine.spark.job.pickling import loaded
from anabranch.engine.spark.kept import notes_of_query
from anabranch.engine.spark.stream.upgrade import ProgramChange
from anabranch.plan.physical.spark.frames import FrameExchange, FramePlan

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def changes(plan: FramePlan, checkpoint: str, dropped: Collection[str]) -> Iterator[ProgramChange]:
    """What is not as it was, and whether the query goes on with it."""
    session = plan.graph.sources[0].kind.spec.frame.sparkSession
    before, now = saved_in(session, checkpoint), noted_by(plan)
    spans: dict[str, Span | None] = {op.name: op.span for op in plan.graph}
    refused = dict(refusals(before, now, spans, dropped))
    for name, error in refused.items():
        yield ProgramChange(name, False, error.expected, error.got)
    yield from (change for change in _accepted(before, now) if change.operator not in refused)


def saved_in(session: SparkSession, checkpoint: str) -> dict:
    """What the state of a query is of, in all its buckets."""
    found = list(notes_of_query(session, checkpoint))
    if not found:
        raise UsageError("the checkpoint has no state of a program over DataFrames", checkpoint,
                         help="name the checkpointLocation of its query")
    return reduce(_both, found)


def noted_by(plan: FramePlan) -> dict:
    """What the state of the program would be of."""
    layout = layout_of(plan, instant=True)
    workers = [PartWorker(loaded(task_of(plan, layout, part, endless=True)))
               for part in plan.parts if part.route is not FrameExchange.SOURCE]
    return reduce(_both, map(about, workers), {"keys": {}, "states": {}, "kinds": {},
                                               "windows": {}, "functions": {}})


def _both(one: dict, other: dict) -> dict:
    """
    >>> _both({"keys": {"a": 1}}, {"keys": {"b": 2}, "kinds": {}})
    {'keys': {'a': 1, 'b': 2}, 'kinds': {}}
    """
    return {name: {**one.get(name, {}), **other.get(name, {})} for name in {**one, **other}}


def _accepted(before: dict, now: dict) -> Iterator[ProgramChange]:
    for name in before["kinds"]:
        if name not in now["kinds"]:
            yield ProgramChange(name, True, "its state", "its state is forgotten")
    for name in now["kinds"]:
        if name not in before["kinds"]:
            yield ProgramChange(name, True, None, "it begins with an empty state")
    texts = before.get("functions", {})
    for name, text in now["functions"].items():
        if texts.get(name, text) != text:
            yield ProgramChange(name, True, "its functions", "other functions")
    states = {cls.partition(":")[2]: own for cls, own in now["states"].items()}
    for cls, own in before["states"].items():
        known = cls.partition(":")[2]
        if list(own) != list(states.get(known, own)):
            yield ProgramChange(known, True, ", ".join(own), ", ".join(states[known]))
