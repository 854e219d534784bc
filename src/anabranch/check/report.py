"""The verdicts as a table, with a line that sums them up."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from anabranch.check.verdict import Verdict
from anabranch.explain.text import default_console, rendered


def report(verdicts: list[Verdict], console: Console | None = None) -> str:
    """The table and a line that sums it up, within the console's width."""
    parts = [_table(verdicts)] if verdicts else []
    return rendered([*parts, Text(summary(verdicts), "bold")], console or default_console())


def _table(verdicts: list[Verdict]) -> Table:
    """A row for each tested fact: the operator, the fact, what the sample says."""
    shown = Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("operator", "fact", "on the sample"):
        shown.add_column(column, overflow="fold")
    for verdict in verdicts:
        declared = " (declared)" if verdict.declared else ""
        shown.add_row(Text(verdict.operator, "bold"), Text(verdict.fact + declared),
                      Text(str(verdict), _style(verdict)))
    return shown


def _style(verdict: Verdict) -> str:
    if verdict.violation:
        return "bold red"
    return "green" if verdict.tuples else "yellow"


def summary(verdicts: list[Verdict]) -> str:
    """Such as "4 facts checked: 1 broken"."""
    broken = sum(v.violation is not None for v in verdicts)
    count = f"{len(verdicts)} fact{'' if len(verdicts) == 1 else 's'} checked"
    return f"{count}: {broken} broken" if broken else f"{count}, none broken"
