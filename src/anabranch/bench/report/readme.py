"""The summary in the README: goals beside what was measured, kept by the command."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from anabranch.bench.report.markdown import goal_row, table
from anabranch.bench.report.results import outcome_of
from anabranch.errors import UsageError

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


def update(readme: Path, suites: Mapping[str, dict[str, dict]]) -> None:
    """Writes the summary of all results between the two markers."""
    text = readme.read_text() if readme.exists() else ""
    if not (BEGIN in text and END in text):
        raise UsageError(f"{readme} has no place for the summary",
                         help=f"put the lines {BEGIN} and {END} where it belongs")
    marked = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    readme.write_text(marked.sub(lambda _: f"{BEGIN}\n{summary(suites)}\n{END}", text, count=1))


def summary(suites: Mapping[str, dict[str, dict]]) -> str:
    """One table of the goals of all suites, and what they were measured on."""
    lines = [(f"{suite} {name}", *goal_row(goal)) for suite, entries in suites.items()
             for name, entry in entries.items() for goal in outcome_of(entry).goals]
    if not lines:
        return "Nothing was measured yet."
    return f"{table(('workload', 'what', 'goal', 'measured', ''), lines)}\n\n{_measured_on(suites)}"


def _measured_on(suites: Mapping[str, dict[str, dict]]) -> str:
    machines = {f"{m['cores']} cores ({m['processor']}), Python {m['python']}, commit {m['commit']}"
                for entries in suites.values() for m in (e["machine"] for e in entries.values())}
    return "Measured on " + "; ".join(sorted(machines)) + "."
