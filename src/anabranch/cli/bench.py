"""`anabranch bench`: the door to `benchmarks`, which stands beside the package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import click

from anabranch.core.errors import UsageError
from anabranch.core.source import PACKAGE

ROOT = Path(PACKAGE).parents[1]


@click.command(short_help="Measure how fast it is on this machine.", add_help_option=False,
               context_settings={"ignore_unknown_options": True})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def bench(context: click.Context, arguments: tuple[str, ...]) -> None:
    """Measures workloads, in a checkout of the repository; `anabranch bench --help` says how."""
    command = _command()
    with command.make_context(context.info_name, [*arguments], context.parent) as own:
        command.invoke(own)


def _command() -> click.Command:
    if not (ROOT / "benchmarks" / "command.py").exists():
        raise UsageError("the benchmarks are not installed with the package",
                         help="clone the repository and run `make bench`")
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    return importlib.import_module("benchmarks.command").bench
