"""Stages: the operators that one worker takes a slice through at a time.

A parallel region of the plan is a stage. What is not in a region is a stage of its own, straight
lines of such operators together; so is each set of operators that must run together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from anabranch.analysis.fact import StateKind
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators import Apply, Keyed, Kind, Union
from anabranch.ir.synchronization import Synchronized
from anabranch.plan.logical.plan import Ordering, Plan, Region
from anabranch.plan.physical.bonds import together


class Sharing(Enum):
    """How many workers may serve a stage at once.

    ANY: slices in any order. BUCKETS: the slices of one bucket of keys in order. ONE: all slices
    in order. PLAN: the workers of a plan, with parts of one state. TOGETHER: in order, and one
    source tuple after another through all its operators.
    """

    ANY = "stateless"
    BUCKETS = "partitioned"
    ONE = "sequential"
    PLAN = "synchronized"
    TOGETHER = "together"


class EngineStep(Kind):
    """Not an operator of the program: a step of the engine's own, which hands items on."""


@dataclass(frozen=True)
class Stage:
    """`inputs` are the queues that come from outside, in the order of the ports of the first
    operator; `keys` has for each of them the attributes that choose the bucket. `ordering` says
    how slices keep their order behind it, or, of sinks, in front of them."""

    index: int
    operators: tuple[Operator, ...]
    sharing: Sharing
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...] = ()
    ordering: Ordering = Ordering.SEQNO_PULSES

    @property
    def name(self) -> str:
        return self.operators[0].name

    @property
    def is_sink(self) -> bool:
        return any(op.is_sink for op in self.operators)

    @property
    def in_order(self) -> bool:
        return self.sharing in (Sharing.ONE, Sharing.TOGETHER)

    @property
    def is_step(self) -> bool:
        """Whether it is a step of the engine's own."""
        return isinstance(self.operators[0].kind, EngineStep)

    def __contains__(self, name: str) -> bool:
        return any(op.name == name for op in self.operators)


def with_front(graph: Graph, before: Operator, behind: Operator, queue: Queue) -> Graph:
    """The graph with an operator in front of one that is there, which now reads the queue."""
    def operators() -> Iterator[Operator]:
        for op in graph:
            if op.name == behind.name:
                yield before
            yield behind if op.name == behind.name else op
    return graph.with_operators(operators(), [queue])


def formed(plan: Plan, keyed_gangs: bool = True) -> list[Stage]:
    """The stages of a plan whose operators are unfused, each before those that it feeds.

    `keyed_gangs` says whether the engine runs synchronization plans also for a state by keys.
    """
    graph = plan.graph
    drafts = _drafts(plan, keyed_gangs)
    return [_stage(graph, index, draft) for index, draft in enumerate(_sorted(graph, drafts))]


@dataclass(frozen=True)
class StageDraft:
    """A stage before it has a number."""

    names: tuple[str, ...]
    sharing: Sharing
    keys: tuple[tuple[str, ...], ...] = ()


def _drafts(plan: Plan, keyed_gangs: bool) -> list[StageDraft]:
    sets = together(plan.graph, plan.facts, plan.fusions)
    bound = [members for members in sets if _is_bound(plan.graph, members)]
    alone = {name for members in sets if members not in bound for name in members}
    forkable = _forkable(plan, alone, keyed_gangs)
    free = alone - {op.name for op in forkable}
    regions = [draft for region in plan.regions if (draft := _parallel(plan, region, free))]
    placed = {name for draft in regions for name in draft.names}
    rest = [op for op in plan.graph if op.name in alone - placed and op not in forkable]
    return [*regions,
            *(StageDraft((op.name,), Sharing.PLAN, _own_keys(plan, op)) for op in forkable),
            *(StageDraft(line, Sharing.ONE) for line in _lines(plan.graph, rest)),
            *(StageDraft(_in_order(plan.graph, members), Sharing.TOGETHER) for members in bound)]


def _forkable(plan: Plan, alone: set[str], keyed_gangs: bool) -> list[Operator]:
    """The operators for gangs; with keys those that have a region for themselves."""
    def alone_in_region(op: Operator) -> bool:
        region = plan.region_of(op.name)
        inner = [name for name in region.operators if name in alone] if region else []
        return inner == [op.name] and op.kind.splits_keys

    def forks(op: Operator) -> bool:
        # Of what was fused, only the whole is known.
        known = plan.facts.get(op.name)
        return known is not None and known.state.value.kind is StateKind.FORKABLE
    return [op for op in plan.graph if op.name in alone and isinstance(op.kind, Synchronized)
            and (forks(op) or (keyed_gangs and alone_in_region(op)))]


