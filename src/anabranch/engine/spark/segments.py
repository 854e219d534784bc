"""Segments: the stages that run between two shuffles, and how slices come to their tasks.

Stages without state go where the pieces are. A partitioned stage has a shuffle before it; so have
a stage for which a gang is planned, and stages that see everything in order, all of them that
follow each other together.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
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


Draft = tuple[Route, list[Stage]]


def segments_of(stages: Iterable[Stage], wanted: Iterable[str]) -> list[Segment]:
    """The segments of a program, the last of which leaves whole slices in order, with the `wanted`
    queues. Every synchronized stage may have a gang."""
    return _segments([(Route.SOURCE, [])], stages, wanted, None)


def with_gangs(segments: Sequence[Segment], gangs: Container[int], fixed: int = 1
               ) -> list[Segment]:
    """The same stages where of the synchronized ones behind the first `fixed` segments only those
    with these indices may have a gang. The others go by their keys, or run in order, with the
    segment before if they can."""
    before = [(segment.route, list(segment.stages)) for segment in segments[:fixed]]
    behind = [stage for segment in segments[fixed:] for stage in segment.stages]
    return _segments(before, behind, segments[-1].kept, gangs)


def _segments(drafts: list[Draft], stages: Iterable[Stage], wanted: Iterable[str],
              gangs: Container[int] | None) -> list[Segment]:
    for stage in stages:
        present = drafts[-1][0]
        route = _route(present, stage, gangs is None or stage.index in gangs)
        if route is Route.PLAN and present.parts_slices:
            # Only a whole slice tells the place of each of its rows.
            drafts.append((Route.PARTS, []))
        if route is not None:
            drafts.append((route, []))
        by_key = route is Route.BUCKETS and stage.sharing is Sharing.PLAN
        drafts[-1][1].append(replace(stage, sharing=Sharing.BUCKETS) if by_key else stage)
    if drafts[-1][0].parts_slices:
        drafts.append((Route.PARTS, []))
    return [Segment(route, tuple(own), _needed(drafts[index + 1:], wanted))
            for index, (route, own) in enumerate(drafts)]


def _route(present: Route, stage: Stage, may_have_gang: bool) -> Route | None:
    """The way to a new segment, if the stage needs one."""
    if stage.sharing is Sharing.ANY:
        # Behind a single task, work that can be shared is spread again.
        return Route.PARTS if present is Route.ONE else None
    if stage.sharing is Sharing.BUCKETS:
        return Route.BUCKETS
    if stage.sharing is Sharing.PLAN and may_have_gang:
        return Route.PLAN
    if stage.sharing is Sharing.PLAN and stage.keys:
        return Route.BUCKETS
    return None if present is Route.ONE else Route.ONE


def _needed(behind: list[Draft], wanted: Iterable[str]) -> frozenset[str]:
    return frozenset([*wanted, *(q for _, own in behind for s in own for q in s.inputs)])
