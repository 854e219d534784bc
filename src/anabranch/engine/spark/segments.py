"""Segments: the stages that run between two shuffles, and how slices come to their tasks.

Stages without state go where the pieces are. A partitioned stage has a shuffle before it; so have
stages that see everything in order, all of them that follow each other together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from anabranch.engine.multicore.stages import Sharing, Stage


class Route(Enum):
    """How pieces come to the tasks of a segment.

    SOURCE: whole slices, as they were read. BUCKETS: by the keys of its first stage. ONE: whole
    slices, all to one task, in order. PARTS: whole slices in order, consecutive ones to a task.
    """

    SOURCE = "as read"
    BUCKETS = "by key"
    ONE = "all to one"
    PARTS = "in order"


@dataclass(frozen=True)
class Segment:
    """`kept` are the queues that are still needed behind it."""

    route: Route
    stages: tuple[Stage, ...] = ()
    kept: frozenset[str] = frozenset()


def segments_of(stages: Iterable[Stage], sinks: Stage) -> list[Segment]:
    """The segments of a program, the last of which leaves whole slices in order."""
    drafts: list[tuple[Route, list[Stage]]] = [(Route.SOURCE, [])]
    for stage in stages:
        route = _route(drafts[-1][0], stage)
        if route is not None:
            drafts.append((route, []))
        drafts[-1][1].append(stage)
    if drafts[-1][0] is Route.BUCKETS:
        drafts.append((Route.PARTS, []))
    return [Segment(route, tuple(own), _needed(drafts[index + 1:], sinks))
            for index, (route, own) in enumerate(drafts)]


def _route(present: Route, stage: Stage) -> Route | None:
    """The way to a new segment, if the stage needs one."""
    if stage.sharing is Sharing.ANY:
        # Behind a single task, work that can be shared is spread again.
        return Route.PARTS if present is Route.ONE else None
    if stage.sharing is Sharing.BUCKETS:
        return Route.BUCKETS
    return None if present is Route.ONE else Route.ONE


def _needed(behind: list[tuple[Route, list[Stage]]], sinks: Stage) -> frozenset[str]:
    return frozenset([*sinks.inputs, *(q for _, own in behind for s in own for q in s.inputs)])
