"""Runs suites: one workload after another, each with its results written as soon as it is done."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from anabranch.bench.measurement import Outcome, Plot, Setting, Workload
from anabranch.bench.measuring import Done, outcome_of
from anabranch.bench.report import markdown, plots, readme, results
from anabranch.bench.report.table import show
from anabranch.bench.runner import faults
from anabranch.bench.suites import SUITES
from anabranch.errors import RunError


@dataclass(frozen=True)
class Asked:
    """What to measure, where the results go, and the README to keep, if any."""

    workloads: Mapping[str, list[Workload]]
    setting: Setting
    out: Path
    readme: Path | None = None


def run(asked: Asked, console: Console) -> None:
    """Measures everything; at the end, an answer of ours that is wrong is an error."""
    asked.out.mkdir(parents=True, exist_ok=True)
    done: Done = {}
    wrong = [fault for suite, workloads in asked.workloads.items() for workload in workloads
             for fault in _measured(suite, workload, asked, console, done)]
    if asked.readme is not None:
        readme.update(asked.readme, [{suite: results.read(folder, suite) for suite in SUITES}
                                     for folder in results.folders(asked.out)])
    if wrong:
        raise RunError("an answer of ours is not the sequential engine's", got="; ".join(wrong))


def _measured(suite: str, workload: Workload, asked: Asked, console: Console, done: Done
              ) -> list[str]:
    with console.status(f"{suite} {workload.name}") as status, \
            tempfile.TemporaryDirectory(prefix="anabranch-bench-") as folder:
        def tell(text: str) -> None:
            status.update(f"{suite} {workload.name}: {text}")
        setting = replace(asked.setting, folder=Path(folder), tell=tell)
        outcome = outcome_of(workload, setting, done)
    _kept(suite, workload, outcome, asked)
    show(console, workload, outcome)
    return [f"{suite} {workload.name}, {fault}" for fault in faults(outcome)]


def _kept(suite: str, workload: Workload, outcome: Outcome, asked: Asked) -> None:
    """Into the suite's files, beside what was measured before."""
    known = results.read(asked.out, suite)
    known[workload.name] = results.entry(workload, outcome, asked.setting)
    entries = {w.name: known[w.name] for w in SUITES[suite] if w.name in known}
    results.write(asked.out, suite, entries)
    _shown(asked.out, suite, entries, outcome.plots)


def shown_again(out: Path) -> None:
    """Writes the pages and plots of all results that are there, also of other machines'."""
    for folder in results.folders(out):
        for suite in SUITES:
            entries = results.read(folder, suite)
            if entries:
                _shown(folder, suite, entries, [plot for entry in entries.values()
                                                for plot in results.outcome_of(entry).plots])


def _shown(folder: Path, suite: str, entries: dict[str, dict], drawn: list[Plot]) -> None:
    (folder / f"{suite}.md").write_text(markdown.page(suite, entries))
    plots.draw(folder, suite, drawn)
