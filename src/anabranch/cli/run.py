"""`anabranch run`: the program's output, and a line about it on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options
from anabranch.cli.failures import is_closed_pipe, say
from anabranch.cli.startup import settle
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.defaults import origins_told, with_defaults
from anabranch.engine.run import engine, execute
from anabranch.ir.ends import STANDARD
from anabranch.runtime.options import RunOptions, RunReport

if TYPE_CHECKING:
    from anabranch.ir.graph import Graph


@click.command(cls=options.CommandInGroups, short_help="Run a program.")
@options.program
@options.engine
@options.of_runs
@options.parameters
@options.of_languages
@click.option("--stats", type=click.Choice(["text", "json"]), is_flag=False, flag_value="text",
              help="Show what each stage did, on standard error.")
def run(program: Path, parameters: dict[str, str], own: dict[str, object], stats: str | None,
        tune: dict[str, str], **asked: object) -> None:
    """Runs PROGRAM from its sources to its sinks.

    \b
    Example:
      anabranch run alerts.py --input entries=logs.csv --set threshold=200
    """
    from anabranch.compile import load, plan_for

    with origins_told():
        wanted = RunOptions(**with_defaults(asked), tune=tune or None)
        engine(wanted.engine)
        plan = plan_for(load(program, parameters, own), wanted)
        settle()
        with _progress(plan.program, wanted) as progress, _all_or_none(plan.program):
            report = execute(plan, replace(wanted, progress=progress))
    say(summary(report))
    if stats:
        from anabranch.cli.stats import stats as shown

        say(shown(report, stats))


@contextmanager
def _all_or_none(graph: Graph) -> Iterator[None]:
    """A reader that goes away early ends the run: with other sinks to write, that is a failure."""
    try:
        yield
    except AnabranchError as error:
        others = len(graph.sinks) > 1 and is_closed_pipe(error)
        if not others:
            raise
        raise RunError("standard output was closed before the end, so no sink was written",
                       help="write that sink to a file with --output NAME=PATH") from None


def _progress(graph: Graph, asked: RunOptions):
    """A display of how the run gets on, where it does not get in the way of the program's output:
    before Spark has started there is none."""
    in_the_way = sys.stdout.isatty() and _writes_stdout(graph, asked.outputs)
    if not sys.stderr.isatty() or (in_the_way and asked.engine != "spark"):
        return nullcontext()
    from anabranch.cli.progress import rows_read

    return rows_read([op.name for op in graph.sources], until="reading" if in_the_way else None)


def _writes_stdout(graph: Graph, outputs: dict[str, str]) -> bool:
    """Whether some sink has no file of its own."""
    return any(outputs.get(op.name, STANDARD if op.kind.spec is None else op.kind.spec.place)
               == STANDARD for op in graph.sinks)


def summary(report: RunReport) -> str:
    """What was read and written, in how many batches, and how long it took; what else there is to
    say, on lines of its own."""
    how = {"rows": "", "loop": "", "mixed": " (mixed tiers)"}.get(
        report.tier, f" ({report.tier} kernel)")
    batches = f"{report.batches:,} batch{'' if report.batches == 1 else 'es'}, "
    rows = f"read {_rows(report.read)}, wrote {_rows(report.written)}"
    in_batches = f" in {batches if report.batches else ''}"
    if report.started is None:
        took = f"{in_batches}{report.seconds:.2f} s{how}"
    else:
        took = (f"{in_batches.rstrip(' ,') if report.batches else ''}{how}: Spark started in "
                f"{report.started:.1f} s, ran {report.seconds - report.started:.1f} s")
    return "\n".join(filter(None, (report.bad_rows, report.note, rows + took)))


def _rows(counts: dict[str, int]) -> str:
    """Such as '3 rows', with the names where there are several.

    >>> _rows({"entries": 1200}), _rows({"a": 1, "b": 2})
    ('1,200 rows (entries)', '3 rows (a 1, b 2)')
    """
    total = sum(counts.values())
    several = len(counts) > 1
    names = ", ".join(f"{name} {n:,}" if several else name for name, n in counts.items())
    return f"{total:,} row{'' if total == 1 else 's'} ({names})"
