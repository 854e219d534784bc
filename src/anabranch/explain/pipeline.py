"""A region drawn as a small pipeline, every edge of it exactly once.

    parallel source ─ entries → filter → running ─ merge (sequence numbers) → alerts

A `─` is a joint's side towards the region, an `→` a plain step. A region that branches takes
several lines; the later ones start at the operator where they branch off.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anabranch.ir.graph import Graph
from anabranch.plan.logical.plan import Joint, JointKind, Plan, Region

LOOP = "↺"


@dataclass(frozen=True)
class Word:
    """A piece of a drawn line; its role is operator, joint, outside or mark."""

    text: str
    role: str


Line = list[Word]
STEP, BACK, JOINED = Word(" → ", "mark"), Word(f" {LOOP} ", "mark"), Word(" ─ ", "mark")


def drawn(plan: Plan, region: Region, strategies: bool = True) -> list[Line]:
    """The lines of a region's drawing; of the joints only what they are, or their strategies too.
    """
    return list(_Drawing(plan, region, strategies).lines())


class _Drawing:
    """What is still to be drawn: edges are taken away as lines run along them."""

    def __init__(self, plan: Plan, region: Region, strategies: bool):
        self.word = _joint_word if strategies else _kind_word
        self.plan, self.graph, joints = plan, plan.graph, plan.joints_of(region)
        self.entries = [(op, j) for j in joints if j.right == region.index
                        for op in _entered(plan.graph, j) if op in region.operators]
        self.exits = {op: [j for j in joints if j.left == region.index
                           and _left(plan.graph, j) == op] for op in region.operators}
        self.steps = {op: _inner_steps(plan, region, op) for op in region.operators}
        self.passed: set[str] = set()

    def lines(self) -> Iterator[Line]:
        for op, joint in self.entries:
            yield [*self._way_in(joint), *self._from(op)]
        for op in self.steps:
            while op not in self.passed or self.steps[op] or self.exits[op]:
                yield self._from(op)

    def _from(self, op: str) -> Line:
        """Along edges not drawn yet, until an exit or an operator that was passed before."""
        line = [Word(op, "operator")]
        self.passed.add(op)
        while self.steps[op]:
            following = self.steps[op].pop(0)
            line += [self._arrow(op, following), Word(following, "operator")]
            if following in self.passed:
                return line
            op = following
            self.passed.add(op)
        return line + (self._way_out(self.exits[op].pop(0)) if self.exits[op] else [])

    def _way_in(self, joint: Joint) -> Line:
        if joint.kind is JointKind.PARALLEL_SOURCE:
            return [self.word(joint), JOINED]
        return [Word(self.graph.writer(joint.at).name, "outside"), STEP, self.word(joint), JOINED]

    def _way_out(self, joint: Joint) -> Line:
        if joint.kind is JointKind.PARALLEL_SINK:
            return [JOINED, self.word(joint)]
        beyond = ", ".join(dict.fromkeys(_beyond(self.plan, joint)))
        return [JOINED, self.word(joint), *([STEP, Word(beyond, "outside")] if beyond else [])]

    def _arrow(self, op: str, following: str) -> Word:
        return STEP if self.graph.position(following) > self.graph.position(op) else BACK


def _inner_steps(plan: Plan, region: Region, op: str) -> list[str]:
    """The operators of the region that read from `op` without a joint between them."""
    joined = {j.at for j in plan.joints_of(region)
              if j.right == region.index and j.kind is not JointKind.PARALLEL_SOURCE}
    queues = [q for q in plan.graph[op].outputs if q not in joined]
    readers = [r.name for q in queues for r in plan.graph.readers(q)]
    return [name for name in dict.fromkeys(readers) if plan.region_of(name) is region]


def _entered(graph: Graph, joint: Joint) -> list[str]:
    if joint.kind is JointKind.PARALLEL_SOURCE:
        return [joint.at]
    return list(dict.fromkeys(op.name for op in graph.readers(joint.at)))


def _left(graph: Graph, joint: Joint) -> str:
    return joint.at if joint.kind is JointKind.PARALLEL_SINK else graph.writer(joint.at).name


def _beyond(plan: Plan, joint: Joint) -> Iterator[str]:
    """The readers behind a joint: a shuffle's in the region it begins, a merge's in none."""
    for op in plan.graph.readers(joint.at):
        region = plan.region_of(op.name)
        if joint.right == (region.index if region else None):
            yield op.name


def _joint_word(joint: Joint) -> Word:
    """Its kind with what matters there: where channels begin the routing, where they end the order.

    >>> from anabranch.plan.logical.plan import Ordering, Routing
    >>> _joint_word(Joint(JointKind.SPLIT, "q", None, 1, Routing(("uid",)), Ordering.SEQNO)).text
    'split (hash(uid))'
    >>> _joint_word(Joint(JointKind.MERGE, "q", 1, None, None, Ordering.ROUND_ROBIN)).text
    'merge (round-robin)'
    """
    routed = joint.routing is not None and (joint.routing.key or joint.kind in _CROSSED)
    details = [str(joint.routing)] if routed else []
    details += [str(joint.ordering)] if joint.kind is JointKind.MERGE else []
    return Word(joint.kind.value + (f" ({', '.join(details)})" if details else ""), "joint")


def _kind_word(joint: Joint) -> Word:
    return Word(joint.kind.value, "joint")


_CROSSED = (JointKind.SPLIT, JointKind.SHUFFLE)
