"""`anabranch run`: the program's output, and a line about it on standard error."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options

if TYPE_CHECKING:
    from anabranch.engine.base import RunReport
    from anabranch.ir.graph import Graph


@click.command(short_help="Run a program.")
@options.program
@click.option("--engine", metavar="NAME", help="sequential, multicore or spark.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="How many workers to use.")
@click.option("--master", metavar="URL", help="The Spark master to run on.")
@options.inputs
@options.outputs
@options.parameters
@click.option("--limit", type=click.IntRange(min=0), metavar="N",
              help="Stop after N tuples of the sources.")
@click.option("--on-error", default="stop", show_default=True, metavar="stop|skip|divert=PATH",
              help="What to do with a malformed row; divert keeps it in PATH, with the reason.")
def run(program: Path, parameters: dict[str, str], **asked: object) -> None:
    """Runs PROGRAM from its sources to its sinks.

    \b
    Example:
      anabranch run alerts.py --input entries=logs.csv --set threshold=200
    """
    from anabranch.compile import compile_graph, load
    from anabranch.engine.base import RunOptions, engine, execute

    settings = {name: value for name, value in asked.items() if value is not None}
    engine(RunOptions(**settings).engine)
    plan = compile_graph(load(program, parameters))
    with _progress(plan.graph, settings["outputs"]) as progress:
        report = execute(plan, RunOptions(**settings, progress=progress))
    sys.stdout.flush()
    click.echo(summary(report), err=True)


def _progress(graph: Graph, outputs: dict[str, str]):
    """A display of the rows read, where it does not get in the way of the program's output."""
    if not sys.stderr.isatty() or (sys.stdout.isatty() and _writes_stdout(graph, outputs)):
        return nullcontext()
    from anabranch.cli.progress import rows_read

    return rows_read([op.name for op in graph.sources])


def _writes_stdout(graph: Graph, outputs: dict[str, str]) -> bool:
    """Whether some sink has no file of its own."""
    return any(outputs.get(op.name, getattr(op.kind.spec, "path", None)) in (None, "-")
               for op in graph.sinks)


def summary(report: RunReport) -> str:
    """What was read and written, and how long it took; bad rows on a line of their own."""
    line = (f"read {_rows(report.read)}, wrote {_rows(report.written)} "
            f"in {report.seconds:.2f} s")
    return f"{report.bad_rows}\n{line}" if report.bad_rows else line


def _rows(counts: dict[str, int]) -> str:
    """Such as '3 rows', with the names where there are several.

    >>> _rows({"entries": 1200}), _rows({"a": 1, "b": 2})
    ('1,200 rows (entries)', '3 rows (a 1, b 2)')
    """
    total = sum(counts.values())
    several = len(counts) > 1
    names = ", ".join(f"{name} {n:,}" if several else name for name, n in counts.items())
    return f"{total:,} row{'' if total == 1 else 's'} ({names})"
