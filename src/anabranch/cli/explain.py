"""`anabranch explain`: what runs in parallel, how order is kept, and why not elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options

if TYPE_CHECKING:
    from anabranch.plan import Plan


@click.command(short_help="Show what runs in parallel, and why not elsewhere.")
@options.program
@click.option("--format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--engine", metavar="NAME", help="Say also how this engine runs it.")
@options.inputs
@options.outputs
@options.parameters
@options.of_languages
def explain(program: Path, format: str, engine: str | None, inputs: dict[str, str],
            outputs: dict[str, str], parameters: dict[str, str], own: dict[str, object]) -> None:
    """Shows what was proved about PROGRAM and how it will be run. Nothing is run.

    \b
    Example:
      anabranch explain alerts.py --engine multicore
    """
    from anabranch.compile import compile_graph, load
    from anabranch.explain import explain as explained

    plan = compile_graph(load(program, parameters, own))
    click.echo(explained(plan, format, execution=_execution(engine, plan, inputs, outputs)))


def _execution(name: str | None, plan: Plan, inputs: dict[str, str], outputs: dict[str, str]):
    if name is None:
        return None
    from anabranch.engine.base import RunOptions, engine
    from anabranch.engine.ends import bound_graph

    chosen = engine(name)
    return chosen.execution(bound_graph(plan, RunOptions(inputs=inputs, outputs=outputs)))
