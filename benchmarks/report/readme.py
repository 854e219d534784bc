"""The summaries in the README and in other documents, kept by the command.

    <!-- bench -->                      the goals of all suites beside what was measured
    <!-- bench highlights -->           five of them, for a first look
    <!-- bench peers -->                all measurements of a suite
    <!-- bench multicore scaling -->    those of one workload, on every machine

each up to `<!-- /bench -->`. The goals of all suites are lines of one table, each with every
machine that measured it; work that several suites share is there once. The first of several
machines is the one that the command runs on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from anabranch.core.errors import UsageError
from benchmarks.measurement import Goal
from benchmarks.report.figures import COLUMNS, rows
from benchmarks.report.markdown import table
from benchmarks.report.results import outcome_of
from benchmarks.suites import first_place


class Found(NamedTuple):
    """A goal of a workload, and how many cores the machine had."""

    workload: str
    goal: Goal
    cores: int

    @property
    def is_measured(self) -> bool:
        return self.goal.reached is not None

    @property
    def line(self) -> tuple[str, ...]:
        goal = self.goal
        cores = str(self.cores) if self.is_measured else ""
        return self.workload, goal.what, goal.wanted, goal.measured, cores, goal.word


def goals_of(machines: Sequence[Mapping[str, Mapping[str, dict]]]) -> list[tuple[str, ...]]:
    """Those that no machine has measured are there once."""
    lines: dict[str, dict[str, list[Found]]] = {}
    for found in _all(machines):
        lines.setdefault(found.workload, {}).setdefault(found.goal.what, []).append(found)
    return [found.line for goals in lines.values() for same in goals.values()
            for found in ([each for each in same if each.is_measured] or same[:1])]


def _all(machines: Sequence[Mapping[str, Mapping[str, dict]]]) -> Iterator[Found]:
    places = dict.fromkeys((suite, name) for suites in machines for suite, entries in suites.items()
                           for name in entries)
    for suite, name in places:
        first = first_place(suite, name)
        if first == (suite, name) or first not in places:
            for entry in (suites[suite][name] for suites in machines
                          if name in suites.get(suite, {})):
                for goal in outcome_of(entry).goals:
                    yield Found(f"{suite} {name}", goal, entry["machine"]["cores"])


NOTHING = "Nothing was measured yet."
PLACE = re.compile(r"<!-- bench(?: (\w+))?(?: ([\w-]+))? -->.*?<!-- /bench -->", re.DOTALL)
HIGHLIGHTS = {
    ("multicore w1", "Parquet to Parquet, against Polars"):
        "running balances of 10,000 users, Parquet to Parquet, two cores: times Polars",
    ("multicore w1", "Parquet to Parquet, against a plain loop"):
        "the same: times a plain Python loop",
    ("peers w1", "against the fastest system for streams"):
        "the same from CSV to CSV: times the fastest of Bytewax, Pathway, PyFlink and PySpark",
    ("spark w1", "against the faster of both"):
        "the same as a stream on Spark: times PySpark by hand, with state for each key",
    ("multicore latency", "1,000 rows/s offered, median"):
        "from a row to its output, median at 1,000 rows a second",
}
"""What stands in the README, by workload and goal."""
OF_A_RUN = 6
"""So many columns have what was measured of runs; the others are of a program."""

Suites = Mapping[str, Mapping[str, dict]]
"""Entries by suite and workload, of one machine."""


def update(document: Path, machines: Sequence[Suites]) -> None:
    """Writes every summary that the document has a place for."""
    text = document.read_text() if document.exists() else ""
    if not PLACE.search(text):
        raise UsageError(f"{document} has no place for the summary", help=(
            "put the lines <!-- bench --> and <!-- /bench --> where it belongs"))
    document.write_text(PLACE.sub(lambda place: _filled(place, machines), text))


def _filled(place: re.Match, machines: Sequence[Suites]) -> str:
    begin, suite, workload = place[0].partition("\n")[0], place[1], place[2]
    if workload:
        text = _everywhere([found[suite][workload] for found in machines
                            if workload in found.get(suite, {})])
    elif suite == "highlights":
        text = highlights(machines)
    else:
        text = _suite(machines[0].get(suite, {})) if suite else summary(machines)
    return f"{begin}\n{text or NOTHING}\n<!-- /bench -->"


def _everywhere(entries: Sequence[dict]) -> str:
    """What several machines gave, one after the other."""
    return "\n\n".join(
        f"{measured_on([entry])}\n\n"
        f"{table(COLUMNS[:OF_A_RUN], [line[:OF_A_RUN] for line in rows(outcome_of(entry))])}"
        for entry in entries)


def _suite(entries: Mapping[str, dict]) -> str:
    """A table of all measurements, with what is absent below."""
    found = [(entry["title"], outcome_of(entry)) for entry in entries.values()]
    if not found:
        return ""
    lines = [(title if n == 0 else "", *line[1:]) for title, outcome in found
             for n, line in enumerate(rows(outcome))]
    absent = [f"- {a.contender} is not there in *{title}*: {a.reason}"
              for title, outcome in found for a in outcome.absent]
    return "\n\n".join(filter(None, (table(("workload", *COLUMNS[1:]), lines), "\n".join(absent),
                                     measured_on(entries.values()))))


def summary(machines: Sequence[Suites]) -> str:
    """One table of the goals of all suites, and what they were measured on."""
    lines = goals_of(machines)
    if not lines:
        return ""
    entries = chain.from_iterable(found.values() for suites in machines
                                  for found in suites.values())
    columns = ("workload", "what", "goal", "measured", "cores", "")
    return f"{table(columns, lines)}\n\n{measured_on(entries)}"


def highlights(machines: Sequence[Suites]) -> str:
    """Of what was measured on several machines, what the first one gave."""
    measured = {found.line[:2]: found.goal.measured for found in reversed(list(_all(machines)))
                if found.is_measured}
    lines = [(said, measured[place]) for place, said in HIGHLIGHTS.items() if place in measured]
    return table(("workload", "measured"), lines) if lines else ""


def measured_on(entries: Iterable[dict]) -> str:
    """Every machine once, with the commits that were measured on it.

    >>> entry = {"cores": 2, "processor": "P", "python": "3.11.7"}
    >>> measured_on([{"machine": entry | {"commit": commit}} for commit in ("b", "a", "b")])
    'Measured on 2 cores (P), Python 3.11.7, commits a, b.'
    """
    commits: dict[str, set[str]] = {}
    for m in (entry["machine"] for entry in entries):
        machine = f"{m['cores']} cores ({m['processor']}), Python {m['python']}"
        commits.setdefault(machine, set()).add(m["commit"])
    return "Measured on " + "; ".join(
        f"{machine}, commit{'s' if len(names) > 1 else ''} {', '.join(sorted(names))}"
        for machine, names in commits.items()) + "."
