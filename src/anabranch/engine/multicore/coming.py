"""How many rows the sources of a program will give, as far as that is known before they do."""

from __future__ import annotations

from anabranch.ir.graph import Graph


def rows_to_come(graph: Graph, limit: int | None) -> int | None:
    """How many rows may come, if that is known."""
    rows = [_rows_about(op.kind.spec) for op in graph.sources]
    known = [] if None in rows else [sum(rows)]
    return min([*known, *([] if limit is None else [limit])], default=None)


def rows_known(graph: Graph) -> int:
    """So many rows are known to come, about, if nothing limits them."""
    return sum(_rows_about(op.kind.spec) or 0 for op in graph.sources)


def _rows_about(spec: object) -> int | None:
    """A guess at how many rows a source has; None when it cannot be known."""
    # A pipe has no size.
    known = hasattr(spec, "rows_about") and (spec.replayable or not hasattr(spec, "path"))
    return spec.rows_about() if known else None
