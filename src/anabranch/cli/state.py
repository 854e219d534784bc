"""`anabranch state`: what a stream has kept, and what a changed program makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from anabranch.cli import options
from anabranch.core.errors import UsageError

if TYPE_CHECKING:
    from anabranch.engine.spark.kept import KeptState


@click.group(short_help="Show, compare and migrate what a stream has kept.")
def state() -> None:
    """The checkpoint of a stream: of `run --stream`, or of a query over Spark DataFrames."""


checkpoint = click.argument("checkpoint", metavar="CHECKPOINT")


@state.command(cls=options.CommandInGroups, short_help="Print the state of each key.")
@checkpoint
@click.option("--operator", metavar="NAME", help="Only this operator's.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="At most N keys.")
@click.option("--master", metavar="URL", default="local[1]", show_default=True,
              help="The Spark that reads the checkpoint of a query over DataFrames.")
def show(checkpoint: str, operator: str | None, limit: int | None, master: str) -> None:
    """Prints a JSON line for each key that an operator knows: its name, the key, the state.

    \b
    Example:
      anabranch state show state/alerts --operator overdrawn --limit 10
    """
    from anabranch.engine.spark.kept import is_of_query, kept_by_stream

    if is_of_query(checkpoint):
        _show_query(checkpoint, operator, limit, master)
    else:
        _print(kept_by_stream(checkpoint), operator, limit)


def _show_query(checkpoint: str, operator: str | None, limit: int | None, master: str) -> None:
    from anabranch.engine.spark.session.requirements import check_installed

    check_installed()
    from pyspark.sql import SparkSession

    from anabranch.engine.spark.kept import ROCKS, STORE, kept_by_query
    from anabranch.engine.spark.session.context import spark_context

    with spark_context(master, None) as context:
        session = SparkSession(context).newSession()
        session.conf.set(f"{STORE}.providerClass", ROCKS)
        _print(kept_by_query(session, checkpoint), operator, limit)


def _print(found: Iterable[KeptState], operator: str | None, limit: int | None) -> None:
    chosen = (each for each in found if operator in (None, each.operator))
    for each in islice(chosen, limit):
        click.echo(json.dumps(each._asdict(), ensure_ascii=False))


@state.command(cls=options.CommandInGroups,
               short_help="Tell what has changed since the stream began.")
@checkpoint
@options.program
@options.inputs
@options.outputs
@options.parameters
@options.of_languages
def diff(checkpoint: str, program: Path, inputs: dict[str, str], outputs: dict[str, str],
         parameters: dict[str, str], own: dict[str, object]) -> None:
    """Tells which operators of PROGRAM are not those of the checkpoint, and whether the stream goes
    on with them. The exit status is 1 if it does not."""
    from anabranch.compile import load, plan_for
    from anabranch.engine.spark.stream.migration import differences
    from anabranch.runtime.ends.binding import bound_graph
    from anabranch.runtime.options import RunOptions

    _check_of_stream(checkpoint, "its program tells: stream.state_changes(CHECKPOINT), in Python")
    asked = RunOptions("spark", inputs=inputs, outputs=outputs)
    plan = bound_graph(plan_for(load(program, parameters, own), asked), asked)
    found = list(differences(checkpoint, plan.program))
    for each in found:
        click.echo(f"{each.operator}: {'accepted' if each.accepted else 'refused'}")
        click.echo(f"  - {each.before or 'nothing of this name'}")
        click.echo(f"  + {each.now or 'nothing of this name'}")
    if not found:
        click.echo("nothing has changed")
    if not all(each.accepted for each in found):
        raise click.exceptions.Exit(1)


@state.command(cls=options.CommandInGroups,
               short_help="Give operators of a checkpoint the names that they have now.")
@checkpoint
@click.option("--rename", "renamed", multiple=True, metavar="OLD=NEW",
              help="The operator OLD of the checkpoint is NEW in the program.")
@click.option("--drop", "dropped", multiple=True, metavar="NAME",
              help="The program has no operator NAME any more, and nobody needs its state.")
def migrate(checkpoint: str, renamed: tuple[str, ...], dropped: tuple[str, ...]) -> None:
    """Renames operators in the checkpoint of a stream that does not run, or gives up their state.

    \b
    Example:
      anabranch state migrate state/alerts --rename running=balance --drop audited
    """
    from anabranch.engine.spark.stream.migration import drop, rename

    _check_of_stream(checkpoint, "its program says so: apply(operator, name='OLD'), and "
                                 "to_spark(dropped=['OLD']) for what is gone")
    names = dict(each.split("=", 1) if "=" in each else (each, "") for each in renamed)
    for old, new in names.items():
        if not new:
            raise click.UsageError(f"--rename {old}: OLD=NEW is expected")
    if not names and not dropped:
        raise click.UsageError("--rename or --drop says what to do")
    if names:
        rename(checkpoint, names)
    if dropped:
        drop(checkpoint, dropped)
    for old, new in names.items():
        click.echo(f"{old} is {new} now", err=True)
    for name in dropped:
        click.echo(f"the state of {name} is given up by a program without it", err=True)


def _check_of_stream(path: str, help: str) -> None:
    """Refuses the checkpoint of a query over DataFrames, which knows no program file."""
    from anabranch.engine.spark.kept import is_of_query

    if is_of_query(path) and ("://" in path or Path(path, "offsets").exists()):
        raise UsageError("the checkpoint is of a query over DataFrames", path, help=help)
