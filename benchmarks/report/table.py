"""Results in the terminal."""

from __future__ import annotations

from dataclasses import astuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.measurement import Outcome, Workload
from benchmarks.report.figures import BESIDE, COLUMNS, rows

STYLES = {"in order": "green", "not in order": "yellow", "wrong": "bold red",
          "reached": "green", "not reached": "yellow", "not measured": "dim"}
WORDY = ("case", "goal", "contender", *BESIDE)
RIGHT = ("rows/s", "spread", "speed", "start-up", "lines")


def show(console: Console, workload: Workload, outcome: Outcome) -> None:
    """Prints what was measured of one workload, and the goals beside it."""
    console.print(Text.assemble((workload.name, "bold"), f"  {workload.title}"))
    if outcome.measurements:
        console.print(_measurements(outcome))
    for absent in outcome.absent:
        console.print(Text(f"  not there: {absent.contender} ({absent.case}): {absent.reason}",
                           "yellow"))
    if outcome.goals:
        console.print(_goals(outcome))
    if outcome.beside:
        console.print(_beside(outcome))
    for note in outcome.notes:
        console.print(Text(f"  {note}", "dim"))
    console.print()


def _measurements(outcome: Outcome) -> Table:
    lines = rows(outcome)
    # A column without a single entry would only take room.
    shown = [i for i in range(len(COLUMNS)) if any(line[i] for line in lines)]
    table = _table([COLUMNS[i] for i in shown])
    for line in lines:
        table.add_row(*(_styled(line[i]) for i in shown))
    return table


def _goals(outcome: Outcome) -> Table:
    table = _table(["goal", "wanted", "measured", ""])
    for goal in outcome.goals:
        table.add_row(goal.what, goal.wanted, goal.measured, _styled(goal.word))
    return table


def _beside(outcome: Outcome) -> Table:
    table = _table(list(BESIDE))
    for line in outcome.beside:
        table.add_row(*astuple(line))
    return table


def _table(columns: list[str]) -> Table:
    table = Table(box=None, header_style="dim", padding=(0, 2, 0, 2), pad_edge=True)
    for column in columns:
        table.add_column(column, justify="right" if column in RIGHT else "left",
                         no_wrap=column not in WORDY)
    return table


def _styled(text: str) -> Text:
    return Text(text, STYLES.get(text, ""))