def _is_bound(graph: Graph, members: frozenset[str]) -> bool:
    """Whether they go tuple by tuple: several together, one that feeds itself, or the sink."""
    first = graph[next(iter(members))]
    return len(members) > 1 or first.is_sink or first in graph.successors(first)


def _parallel(plan: Plan, region: Region, alone: set[str]) -> StageDraft | None:
    """The region as a stage, if it has work that can be shared and nothing ties it to others."""
    operators = [op for name in region.operators if not (op := plan.graph[name]).is_source
                 and not op.is_sink]
    names = tuple(op.name for op in operators)
    if not operators or not alone.issuperset(names) or all(map(_is_trivial, operators)):
        return None
    if not region.key:
        stateless = not any(op.variables for op in operators)
        return StageDraft(names, Sharing.ANY) if stateless else None
    # The order of what other kinds emit at the end, of several buckets together, is not known.
    ends_known = all(isinstance(op.kind, Keyed) or not finishes(op) for op in operators)
    return StageDraft(names, Sharing.BUCKETS, _keys(plan, region)) if ends_known else None


def _keys(plan: Plan, region: Region) -> tuple[tuple[str, ...], ...]:
    first = plan.graph[region.operators[0]]
    if first.is_source:
        return (region.key,)
    by_port = {j.port: j.routing.key for j in plan.joints if j.right == region.index}
    return tuple(by_port[port] for port in range(len(first.inputs)))


def _own_keys(plan: Plan, op: Operator) -> tuple[tuple[str, ...], ...]:
    """The keys by which a synchronized operator may be divided as well."""
    region = plan.region_of(op.name)
    return _keys(plan, region) if region and region.key else ()


def _is_trivial(op: Operator) -> bool:
    """Moving its items costs more than what it does with them, and nobody asked for it."""
    return isinstance(op.kind, Union) and op.kind.on is None and not is_wished_parallel(op)


def is_wished_parallel(op: Operator) -> bool:
    """Whether the user asked for it to be parallel: then no gain elsewhere is worth more."""
    return op.annotation("Parallel") is not None


def finishes(op: Operator) -> bool:
    """Whether the operator may emit something at the end of the input."""
    if isinstance(op.kind, Apply):
        return op.kind.at_end is not None
    if isinstance(op.kind, Union):
        return op.kind.on is not None
    return type(op.kind).finish is not Kind.finish


def _lines(graph: Graph, operators: Iterable[Operator]) -> list[tuple[str, ...]]:
    """Maximal straight lines: one output, read by one operator, which has one input."""
    waiting = {op.name: op for op in operators}
    lines = []
    for op in list(waiting.values()):
        line = []
        while op is not None and waiting.pop(op.name, None):
            line.append(op.name)
            op = _next(graph, op)
            op = waiting.get(op.name) if op is not None else None
        if line:
            lines.append(tuple(line))
    return lines


def _next(graph: Graph, op: Operator) -> Operator | None:
    readers = graph.successors(op)
    straight = len(op.outputs) == len(readers) == 1 and len(readers[0].inputs) == 1
    return readers[0] if straight else None


def _in_order(graph: Graph, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names, key=graph.position))


def _sorted(graph: Graph, drafts: list[StageDraft]) -> list[StageDraft]:
    """Every draft behind those that feed it, and that of the sinks last."""
    of = {name: draft for draft in drafts for name in draft.names}
    done: dict[tuple[str, ...], StageDraft] = {}

    def visit(draft: StageDraft) -> None:
        if draft.names not in done:
            for name in draft.names:
                for before in graph.predecessors(graph[name]):
                    if not before.is_source and of[before.name] is not draft:
                        visit(of[before.name])
            done[draft.names] = draft
    for draft in sorted(drafts, key=lambda d: (_has_sinks(graph, d), graph.position(d.names[0]))):
        visit(draft)
    return list(done.values())


def _has_sinks(graph: Graph, draft: StageDraft) -> bool:
    return any(graph[name].is_sink for name in draft.names)


def _stage(graph: Graph, index: int, draft: StageDraft) -> Stage:
    operators = tuple(graph[name] for name in draft.names)
    written = {q for op in operators for q in op.outputs}
    if draft.sharing is Sharing.TOGETHER:
        inputs = tuple(dict.fromkeys(q for op in operators for q in op.inputs if q not in written))
        outputs = tuple(q for op in operators for q in op.outputs
                        if any(r.name not in draft.names for r in graph.readers(q)))
    else:
        inputs, outputs = operators[0].inputs, operators[-1].outputs
    return Stage(index, operators, draft.sharing, inputs, outputs, draft.keys)
