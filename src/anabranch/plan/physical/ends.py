"""The ends of a physical plan: in which form sources are read and sinks written."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from enum import Enum

from anabranch.batch.items import has_columns
from anabranch.io.stdio import StdoutSink
from anabranch.ir.ends import ItemWriter, SourceSpec
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import FLOAT, INT, TIMESTAMP, fields_of
from anabranch.plan.tuning import costs


class Form(Enum):
    """ROWS: one item after another. COLUMNS: batches of columns. TEXT: columns become text in any
    worker, and only writing it has an order."""

    ROWS = "rows"
    COLUMNS = "columns"
    TEXT = "text"


def reads_columns(spec: SourceSpec | None) -> bool:
    """Whether a source gives columns, which hold just what its rows would."""
    return spec is not None and spec.has_batches()


def reading(op: Operator) -> Form:
    return Form.COLUMNS if reads_columns(op.kind.spec) else Form.ROWS


def readings(graph: Graph) -> dict[str, Form]:
    """How each source of a graph whose sources are bound is read, by its name, where columns are
    wanted: sources that are merged by their times are in columns together, or not at all."""
    timed = [op for op in graph.sources if op.kind.time]
    in_rows = timed if len(timed) > 1 and not (
        are_merged_in_columns(graph, timed) and all(map(_has_columns, timed))) else ()
    return {op.name: Form.ROWS if op in in_rows else reading(op) for op in graph.sources}


def are_merged_in_columns(graph: Graph, timed: Sequence[Operator]) -> bool:
    """Whether sources with times may be merged in columns: the times are numbers of one kind."""
    kinds = {(fields_of(graph.output_types(op)[0]) or {}).get(op.kind.time) for op in timed}
    return len(kinds) == 1 and kinds <= {INT, FLOAT, TIMESTAMP} and (
        all(has_columns(graph.output_types(op)[0]) for op in timed))


def _has_columns(op: Operator) -> bool:
    return reads_columns(op.kind.spec)


def in_blocks(graph: Graph) -> bool:
    """Whether an item of some source is many records."""
    return any(op.kind.spec is not None and op.kind.spec.in_chunks for op in graph.sources)


def writing(graph: Graph) -> dict[str, Form]:
    """How each sink of a graph whose sinks are bound is written, by its name."""
    return {op.name: _written(graph, op) for op in graph.sinks}


def _written(graph: Graph, op: Operator) -> Form:
    writer = ItemWriter if op.kind.spec is None else op.kind.spec.writer
    # Several sinks may share standard output: there one sees in which order they are written.
    shared = isinstance(op.kind.spec, StdoutSink) and not op.kind.spec.held and len(graph.sinks) > 1
    if shared or not writer.takes_columns or not has_columns(graph.input_types(op)[0]):
        return Form.ROWS
    return Form.TEXT if writer.makes_text else Form.COLUMNS


def rows_worth_columns() -> int:
    """From so many rows on columns pay: with its first one Arrow loads pandas."""
    return 0 if "pandas" in sys.modules else costs().rows_worth_arrow


def unless(form: Form, in_rows: str) -> str:
    """A form in which a sink is written, or a source read, but for what stays `in_rows`.

    >>> unless(Form.TEXT, few_at_a_time()), unless(Form.ROWS, few_at_a_time())
    ('text, fewer than 32 at a time in rows', 'rows')
    """
    return form.value if form is Form.ROWS else f"{form.value}, {in_rows} in rows"


def few_at_a_time() -> str:
    return f"fewer than {costs().fewest_in_columns} at a time"


AS_THEY_COME = "what comes in rows"

NOT_PLAIN = "what is not plain"
"""Such as +7 for a number: such rows, and some around them, are read row by row."""


def as_it_was(form: Form, rows: int, in_columns: int) -> str:
    """In which form so many rows were read or written, of which so many were in columns.

    >>> as_it_was(Form.TEXT, 9, 9), as_it_was(Form.COLUMNS, 9, 6), as_it_was(Form.COLUMNS, 9, 0)
    ('text', 'columns, 33% in rows', 'rows')
    """
    if not in_columns or form is Form.ROWS:
        return Form.ROWS.value
    left = max(0, rows - in_columns)
    return f"{form.value}, {max(left / rows, 0.01):.0%} in rows" if left else form.value


def in_threads(op: Operator, form: Form) -> bool:
    """Whether columns of a source are decoded by several threads, or those of a sink encoded."""
    coder = op.kind.spec.writer if op.is_sink and op.kind.spec is not None else op.kind.spec
    return form is Form.COLUMNS and coder is not None and coder.in_threads


ONE_BY_ONE: Mapping[str, Form] = {}
"""The sinks of a run whose caller takes items one after another."""
