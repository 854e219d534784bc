"""Which operators on a loop are computed ahead, and how their next items come."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from anabranch.analysis.fact import Facts, StateKind
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Apply, Filter, FlatMap, Map, Split, Union
from anabranch.plan.logical.plan import Plan
from anabranch.plan.physical.stages import Sharing, Stage, finishes

ALONE = (StateKind.STATELESS, StateKind.PARTITIONED)


def computed_ahead(plan: Plan, stage: Stage) -> list[Operator]:
    """The operators on a loop whose firings may be computed before their turn."""
    graph, facts = plan.graph, plan.facts
    users = Counter(v for op in graph for v in op.variables)
    if stage.sharing is not Sharing.TOGETHER:
        return []
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
