"""What a program does as a stream, whose input has no end that anybody sees.

Windows go by the times of rows, not by the clock, and each key by its own. So what falls silent is
not emitted, and what comes late is late for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anabranch.ir.graph import Operator
from anabranch.ir.operators import Apply
from anabranch.ir.windows import AggregateWindow
from anabranch.plan import Plan
from anabranch.source import Span

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
