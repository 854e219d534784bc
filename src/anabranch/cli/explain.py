"""`anabranch explain`: what runs in parallel, how order is kept, and why not elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from anabranch.cli import options


@click.command(short_help="Show what runs in parallel, and why not elsewhere.")
@options.program
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@options.parameters
@options.times
def explain(program: Path, format: str, parameters: dict[str, str],
            times: dict[str, str]) -> None:
    """Shows what was proved about PROGRAM and how it will be run. Nothing is run.

    \b
    Example:
      anabranch explain alerts.py --format json
    """
    from anabranch.compile import compile_graph, load
    from anabranch.explain import explain as explained

    click.echo(explained(compile_graph(load(program, parameters, times)), format))
