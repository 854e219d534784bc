"""Rounds: which operators on loops, or with shared variables, need not wait.

A round is all that one source tuple causes. The sequential engine takes the operators through a
round in their order, and then begins the next round. Of that order only as much has to be kept as
can be seen: who reads a queue fires behind who writes it, and of two operators that share a
variable each finds it as the other has left it. Operators that share none need not wait for each
other, so the first of a line may be a round ahead of the last.

Soulé et al. (*River*) give variables one lock if the same operators use them, and operators take
all their locks at once, in one order. Here that order is the sequential one: to have the turn is to
hold the locks of all variables. The first firing that is left waits for nobody, so none waits for
ever; and what is made lies in the round, so nobody who has the turn waits for room in a queue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from anabranch.analysis.fact import Facts, StateKind
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Apply, Filter, FlatMap, Map, Split, Union
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.bonds import meeting
from anabranch.plan.physical.stages import Sharing, Stage, finishes


@dataclass(frozen=True)
class Turns:
    """For each operator by its place: those `before` it in a round that it waits for, and those
    `behind` it whose last round it waits for.

    >>> turns = Turns(before={0: (), 1: (0,), 2: (1,)}, behind={0: (1,), 1: (2,), 2: ()})
    >>> [turns.has(place, {0: 2, 1: 1, 2: 0}) for place in range(3)]
    [False, False, True]
    >>> [turns.has(place, {0: 1, 1: 1, 2: 0}) for place in range(3)]
    [True, False, True]
    """

    before: dict[int, tuple[int, ...]]
    behind: dict[int, tuple[int, ...]]

    def has(self, place: int, done: dict[int, int]) -> bool:
        """Whether it is the operator's turn when each has `done` so many rounds."""
        own = done[place]
        return (all(done[other] > own for other in self.before[place])
                and all(done[other] >= own for other in self.behind[place]))


def turns_of(graph: Graph, operators: Sequence[Operator]) -> Turns:
    """The turns of operators that stand in the graph's order, each before those that it feeds."""
    places = {graph.position(op): op for op in operators}
    return Turns(
        {place: tuple(p for p, other in places.items()
                      if p < place and (shares(other, op) or op in graph.successors(other)))
         for place, op in places.items()},
        {place: tuple(p for p, other in places.items() if p > place and shares(other, op))
         for place, op in places.items()})


def shares(one: Operator, other: Operator) -> bool:
    return not set(one.variables).isdisjoint(other.variables)


def overlapping(plan: Plan, stage: Stage) -> list[tuple[Operator, Operator]]:
    """The pairs of a stage that may fire at the same time: none if it has loops or sinks, or if
    they share more than variables."""
    graph = plan.graph
    if stage.sharing is not Sharing.TOGETHER or stage.is_sink:
        return []
    feeds_back = any(graph.position(reader) <= graph.position(op) for op in stage.operators
                     for reader in graph.successors(op) if reader.name in stage)
    if feeds_back or meeting(graph, plan.facts, stage.operators):
        return []
    return [pair for pair in combinations(stage.operators, 2) if not shares(*pair)]


ALONE = (StateKind.STATELESS, StateKind.PARTITIONED)


def computed_ahead(plan: Plan, stage: Stage) -> list[Operator]:
    """The operators on a loop whose firings may be computed before their turn."""
    if stage.sharing is not Sharing.TOGETHER:
        return []
    graph, facts = plan.graph, plan.facts
    users = Counter(v for op in graph for v in op.variables)
    return [op for op in stage.operators if op.name in graph.looping
            and isinstance(op.kind, (Apply, FlatMap, Map)) and not finishes(op)
            and all(users[v] == 1 for v in op.variables)
            and facts[op.name].state.value.kind in ALONE
            and way_to(op, stage, graph, facts) is not None]


@dataclass(frozen=True)
class WayStep:
    """An operator that hands items on as they are; the ports by which a way comes and goes."""

    op: Operator
    port: int
    out: int

    def hands_on(self, item: object) -> bool:
        outputs = self.op.kind.open([])(self.port, item)
        return any(out == self.out for out, _ in outputs)


Way = tuple[WayStep, ...]


def way_to(op: Operator, stage: Stage, graph: Graph, facts: Facts) -> Way | None:
    """The operators before `op` that hand its items on, the nearest first; None when items may
    overtake each other on the way.

    Where a loop is entered two ways meet. What comes from outside is all past that point before
    `op` fires, and so before anything comes round: only the way round has to be looked at.
    """
    writers = {queue: writer for writer in stage.operators for queue in writer.outputs}
    queue, way = op.inputs[0], []
    while queue in writers and writers[queue] not in (step.op for step in way):
        writer = writers[queue]
        if _is_entry(writer, stage, graph, writers) and graph.position(writer) < graph.position(op):
            port = next(n for n, q in enumerate(writer.inputs) if q not in stage.inputs)
        elif isinstance(writer.kind, (Filter, Split)) and _is_pure(writer, facts):
            port = 0
        else:
            return None if isinstance(writer.kind, Union) else tuple(way)
        way.append(WayStep(writer, port, writer.outputs.index(queue)))
        queue = writer.inputs[port]
    return None if queue in writers else tuple(way)


def _is_entry(op: Operator, stage: Stage, graph: Graph, writers: dict[str, Operator]) -> bool:
    """Whether here, and nowhere else, what comes from outside meets what comes round."""
    if not isinstance(op.kind, Union) or op.kind.on is not None or len(op.inputs) != 2:
        return False
    inner = [queue for queue in op.inputs if queue not in stage.inputs]
    return len(inner) == 1 and graph.position(writers[inner[0]]) >= graph.position(op)


def _is_pure(op: Operator, facts: Facts) -> bool:
    """Then nobody notices that it is asked twice."""
    known = facts[op.name]
    return known.state.value.kind is StateKind.STATELESS and not known.purity.value
