"""Segments: the stages that run between two shuffles, and how slices come to their tasks.

Stages without state go where the pieces are. A partitioned stage has a shuffle before it; so have
a stage for which a gang is planned, and stages that see everything in order, all of them that
follow each other together.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from anabranch.engine.multicore.stages import Sharing, Stage


class Route(Enum):
    """How pieces come to the tasks of a segment.

    SOURCE: whole slices, as they were read. BUCKETS: by the keys of its first stage. ONE: whole
    slices, all to one task, in order. PARTS: whole slices in order, consecutive ones to a task.
    PLAN: by the workers of a synchronization plan, each of which is in one of the tasks.
    """

    SOURCE = "as read"
    BUCKETS = "by key"
    ONE = "all to one"
    PARTS = "in order"
    PLAN = "by tag"

    @property
    def parts_slices(self) -> bool:
        """Whether the rows of a slice come to several tasks."""
        return self in (Route.BUCKETS, Route.PLAN)


@dataclass(frozen=True)
class Segment:
    """`kept` are the queues that are still needed behind it."""

    route: Route
    stages: tuple[Stage, ...] = ()
    kept: frozenset[str] = frozenset()


def segments_of(stages: Iterable[Stage], wanted: Iterable[str],
                gangs: Container[int] | None = None) -> list[Segment]:
    """The segments of a program, the last of which leaves whole slices in order, with the `wanted`
    queues. `gangs` has the indices of those synchronized stages that may have a gang, if not all
    of them may."""
    drafts: list[tuple[Route, list[Stage]]] = [(Route.SOURCE, [])]
    for stage in stages:
        present = drafts[-1][0]
        route = _route(present, stage, gangs is None or stage.index in gangs)
        if route is Route.PLAN and present.parts_slices:
            # Only in a whole slice it is known which row is the how-manieth.
            drafts.append((Route.PARTS, []))
        if route is not None:
            drafts.append((route, []))
        drafts[-1][1].append(stage)
    if drafts[-1][0].parts_slices:
        drafts.append((Route.PARTS, []))
    return [Segment(route, tuple(own), _needed(drafts[index + 1:], wanted))
            for index, (route, own) in enumerate(drafts)]


def with_gangs(segments: Sequence[Segment], gangs: Container[int]) -> list[Segment]:
    """The same stages where only these of the synchronized ones may have a gang."""
    stages = [stage for segment in segments for stage in segment.stages]
    return segments_of(stages, segments[-1].kept, gangs)


def _route(present: Route, stage: Stage, may_have_gang: bool) -> Route | None:
    """The way to a new segment, if the stage needs one."""
    if stage.sharing is Sharing.ANY:
        # Behind a single task, work that can be shared is spread again.
        return Route.PARTS if present is Route.ONE else None
    if stage.sharing is Sharing.BUCKETS:
        return Route.BUCKETS
    if stage.sharing is Sharing.PLAN and may_have_gang:
        return Route.PLAN
    return None if present is Route.ONE else Route.ONE


def _needed(behind: list[tuple[Route, list[Stage]]], wanted: Iterable[str]) -> frozenset[str]:
    return frozenset([*wanted, *(q for _, own in behind for s in own for q in s.inputs)])
