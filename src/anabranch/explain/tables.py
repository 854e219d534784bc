"""What is to be said beyond operators and regions: tables, notes on streams.

Synchronization plans are shown as trees: each worker with the tags that it takes. Notes are on what
a program does as a stream, whose input has no end that anybody sees: windows go by the times of
rows, not by the clock, and each key by its own. So what falls silent is not emitted, and what comes
late is late for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from anabranch.core.source import Span
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply
from anabranch.ir.synchronization import Synchronized
from anabranch.ir.windows import AggregateWindow, WatermarkWindow
from anabranch.plan.logical.plan import Plan
from anabranch.plan.logical.whole import whole_of
from anabranch.plan.sync.optimizers import Planned
from anabranch.plan.sync.plan import Tree, drawn
from anabranch.plan.sync.planning import plan_for, problem_of
from anabranch.plan.sync.program import Program

Rows = list[tuple[str, ...]]


def tables(plan: Plan) -> Iterable[tuple[str, tuple[str, ...], Rows]]:
    """Titles, the names of the columns, and the rows."""
    whole = whole_of(plan.program) if plan.program is not None else None
    return (*synchronization(plan), *(() if whole is None else whole.tables()))


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


UNTIL = "the input ends (--until-idle, --limit, or pipes that are closed)"


class Note(NamedTuple):
    """What is to be known of an operator in a stream."""

    operator: str
    text: str
    span: Span | None


def stream_notes(plan: Plan) -> list[Note]:
    """All notes, in the program's order."""
    return [Note(op.name, text, op.span) for op in plan.program or plan.graph for text in _of(op)]


def _of(op: Operator) -> Iterator[str]:
    if isinstance(op.kind, WatermarkWindow):
        yield ("a window is emitted when a row of any key comes that lies beyond it, in the order "
               f"of their ends; one that is still open when {UNTIL}")
    if isinstance(op.kind, AggregateWindow):
        yield from _by_time(op.kind) if op.kind.window.by_time else _by_count(op.kind)
    if isinstance(op.kind, Apply) and op.kind.at_end is not None:
        yield f"what it gives at the end comes when {UNTIL}"


def _by_time(kind: AggregateWindow) -> Iterator[str]:
    key, silent = (" of the same key", ", so that of a key that falls silent waits") if kind.by \
        else ("", "")
    open_ones = "is emitted" if kind.window.partial else "is dropped"
    yield (f"a window is emitted when a row{key} comes that lies beyond it{silent}; one that is "
           f"still open {open_ones} when {UNTIL}")
    if kind.window.late == "drop":
        yield "a row that comes when its window has been emitted is dropped"
    else:
        yield ("a row that comes when its window has been emitted stops the stream; with "
               "--on-error skip or --on-error divert=FOLDER the same checkpoint goes on without it")


def _by_count(kind: AggregateWindow) -> Iterator[str]:
    open_ones = "is emitted" if kind.window.partial else "is dropped"
    yield f"a window is emitted when it is full; one that is not {open_ones} when {UNTIL}"
