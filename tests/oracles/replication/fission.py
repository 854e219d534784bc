"""Fission: puts joints around the operators of parallel regions, as operators of the graph.

    program  (b) <- range(a); (c) <- aggr(b); (d) <- istream(c)

    add      split range merge, split aggr merge, split istream merge
    drop     split range merge, split aggr istream merge             (one region: nothing between)
    rotate   split range shuffle aggr istream merge                  (adjacent regions: a shuffle)

The result is not expanded: `replicate` gives it channels. The proof that each step is safe is the
plan: two operators are in one region only if their keys allow it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.plan.logical.growth import Growth
from anabranch.plan.logical.ordering import ordering_of
from anabranch.plan.logical.plan import Joint, JointKind, Plan, Region, Routing
from anabranch.plan.logical.safety import ALL, Context
from oracles.replication.markers import MergeMark, ShuffleMark, SplitMark


def fission(plan: Plan) -> Graph:
    """The plan's graph with all its joints."""
    return rotate(plan, drop(plan, add(plan)))


def add(plan: Plan) -> Graph:
    """A split before and a merge behind every parallel operator."""
    context = Context(plan.graph, plan.facts, ALL)
    parallel = {name for region in plan.regions for name in region.operators}
    placed = [one for op in plan.graph
              for one in (_surrounded(context, op) if op.name in parallel else [op])]
    return _with(plan.graph, placed)


def drop(plan: Plan, graph: Graph) -> Graph:
    """No merge and split inside a region; its first and last joints become the region's own."""
    inner = [pair for region in plan.regions for pair in _pairs(region)]
    gone = {name for left, right in inner for name in (merge_name(left), split_name(right))}
    direct = {_into(plan.graph, right): _parts(_out(plan.graph, left)) for left, right in inner}
    kept = [replace(op, inputs=tuple(direct.get(q, q) for q in op.inputs))
            for op in graph if op.name not in gone]
    marks = dict(_marks(plan))
    return _with(graph, [replace(op, kind=marks.get(op.name, op.kind)) for op in kept])


def rotate(plan: Plan, graph: Graph) -> Graph:
    """A shuffle for every merge and split between adjacent regions."""
    shuffled = {split_name(_entered(plan, j), j.port): j
                for j in plan.joints if j.kind is JointKind.SHUFFLE}
    operators = [_shuffle(plan, op, shuffled[op.name]) if op.name in shuffled else op
                 for op in graph]
    read = {q for op in operators for q in op.inputs}
    return _with(graph, [op for op in operators
                         if not isinstance(op.kind, MergeMark) or op.outputs[0] in read])


def split_name(op: str, port: int = 0) -> str:
    return f"{op}.split{port or ''}"


def merge_name(op: str, port: int = 0) -> str:
    return f"{op}.merge{port or ''}"


def _parts(queue: str) -> str:
    """What a parallel operator wrote, before it is merged."""
    return f"{queue}.parts"


def _surrounded(context: Context, op: Operator) -> Iterator[Operator]:
    alone = Growth.at(context, op)
    ordering = ordering_of(context, alone)
    repeats = not alone.selectivity.at_most_one
    if op.is_source:
        yield replace(op, outputs=(f"{op.outputs[0]}.all",))
    for port, queue in _entries(op):
        routing = Routing(alone.routing_key(port))
        yield Operator(split_name(op.name, port), SplitMark(ordering, routing, repeats),
                       (queue,), (_split_queue(op, port),), span=op.span)
    merges = list(_merges(op, MergeMark(ordering, None, repeats)))
    if op.is_sink:
        yield from (*merges, replace(op, inputs=(f"{op.name}.merged",)))
    else:
        yield from (*([] if op.is_source else [_between_joints(op)]), *merges)


def _entries(op: Operator) -> list[tuple[int, str]]:
    return [(0, f"{op.outputs[0]}.all")] if op.is_source else list(enumerate(op.inputs))


def _split_queue(op: Operator, port: int) -> str:
    return _parts(op.outputs[0]) if op.is_source else f"{op.name}.in{port or ''}"


def _between_joints(op: Operator) -> Operator:
    return replace(op, inputs=tuple(_split_queue(op, port) for port in range(len(op.inputs))),
                   outputs=tuple(map(_parts, op.outputs)))


def _merges(op: Operator, mark: MergeMark) -> Iterator[Operator]:
    if op.is_sink:
        yield Operator(merge_name(op.name), mark, (_split_queue(op, 0),), (f"{op.name}.merged",),
                       span=op.span)
    for port, queue in enumerate(op.outputs):
        yield Operator(merge_name(op.name, port), mark, (_parts(queue),), (queue,), span=op.span)


def _pairs(region: Region) -> Iterator[tuple[str, str]]:
    return zip(region.operators, region.operators[1:])


def _out(graph: Graph, op: str) -> str:
    return graph[op].outputs[0]


def _into(graph: Graph, op: str) -> str:
    return _split_queue(graph[op], 0)


def _marks(plan: Plan) -> Iterator[tuple[str, SplitMark | MergeMark]]:
    """The marks at the borders of regions, by the name of the operator that stands there."""
    repeating = _repeating(plan)
    for joint in plan.joints:
        if joint.right is not None:
            name = split_name(_entered(plan, joint), joint.port)
            yield name, SplitMark(joint.ordering, joint.routing, joint.right in repeating)
    for region in plan.regions:
        last = plan.graph[region.operators[-1]]
        mark = MergeMark(region.ordering, None, region.index in repeating)
        yield from ((merge_name(last.name, port), mark) for port in range(len(last.outputs) or 1))


def _repeating(plan: Plan) -> set[int]:
    """The regions in whose chain several items may travel under one number."""
    shuffles = [(j.left, j.right) for j in plan.joints if j.kind is JointKind.SHUFFLE]
    chains = chained(len(plan.regions), shuffles)
    return {index for chain in chains for index in chain
            if not all(plan.regions[i].selectivity.at_most_one for i in chain)}


def _entered(plan: Plan, joint: Joint) -> str:
    return plan.regions[joint.right].operators[0]


def _shuffle(plan: Plan, split: Operator, joint: Joint) -> Operator:
    mark = ShuffleMark(joint.ordering, joint.routing, split.kind.repeats)
    return replace(split, name=f"{_entered(plan, joint)}.shuffle{joint.port or ''}", kind=mark,
                   inputs=(_parts(joint.at),))


def _with(graph: Graph, operators: list[Operator]) -> Graph:
    """The graph with these operators; a new queue has the type of what flows into it."""
    types = {q.name: q.type for q in graph.queues}
    writers = {q: op for op in operators for q in op.outputs}
    queues = tuple(Queue(q, _type(q, writers, types)) for q in writers)
    return Graph(tuple(operators), queues, graph.variables)


def _type(queue: str, writers: dict[str, Operator], types: dict[str, object]) -> object:
    """The type of a queue that joints have made: that of the program's own queue beside it."""
    own = queue if queue in types else queue.removesuffix(".parts").removesuffix(".all")
    return types[own] if own in types else _type(writers[queue].inputs[0], writers, types)


def chained(count: int, shuffles: Iterable[tuple[int, int]]) -> list[set[int]]:
    """The chains of regions, as sets of their indices: shuffles join them.

    >>> chained(4, [(0, 1), (1, 3)])
    [{0, 1, 3}, {2}]
    """
    chain_of = [{index} for index in range(count)]
    for left, right in shuffles:
        chain = chain_of[left] | chain_of[right]
        for index in chain:
            chain_of[index] = chain
    return [chain for index, chain in enumerate(chain_of) if min(chain) == index]
