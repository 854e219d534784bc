"""A plan as a scene: operators in boxes, regions in frames, joints on the links between them."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.analysis.fact import StateKind
from anabranch.explain import words
from anabranch.explain.picture import notes
from anabranch.explain.picture.lettering import clipped
from anabranch.explain.picture.scene import Box, Edge, Region, Scene, Text
from anabranch.explain.pipeline import LOOP
from anabranch.explain.summary import summary
from anabranch.ir.graph import Graph, Operator
from anabranch.plan import Execution, Joint, JointKind, Plan
from anabranch.plan import Region as Parallel

ENDS = (JointKind.PARALLEL_SOURCE, JointKind.PARALLEL_SINK)


def planned(plan: Plan, execution: Execution | None = None) -> Scene:
    """The plan, with the tier of each stage when an engine was asked about."""
    operators = [_operator(plan, op, execution) for op in plan.graph]
    joints = [_joint(joint, index) for index, joint in enumerate(plan.joints)
              if joint.kind not in ENDS]
    return Scene("The plan", summary(plan), (*operators, *joints), tuple(_edges(plan)),
                 tuple(map(_region, plan.regions)))


def as_written(graph: Graph) -> Scene:
    """The program before any rewrite."""
    boxes = tuple(Box(op.name, _heading(graph, op), _end(op), (notes.written(op),)) for op in graph)
    edges = tuple(_edge(graph, queue.name, graph.writer(queue.name).name, reader.name)
                  for queue in graph.queues for reader in graph.readers(queue.name))
    return Scene("The program as written", f"{len(boxes)} operators, sources and sinks", boxes,
                 edges)


def _heading(graph: Graph, op: Operator) -> tuple[Text, ...]:
    loop = f" {LOOP}" if op.name in graph.looping else ""
    return Text(clipped(op.name) + loop, "name"), Text(clipped(words.kind(op)))


def _end(op: Operator) -> str:
    return "source" if op.is_source else "sink" if op.is_sink else ""


def _operator(plan: Plan, op: Operator, execution: Execution | None) -> Box:
    lines = (*_heading(plan.graph, op), *_state(plan, op), *_manner(plan, op),
             *(Text(clipped(f"stage {number}: {stage.tier}"))
               for number, stage in notes.stages_of(op, execution)))
    looks = f"{_end(op)} {'sequential' if _is_sequential(plan, op) else 'parallel'}".strip()
    return Box(op.name, lines, looks, notes.of_operator(plan, op, execution))


def _is_sequential(plan: Plan, op: Operator) -> bool:
    return plan.region_of(op.name) is None and op.name not in plan.synchronized


def _state(plan: Plan, op: Operator) -> Iterator[Text]:
    facts = plan.facts[op.name]
    if not _end(op) and facts.state.value.kind is not StateKind.STATELESS:
        yield Text(clipped(f"state {words.state(facts)}"), state=True)


def _manner(plan: Plan, op: Operator) -> Iterator[Text]:
    if op.name in plan.synchronized:
        yield Text("synchronization plan", "region-text")
    elif _is_sequential(plan, op):
        yield Text("sequential", "sequential-text")
    elif any(joint.at == op.name and joint.kind in ENDS for joint in plan.joints):
        yield Text("in parallel", "region-text")


def _joint(joint: Joint, index: int) -> Box:
    routing = (Text(clipped(str(joint.routing))),) if joint.routing else ()
    lines = (Text(joint.kind.value, "joint-text"), *routing, Text(f"order: {joint.ordering}"))
    return Box(("joint", index), lines, "joint", notes.of_joint(joint))


def _region(region: Parallel) -> Region:
    routing = f" by {', '.join(region.key)}" if region.key else ""
    heading = (Text(clipped(f"region {region.index + 1}{routing}"), "region-text"),)
    return Region(("region", region.index), region.operators, heading, notes.of_region(region))


def _edges(plan: Plan) -> Iterator[Edge]:
    """Every queue from its writer to its readers, through the joints that lie between."""
    into: dict[tuple, None] = {}
    for queue in plan.graph.queues:
        writer = plan.graph.writer(queue.name).name
        for reader in plan.graph.readers(queue.name):
            if (joint := _between(plan, queue.name, reader)) is None:
                yield _edge(plan.graph, queue.name, writer, reader.name)
                continue
            if (joint, writer) not in into:
                into[joint, writer] = None
                yield _edge(plan.graph, queue.name, writer, joint)
            yield _edge(plan.graph, queue.name, joint, reader.name)


def _between(plan: Plan, queue: str, reader: Operator) -> tuple[str, int] | None:
    """The joint through which an operator reads a queue."""
    region = plan.region_of(reader.name)
    found = [index for index, joint in enumerate(plan.joints)
             if joint.kind not in ENDS and joint.at == queue
             and joint.right == (region.index if region else None)]
    return ("joint", found[0]) if found else None


def _edge(graph: Graph, queue: str, tail: object, head: object) -> Edge:
    return Edge(tail, head, f"{queue}: {graph.queue(queue).type}")
