"""The summaries in the README and in other documents, kept by the command.

Between `<!-- bench -->` and `<!-- /bench -->` stand the goals of all suites beside measurements,
between `<!-- bench peers -->` and the same end all measurements of the suite of that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from anabranch.bench.report.figures import COLUMNS, rows
from anabranch.bench.report.markdown import goal_row, table
from anabranch.bench.report.results import outcome_of
from anabranch.errors import UsageError

NOTHING = "Nothing was measured yet."
PLACE = re.compile(r"<!-- bench(?: (\w+))? -->.*?<!-- /bench -->", re.DOTALL)


def update(document: Path, suites: Mapping[str, dict[str, dict]]) -> None:
    """Writes every summary that the document has a place for."""
    text = document.read_text() if document.exists() else ""
    if not PLACE.search(text):
        raise UsageError(f"{document} has no place for the summary", help=(
            "put the lines <!-- bench --> and <!-- /bench --> where it belongs"))
    document.write_text(PLACE.sub(lambda place: _filled(place, suites), text))


def _filled(place: re.Match, suites: Mapping[str, dict[str, dict]]) -> str:
    begin, suite = place[0].partition("\n")[0], place[1]
    text = measured({suite: suites.get(suite, {})}) if suite else summary(suites)
    return f"{begin}\n{text}\n<!-- /bench -->"


def measured(suites: Mapping[str, dict[str, dict]]) -> str:
    """A table of all measurements, with what is absent below."""
    found = [(entry["title"], outcome_of(entry)) for entries in suites.values()
             for entry in entries.values()]
    if not found:
        return NOTHING
    lines = [(title if n == 0 else "", *line[1:]) for title, outcome in found
             for n, line in enumerate(rows(outcome))]
    absent = [f"- {a.contender} is not there in *{title}*: {a.reason}"
              for title, outcome in found for a in outcome.absent]
    return "\n\n".join(filter(None, (table(("workload", *COLUMNS[1:]), lines), "\n".join(absent),
                                     _measured_on(suites))))


def summary(suites: Mapping[str, dict[str, dict]]) -> str:
    """One table of the goals of all suites, and what they were measured on."""
    lines = [(f"{suite} {name}", *goal_row(goal)) for suite, entries in suites.items()
             for name, entry in entries.items() for goal in outcome_of(entry).goals]
    if not lines:
        return NOTHING
    return f"{table(('workload', 'what', 'goal', 'measured', ''), lines)}\n\n{_measured_on(suites)}"


def _measured_on(suites: Mapping[str, dict[str, dict]]) -> str:
    machines = {f"{m['cores']} cores ({m['processor']}), Python {m['python']}, commit {m['commit']}"
                for entries in suites.values() for m in (e["machine"] for e in entries.values())}
    return "Measured on " + "; ".join(sorted(machines)) + "."
