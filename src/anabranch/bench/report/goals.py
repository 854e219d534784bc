"""The goals of all suites as lines of one table, each with every machine that measured it.

Work that several suites share is there once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from anabranch.bench.measurement import Goal
from anabranch.bench.report.results import outcome_of
from anabranch.bench.suites import first_place


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
