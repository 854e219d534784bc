"""The figures of an operator at the end of a run, in words."""

from __future__ import annotations

COLUMNS = ("rows in", "rows out", "out/in", "us/row", "busy s", "queue", "workers")
"""The last two: now, and the most there ever were."""


def figures(operator) -> list[str]:
    """What is not known is left out."""
    cost = None if operator.cost is None else operator.cost * 1e6
    known = ((operator.rows_in, "{:,}"), (operator.rows_out, "{:,}"),
             (operator.selectivity, "{:.2f}"), (cost, "{:.2f}"), (operator.seconds, "{:.3f}"),
             (operator.queue, f"{{}} ({operator.longest_queue})"),
             (operator.workers, f"{{}} ({operator.most_workers})"))
    return ["" if value is None else form.format(value) for value, form in known]
