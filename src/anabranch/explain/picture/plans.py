"""A plan as a scene: operators in boxes, regions in frames, joints on the links.

What there is to say about each is noted with it: facts with their reasons. A synchronization plan
is a tree of workers, the one that joins the others at the left.
"""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.analysis.fact import Fact, StateKind
from anabranch.core.source import Span
from anabranch.explain import words
from anabranch.explain.picture.scene import Box, Edge, RegionFrame, Scene, Text
from anabranch.explain.picture.style import clipped
from anabranch.explain.pipeline import LOOP
from anabranch.explain.tables import drawn_plan
from anabranch.explain.words import summary
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused
from anabranch.plan.logical.plan import Joint, JointKind, Plan, Reason, Region
from anabranch.plan.logical.plan import Region as Parallel
from anabranch.plan.physical.plan import Execution, StageTier
from anabranch.plan.sync.plan import Tree

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
    boxes = tuple(Box(op.name, _heading(graph, op), _end(op), (written(op),)) for op in graph)
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
               for number, stage in stages_of(op, execution)))
    looks = f"{_end(op)} {'sequential' if _is_sequential(plan, op) else 'parallel'}".strip()
    return Box(op.name, lines, looks, of_operator(plan, op, execution), tuple(spans_of(op)))


def spans_of(op: Operator) -> Iterator[Span]:
    """Where an operator stands in the program, and where its functions do."""
    yield from (span for span in (op.span, *(f.span for f in op.kind.functions)) if span)


def _is_sequential(plan: Plan, op: Operator) -> bool:
    return not (plan.region_of(op.name) or op.name in plan.synchronized or op.name in plan.fissed)


def _state(plan: Plan, op: Operator) -> Iterator[Text]:
    facts = plan.facts[op.name]
    if not _end(op) and facts.state.value.kind is not StateKind.STATELESS:
        yield Text(clipped(f"state {words.state(facts)}"), state=True)


def _manner(plan: Plan, op: Operator) -> Iterator[Text]:
    if op.name in plan.synchronized:
        yield Text("synchronization plan", "region-text")
    elif op.name in plan.fissed:
        yield Text("in blocks", "region-text")
    elif _is_sequential(plan, op):
        yield Text("sequential", "sequential-text")
    elif any(joint.at == op.name and joint.kind in ENDS for joint in plan.joints):
        yield Text("in parallel", "region-text")


def _joint(joint: Joint, index: int) -> Box:
    routing = (Text(clipped(str(joint.routing))),) if joint.routing else ()
    lines = (Text(joint.kind.value, "joint-text"), *routing, Text(f"order: {joint.ordering}"))
    return Box(("joint", index), lines, "joint", of_joint(joint))


def _region(region: Parallel) -> RegionFrame:
    routing = f" by {', '.join(region.key)}" if region.key else ""
    heading = (Text(clipped(f"region {region.index + 1}{routing}"), "region-text"),)
    return RegionFrame(("region", region.index), region.operators, heading, of_region(region))


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


def trees(plan: Plan) -> Iterator[Scene]:
    """A tree for each synchronized operator whose plan is known before it runs."""
    for name in plan.synchronized:
        if (known := drawn_plan(plan.graph[name])) is not None:
            yield of_tree(f"Synchronization plan of {name}", *known)


def of_tree(title: str, tree: Tree, told: str) -> Scene:
    """The workers with the tags that they take, each linked to those below it."""
    numbers = {id(worker): number for number, worker in enumerate(tree.nodes())}
    boxes = tuple(_worker(number, worker) for number, worker in enumerate(tree.nodes()))
    edges = tuple(Edge(numbers[id(worker)], numbers[id(child)], "joins and forks its state", False)
                  for worker in tree.nodes() for child in worker.children)
    return Scene(title, told, boxes, edges)


def _worker(number: int, worker: Tree) -> Box:
    role = "joins and forks" if worker.children else "works alone"
    return Box(number, (Text(f"worker {number}", "name"), Text(clipped(str(worker))), Text(role)),
               "parallel", (f"worker {number}: {role}", f"takes {worker}"))


