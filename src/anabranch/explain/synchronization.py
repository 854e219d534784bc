"""Synchronization plans as trees: each worker with the tags that it takes."""

from __future__ import annotations

from collections.abc import Iterator

from anabranch.ir.graph import Operator
from anabranch.ir.synchronized import Synchronized
from anabranch.plan import Plan
from anabranch.sync.optimizers import Planned
from anabranch.sync.plan import Tree, drawn
from anabranch.sync.planning import plan_for, problem_of
from anabranch.sync.program import Program

WORKERS = 4
"""A plan is drawn for so many; an engine makes one for those it has."""

WHERE = "used when it pays, by workers of the multicore engine or a gang of Spark's tasks"
KEYED = "made when it runs: keys that come often among the first events are split"
WHERE_KEYED = f"{WHERE}; otherwise, and in streams of Spark, by buckets of keys"
BY_BUCKETS = "none: keys go by buckets, which know the order of what they emit at the end"


def synchronization(plan: Plan) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """A table for each synchronized operator."""
    keyed = [op.name for op in plan.graph if isinstance(op.kind, Synchronized) and op.kind.by]
    for name in [*plan.synchronized, *keyed]:
        op = plan.graph[name]
        yield f"synchronization plan of {name}", ("worker", "takes", ""), _rows(op)


def _rows(op: Operator) -> list[tuple[str, ...]]:
    if op.kind.by and not op.kind.splits_keys:
        return [("", BY_BUCKETS, "")]
    if op.kind.by:
        return [("", KEYED, ""), ("", WHERE_KEYED, "")]
    where = ("", WHERE, "")
    if (known := drawn_plan(op)) is None:
        return [("", "made when it runs, from the tags of the first events", ""), where]
    tree, told = known
    lines = [(str(number), line, "") for number, line in enumerate(drawn(tree))]
    return [*lines, ("", told, ""), where]


def drawn_plan(op: Operator) -> tuple[Tree, str] | None:
    """The plan of a synchronized operator, and who made it; None when it is not known yet."""
    program = Program(op.kind)
    if op.kind.tree is None and not op.kind.tags:
        return None
    made = plan_for(program, {}, WORKERS)
    return made.tree, _told(program, made)


def _told(program: Program, made: Planned) -> str:
    if program.kind.tree is not None:
        return "as the program says"
    problem = problem_of(program, {}, WORKERS)
    return (f"by the optimizer '{made.by}', for {WORKERS} workers: about "
            f"{made.speedup(problem):.1f} times one worker")
