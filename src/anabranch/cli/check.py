"""`anabranch check`: declared and inferred facts against what happens on a sample."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options
from anabranch.cli.failures import coloured, show
from anabranch.core.errors import NothingToRunError

if TYPE_CHECKING:
    from anabranch.check import Verdict
    from anabranch.ir.graph import Graph
    from anabranch.runtime.options import RunOptions


@click.command(cls=options.CommandInGroups, short_help="Test declared facts on sample data.")
@options.program
@options.inputs
@click.option("--limit", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N",
              help="How many rows of each source to take as the sample.")
@options.parameters
@options.of_languages
@options.on_error
def check(program: Path, inputs: dict[str, str], limit: int, parameters: dict[str, str],
          on_error: str | None, own: dict[str, object]) -> None:
    """Runs PROGRAM on the first rows of its sources and tests each fact about its operators.

    Nothing is written to the sinks, but the program's functions are called, some of them several
    times for one tuple: in their order and in others, here and in another process, as workers
    would. The exit status is 1 when a fact is broken, whether it was declared or found.

    \b
    Example:
      anabranch check alerts.py --input entries=sample.csv
    """
    from anabranch.check import verdicts
    from anabranch.engine.defaults import with_defaults
    from anabranch.runtime.options import RunOptions

    asked = RunOptions(**with_defaults({"engine": "sequential", "inputs": inputs,
                                        "on_error": on_error}))
    try:
        graph, facts = _analysed(program, asked, parameters, own)
    except NothingToRunError as library:
        show(f"{library.checked} checked; {library.what}")
        return
    found = verdicts(graph, facts, _sample(graph, limit, asked.on_error))
    _show(found)
    if any(v.violation for v in found):
        raise click.exceptions.Exit(1)


def _analysed(program: Path, asked: RunOptions, parameters: dict[str, str],
              own: dict[str, object]):
    from anabranch.analysis.facts.summary import analyse
    from anabranch.compile import load, plan_for
    from anabranch.runtime.ends.binding import bound_graph

    plan = bound_graph(plan_for(load(program, parameters, own), asked), asked)
    return plan.program, analyse(plan.program)


def _sample(graph: Graph, limit: int, on_error: str) -> dict[str, list]:
    from anabranch.io.rows import BadRows

    with BadRows.parse(on_error) as rows:
        return {op.name: list(islice(op.kind.spec.items(rows), limit)) for op in graph.sources}


def _show(found: list[Verdict]) -> None:
    from anabranch.check.report import report

    show(report(found))
    for verdict in found:
        if verdict.violation:
            show("\n" + coloured(str(verdict.violation)))
