"""Gives regions their joints: parallel source, split, shuffle, merge, parallel sink.

A region's first and last operators stand between joints, one on each queue that crosses the
region's border. A queue from one region straight into another is a shuffle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.plan.logical.growth import Growth
from anabranch.plan.logical.ordering import adjusted, observers, ordering_of
from anabranch.plan.logical.plan import Joint, JointKind, Ordering, Region, Routing
from anabranch.plan.logical.safety import Context


@dataclass(frozen=True)
class Crossing:
    """A place on a region's border, before its strategies are chosen."""

    kind: JointKind
    at: str
    left: int | None
    right: int | None
    port: int = 0


def joints_of(context: Context,
              grown: list[Growth]) -> tuple[tuple[Region, ...], tuple[Joint, ...]]:
    """The regions and joints of a plan, with their routing and ordering."""
    crossings = list(_crossings(context, grown))
    shuffles = [(c.left, c.right) for c in crossings if c.kind is JointKind.SHUFFLE]
    orderings = adjusted([ordering_of(context, region) for region in grown], shuffles,
                         observers(context, grown))
    regions = tuple(Region(index, r.operators, r.routing_key(0), r.selectivity, ordering, r.ended)
                    for index, (r, ordering) in enumerate(zip(grown, orderings, strict=True)))
    return regions, tuple(_joint(context, c, grown, orderings) for c in crossings)


def _joint(context: Context, crossing: Crossing, grown: list[Growth], orderings: list) -> Joint:
    """Where channels end and nobody behind can tell the order, none is kept, although those
    within may have been put in order for a state."""
    region = crossing.left if crossing.right is None else crossing.right
    ends = crossing.right is None
    needed = not ends or context.facts[grown[region].operators[-1]].ordered.value
    routing = None
    if crossing.right is not None:
        routing = Routing(grown[crossing.right].routing_key(crossing.port))
    return Joint(crossing.kind, crossing.at, crossing.left, crossing.right, routing,
                 orderings[region] if needed else Ordering.NONE, crossing.port)


def _crossings(context: Context, grown: list[Growth]) -> Iterator[Crossing]:
    index_of = {name: index for index, region in enumerate(grown) for name in region.operators}
    for index, region in enumerate(grown):
        yield from _entries(context, index, region.operators[0], index_of)
        yield from _exits(context, index, region.operators[-1], index_of)


def _entries(context: Context, index: int, first: str, index_of: dict[str, int]
             ) -> Iterator[Crossing]:
    op = context.graph[first]
    if op.is_source:
        yield Crossing(JointKind.PARALLEL_SOURCE, first, None, index)
    for port, queue in enumerate(op.inputs):
        left = index_of.get(context.graph.writer(queue).name)
        kind = JointKind.SPLIT if left is None else JointKind.SHUFFLE
        yield Crossing(kind, queue, left, index, port)


def _exits(context: Context, index: int, last: str, index_of: dict[str, int]
           ) -> Iterator[Crossing]:
    op = context.graph[last]
    if op.is_sink:
        yield Crossing(JointKind.PARALLEL_SINK, last, index, None)
    for queue in op.outputs:
        if any(reader.name not in index_of for reader in context.graph.readers(queue)):
            yield Crossing(JointKind.MERGE, queue, index, None)
