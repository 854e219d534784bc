"""Results as Markdown: a page for each suite."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple

from benchmarks.measurement import Goal, Outcome
from benchmarks.report.figures import BESIDE, COLUMNS, rows
from benchmarks.report.results import outcome_of


def page(suite: str, entries: dict[str, dict]) -> str:
    """The whole page of a suite."""
    parts = [f"# Benchmarks: {suite}",
             "Medians; `spread` is how far the slowest run is from the fastest, `speed` is "
             "relative to the first contender of a case, from runs in alternating order. Every "
             "answer was compared with the sequential engine's: *in order* means the same "
             "sequence."]
    for name, entry in entries.items():
        parts += _section(suite, name, entry)
    return "\n\n".join(parts) + "\n"


def _section(suite: str, name: str, entry: dict) -> list[str]:
    outcome = outcome_of(entry)
    parts = [f"## {name}: {entry['title']}", _machine(entry)]
    if outcome.measurements:
        parts.append(table(COLUMNS, rows(outcome)))
    if outcome.absent:
        parts.append("\n".join(f"- Not there: {a.contender} ({a.case}): {a.reason}"
                               for a in outcome.absent))
    if outcome.goals:
        parts.append(table(("goal", "wanted", "measured", ""), map(goal_row, outcome.goals)))
    if outcome.beside:
        parts.append(table(BESIDE, map(astuple, outcome.beside)))
    parts += [f"![{plot.title}]({suite}-{plot.name}.png)" for plot in outcome.plots]
    return parts + ([_list(outcome)] if outcome.notes else [])


def goal_row(goal: Goal) -> tuple[str, ...]:
    return goal.what, goal.wanted, goal.measured, goal.word


def _list(outcome: Outcome) -> str:
    return "\n".join(f"- {note}" for note in outcome.notes)


def _machine(entry: dict) -> str:
    m = entry["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in m["versions"].items())
    return (f"{entry['rows']:,} rows, {entry['repeat']} runs each; {m['measured']}, commit "
            f"{m['commit']}; {m['cores']} cores ({m['processor']}), {m['memory']}, load "
            f"{m['load']}; Python {m['python']}, {versions}")


def table(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """
    >>> print(table(("a", "b"), [("1", "x|y")]))
    | a | b |
    |---|---|
    | 1 | x\\|y |
    """
    shown = [columns, ["---"] * len(columns), *lines]
    texts = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in shown]
    texts[1] = "|" + "---|" * len(columns)
    return "\n".join(texts)
