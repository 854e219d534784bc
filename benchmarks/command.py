"""The command, which measures, checks every answer, and reports.

Suites are run one workload after another, each with its results written as soon as it is done.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.console import Console

from anabranch.cli.failures import failures, terminable
from anabranch.core.errors import RunError, UsageError
from benchmarks.measurement import Done, Outcome, Plot, Setting, Workload, outcome_of
from benchmarks.report import markdown, plots, readme, results
from benchmarks.report.table import show
from benchmarks.runner import faults
from benchmarks.suites import DEFAULT, SUITES, chosen, expanded

ROWS = 2_000_000
QUICK = 10
README, GOALS = Path("README.md"), Path("docs", "benchmarks.md")
WIDTH = 110


class Command(click.Command):
    """A command that never ends in a traceback, also where it belongs to no group."""

    def invoke(self, ctx: click.Context) -> object:
        with failures(), terminable():
            return super().invoke(ctx)


@click.command(cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--suite", "suites", multiple=True, metavar="NAME",
              help="A suite to run. May be repeated; core and multicore if not given.")
@click.option("--only", multiple=True, metavar="WORKLOAD",
              help="Only this workload. May be repeated.")
@click.option("--rows", type=click.IntRange(min=1), metavar="N",
              help=f"How many rows; {ROWS:,} if not given.")
@click.option("--quick", is_flag=True, help=f"With 1/{QUICK} of the work.")
@click.option("--repeat", type=click.IntRange(min=3), default=3, show_default=True, metavar="N",
              help="How often each is run; medians are shown.")
@click.option("--workers", metavar="N,N", help="How many workers to use, at most two of them.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              default=Path("benchmarks", "results"), show_default=True,
              help="Where results go, beside earlier ones.")
@click.option("--readme", type=click.Path(path_type=Path, dir_okay=False), is_flag=False,
              flag_value=README, metavar="[FILE]",
              help="Also write the summaries into this file, between its markers; into README.md "
                   "and docs/benchmarks.md if no file is named.")
@click.option("--no-run", is_flag=True,
              help="Measure nothing: write pages and summary of the results that are there.")
@click.option("--list", "listed", is_flag=True, help="List the suites and their workloads.")
def bench(suites: tuple[str, ...], only: tuple[str, ...], listed: bool, no_run: bool,
          **asked: object) -> None:
    """Measures workloads, checks every answer and its order, and says which goals are reached.

    \b
    Example:
      python -m benchmarks --suite multicore --only w1 --only w2 --quick
    """
    workloads = chosen(suites or DEFAULT, only)
    if listed:
        _list(suites)
    else:
        _run({} if no_run else workloads, **asked)


def _list(suites: tuple[str, ...]) -> None:
    for suite in expanded(suites) or SUITES:
        click.echo(click.style(suite, bold=True))
        width = max(len(workload.name) for workload in SUITES[suite])
        for workload in SUITES[suite]:
            click.echo(f"  {workload.name:<{width}}  {workload.title}")


def _run(workloads: dict, rows: int | None, quick: bool, repeat: int, workers: str | None,
         out: Path, readme: Path | None) -> None:
    rows = rows or (ROWS // QUICK if quick else ROWS)
    scale = min(1.0, rows / ROWS)
    setting = Setting(Path(), rows, repeat, _workers(workers), scale)
    if not workloads:
        shown_again(out)
    pages = () if readme is None else (README, GOALS) if readme == README else (readme,)
    run(Asked(workloads, setting, out, pages), _console(Console()))


def _console(console: Console) -> Console:
    """Wide enough for the tables also where no terminal says how wide it is."""
    if not console.is_terminal:
        console.width = max(console.width, WIDTH)
    return console


def _workers(text: str | None) -> tuple[int, ...]:
    """
    >>> _workers("1,4")
    (1, 4)
    """
    if text is None:
        return (1, os.cpu_count() or 1)
    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise UsageError(f"--workers {text} is not understood", expected="numbers, such as 1,2")
    return counts


@dataclass(frozen=True)
class Asked:
    """What to measure, where the results go, and the pages to keep."""

    workloads: Mapping[str, list[Workload]]
    setting: Setting
    out: Path
    pages: tuple[Path, ...] = ()


def run(asked: Asked, console: Console) -> None:
    """Measures everything; at the end, an answer of ours that is wrong is an error."""
    asked.out.mkdir(parents=True, exist_ok=True)
    done: Done = {}
    wrong = [fault for suite, workloads in asked.workloads.items() for workload in workloads
             for fault in _measured(suite, workload, asked, console, done)]
    machines = [{suite: results.read(folder, suite) for suite in SUITES}
                for folder in results.folders(asked.out)] if asked.pages else []
    for page in asked.pages:
        readme.update(page, machines)
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
