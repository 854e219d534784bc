"""What the commands share: the program, and options of the form NAME=VALUE."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from anabranch.errors import UsageError

program = click.argument("program", type=click.Path(path_type=Path))


def pairs(ctx: click.Context, option: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """The values of a repeatable option by name; each name at most once."""
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value):
            raise UsageError(f"{option.opts[0]} {text} is not understood",
                             expected=f"{option.opts[0]} {option.metavar}")
        if name in values:
            raise UsageError(f"{option.opts[0]} {name}=... is given twice",
                             got=f"{values[name]} and {value}")
        values[name.strip()] = value
    return values


def named(option: str, metavar: str, help: str, parameter: str) -> Callable:
    """A repeatable option NAME=VALUE, given to the command as a dict."""
    return click.option(option, parameter, multiple=True, metavar=metavar, callback=pairs,
                        help=f"{help} May be repeated.")


inputs = named("--input", "NAME=PATH", "Read the source NAME from PATH ('-': standard input).",
               "inputs")
outputs = named("--output", "NAME=PATH", "Write the sink NAME to PATH ('-': standard output).",
                "outputs")
parameters = named("--set", "NAME=VALUE", "Set the program's parameter NAME.", "parameters")
on_error = click.option(
    "--on-error", default="stop", show_default=True, metavar="stop|skip|divert=PATH",
    help="What to do with a malformed row; divert keeps it in PATH, with the reason.")
times = named("--time", "NAME=ATTRIBUTE", "The attribute with the timestamps of the input NAME, in "
              "languages that do not declare it.", "times")
