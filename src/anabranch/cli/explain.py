"""`anabranch explain`: what runs in parallel, how order is kept, and why not."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options
from anabranch.cli.failures import show

if TYPE_CHECKING:
    from rich.console import Console


@click.command(cls=options.CommandInGroups,
               short_help="Show what runs in parallel, and why not elsewhere.")
@options.program
@click.option("--format", type=click.Choice(["text", "json", "svg", "html"]), default="text",
              show_default=True, help="A table, data, a drawing, or a page with drawings.")
@click.option("--to", metavar="FILE", shell_complete=options.completed("paths"),
              help="Write it to FILE instead of standard output.")
@click.option("--engine", metavar="NAME", shell_complete=options.completed("engines"),
              help="Say also how this engine runs it, with the other options.")
@options.of_runs
@options.parameters
@options.of_languages
def explain(program: Path, format: str, to: str | None, parameters: dict[str, str],
            own: dict[str, object], tune: dict[str, str], **asked: object) -> None:
    """Shows what was proved about PROGRAM and how it will be run. Nothing is run.

    With --engine it says also how that engine runs it, given the other options of a run.

    \b
    Examples:
      anabranch explain alerts.py --engine multicore
      anabranch explain alerts.py --format html --to plan.html
    """
    from anabranch.compile import load, plan_for
    from anabranch.engine.defaults import origins_told, with_defaults
    from anabranch.engine.run import explained as executed
    from anabranch.explain import explain as explained
    from anabranch.runtime.options import RunOptions

    # Streams run on Spark alone, and notes on them are for any engine.
    stream, execution = asked["stream"], None
    if asked["engine"] != "spark":
        asked.pop("stream")
    with origins_told():
        wanted = RunOptions(**with_defaults(asked), tune=tune or None)
        plan = plan_for(load(program, parameters, own), wanted)
        if asked["engine"] is not None:
            execution = executed(plan, wanted)
    if to is None:
        show(explained(plan, format, execution=execution, stream=stream))
    else:
        _write(to, explained(plan, format, _plain() if format == "text" else None, execution,
                             stream))


def _plain() -> Console:
    """A file has no colours, whatever the terminal has."""
    from rich.console import Console

    from anabranch.explain.text import PIPED_WIDTH

    return Console(file=StringIO(), width=PIPED_WIDTH)


def _write(path: str, text: str) -> None:
    from anabranch.io.files.output import write_whole

    write_whole(path, f"{text.rstrip()}\n")
