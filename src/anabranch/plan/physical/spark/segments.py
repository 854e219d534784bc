"""A plan as stages, and as segments: the stages that run between two exchanges.

Stages without state go where the pieces are. A partitioned stage has an exchange before it; so have
a stage for which a gang is planned, and stages that see everything in order, all of them that
follow each other together.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from anabranch.core.once import once
from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.unfused import unfused
from anabranch.plan.physical.hot_keys import split
from anabranch.plan.physical.stages import Sharing, Stage, formed
from anabranch.plan.physical.tiers import Tier


class Exchange(Enum):
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
        return self in (Exchange.BUCKETS, Exchange.PLAN)


@dataclass(frozen=True)
class Segment:
    """`kept` are the queues that are still needed behind it."""

    route: Exchange
    stages: tuple[Stage, ...] = ()
    kept: frozenset[str] = frozenset()


Draft = tuple[Exchange, list[Stage]]


def segments_of(stages: Iterable[Stage], wanted: Iterable[str]) -> list[Segment]:
    """The segments of a program, the last of which leaves whole slices in order, with the `wanted`
    queues. Every synchronized stage may have a gang."""
    return _segments([(Exchange.SOURCE, [])], stages, wanted, None)


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
        if route is Exchange.PLAN and present.parts_slices:
            # Only a whole slice tells the place of each of its rows.
            drafts.append((Exchange.PARTS, []))
        if route is not None:
            drafts.append((route, []))
        by_key = route is Exchange.BUCKETS and stage.sharing is Sharing.PLAN
        drafts[-1][1].append(replace(stage, sharing=Sharing.BUCKETS) if by_key else stage)
    if drafts[-1][0].parts_slices:
        drafts.append((Exchange.PARTS, []))
    return [Segment(route, tuple(own), _needed(drafts[index + 1:], wanted))
            for index, (route, own) in enumerate(drafts)]


def _route(present: Exchange, stage: Stage, may_have_gang: bool) -> Exchange | None:
    """The way to a new segment, if the stage needs one."""
    if stage.sharing is Sharing.ANY:
        # Behind a single task, work that can be shared is spread again.
        return Exchange.PARTS if present is Exchange.ONE else None
    if stage.sharing is Sharing.BUCKETS:
        return Exchange.BUCKETS
    if stage.sharing is Sharing.PLAN and may_have_gang:
        return Exchange.PLAN
    if stage.sharing is Sharing.PLAN and stage.keys:
        return Exchange.BUCKETS
    return None if present is Exchange.ONE else Exchange.ONE


def _needed(behind: list[Draft], wanted: Iterable[str]) -> frozenset[str]:
    return frozenset([*wanted, *(q for _, own in behind for s in own for q in s.inputs)])


@dataclass(frozen=True)
class Stages:
    """The plan as stages; the last of them is the sinks'. Parallel operators of the `plan` run
    their first items twice."""

    graph: Graph
    before: list[Stage]
    sinks: Stage
    plan: Plan | None = None

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
                      plan)

    def with_hot_keys_split(self, tiers: dict[int, Tier], workers: int
                            ) -> tuple[Stages, dict[int, Tier]]:
        """The same with a stage in front of windows, where the tasks before the shuffle put items
        of hot keys together; and the tiers by their new numbers."""
        graph, stages, tiers = split(self.graph, [*self.before, self.sinks], tiers, workers)
        return Stages(graph, stages[:-1], stages[-1], self.plan), tiers

    @property
    def in_rows(self) -> dict[int, Tier]:
        return {stage.index: Tier(None) for stage in self.before}