EVERY_ATTRIBUTE = 10_000


def of_operator(plan: Plan, op: Operator, execution: Execution | None) -> tuple[str, ...]:
    """An operator's facts, and why it is parallel or not."""
    facts = plan.facts[op.name]
    return (written(op), *_parts(op), *_ends(plan, op),
            _fact("state", words.state(facts), facts.state),
            _fact("selectivity", words.selectivity(facts), facts.selectivity),
            f"forwards: {words.forwards(facts, EVERY_ATTRIBUTE)}", *_effects(plan, op),
            *_parallel(plan, op),
            *(_stage(number, stage, execution) for number, stage in stages_of(op, execution)))


def written(op: Operator) -> str:
    """What it is, and where it stands in the program."""
    return f"{op.name}: {words.kind(op)}{_at(op.span)}"


def _parts(op: Operator) -> Iterator[str]:
    if isinstance(op.kind, Fused):
        yield f"fused from {', '.join(part.name for part in op.kind.parts)}"


def _ends(plan: Plan, op: Operator) -> Iterator[str]:
    if op.is_source or op.is_sink:
        yield f"{'reads' if op.is_source else 'writes'} {words.place(plan, op)}"


def _effects(plan: Plan, op: Operator) -> Iterator[str]:
    for effect in plan.facts[op.name].purity.value:
        yield f"{effect.kind.value} {effect.name}: {effect.reason}{_at(effect.span)}"


def _parallel(plan: Plan, op: Operator) -> Iterator[str]:
    region, reason = plan.region_of(op.name), plan.sequential.get(op.name)
    if op.name in plan.graph.looping:
        yield "on a feedback loop"
    if region is not None:
        yield f"runs in parallel, in region {region.index + 1}"
    if op.name in plan.synchronized:
        yield "runs in parallel, by a synchronization plan"
    elif op.name in plan.fissed:
        yield "runs in parallel, in blocks of firings"
    elif reason is not None:
        yield f"sequential: {because(reason)}"
    yield from (f"{j}" for j in plan.joints if j.at == op.name and j.kind.value.startswith("para"))


def because(reason: Reason) -> str:
    return f"{reason.text}{_at(reason.span)}"


def of_region(region: Region) -> tuple[str, ...]:
    routing = f"hash({', '.join(region.key)})" if region.key else "round-robin"
    ended = (f"ends here: {region.ended}",) if region.ended else ()
    return (f"region {region.index + 1}: {', '.join(region.operators)}", f"routing: {routing}",
            f"order: {region.ordering}", f"selectivity {region.selectivity}", *ended)


def of_joint(joint: Joint) -> tuple[str, ...]:
    routing = (f"routing: {joint.routing}",) if joint.routing else ()
    return (f"{joint.kind.value} on {joint.at}", *routing, f"order: {joint.ordering}")


def stages_of(op: Operator, execution: Execution | None) -> list[tuple[int, StageTier]]:
    """The stages that an operator runs in, counted from 1: several when it is fused from others
    that an engine takes apart again."""
    stages = execution.stages if execution else ()
    return [(number, stage) for number, stage in enumerate(stages, 1)
            if names_in(op).intersection(stage.operators)]


def names_in(op: Operator) -> set[str]:
    """The name of an operator, or of all that it is fused from too."""
    parts = op.kind.parts if isinstance(op.kind, Fused) else ()
    return {op.name}.union(*map(names_in, parts))


def _stage(number: int, stage: StageTier, execution: Execution) -> str:
    reason = f"; not faster: {because(stage.reason)}" if stage.reason else ""
    arrival = f"; {stage.arrival}" if stage.arrival else ""
    return f"stage {number} on the {execution.engine} engine: {stage.tier}{arrival}{reason}"


def _fact(name: str, value: str, fact: Fact) -> str:
    return f"{name}: {value}, {fact.reason}{_at(fact.span)}" if fact.reason else f"{name}: {value}"


def _at(span: Span | None) -> str:
    return "" if span is None else f" ({span})"
