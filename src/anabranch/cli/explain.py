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
              help="Say also how this engine runs it.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N",
              help="How many workers that engine has.")
@click.option("--master", metavar="URL", shell_complete=options.completed("masters"),
              help="The Spark master: local[4] has so many cores.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N",
              help="How a run with --limit N goes.")
@click.option("--part-files", is_flag=True, help="How a run with --part-files goes.")
@options.tune
@options.rules
@options.on_error
@click.option("--stream", is_flag=True, help="Say also what is to be known of it as a stream.")
@options.inputs
@options.outputs
@options.parameters
@options.of_languages
def explain(program: Path, format: str, to: str | None, engine: str | None, tune: dict[str, str],
            rules: str | None, stream: bool, parameters: dict[str, str], own: dict[str, object],
            **asked: object) -> None:
    """Shows what was proved about PROGRAM and how it will be run. Nothing is run.

    \b
    Examples:
      anabranch explain alerts.py --engine multicore
      anabranch explain alerts.py --format html --to plan.html
    """
    from anabranch.compile import compile_graph, load
    from anabranch.engine.defaults import origins_told, with_defaults
    from anabranch.engine.run import explained as executed
    from anabranch.explain import explain as explained
    from anabranch.plan.logical.rules import rules_named
    from anabranch.runtime.options import RunOptions

    plan = compile_graph(load(program, parameters, own), rules_named(rules))
    # Streams run on Spark alone, and notes on them are for any engine.
    execution = None
    if engine is not None:
        given = with_defaults(asked | {"engine": engine, "stream": stream and engine == "spark"})
        with origins_told():
            execution = executed(plan, RunOptions(**given, tune=tune or None, rules=rules))
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
