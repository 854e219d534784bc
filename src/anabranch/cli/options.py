"""What the commands share: the program, NAME=VALUE, options of languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import click

from anabranch.core.errors import UsageError
from anabranch.lang.registry import Option, every_option, takers

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
tune = named("--tune", "NAME=VALUE",
             "Turn a knob of the engine: on multicore heuristic=CT|LP|ET|QST "
             "or queue=hybrid|partitioned, on Spark largest_split=BYTES, gangs=never, and others; "
             "the output stays the same.", "tune")
rules = click.option(
    "--rules", metavar="NAME,...",
    help="The order of optimizations: hoist,fuse if nothing is said; '' for none of them. The "
         "output stays the same.")
on_error = click.option(
    "--on-error", default="stop", show_default=True, metavar="stop|skip|divert=PATH",
    help="What to do with a malformed row, or one that comes late for its window; divert keeps it "
         "in PATH, with the reason.")


def of_languages(command: Callable) -> Callable:
    """Adds what the languages declare; the command gets what was given as the dict `own`."""
    declared = every_option()

    @wraps(command)
    def with_own(**values: object) -> object:
        own = {o.name: value for o in declared
               if (value := values.pop(o.name)) not in (None, {}, ())}
        return command(**values, own=own)

    for option in reversed(declared):
        with_own = _parameter(option)(with_own)
    return with_own


def _parameter(option: Option) -> Callable:
    if option.kind == "files":
        return click.argument(option.name, nargs=-1, metavar=option.metavar)
    help = f"{option.help} [{takers(option)}]"
    if option.kind == "pairs":
        return named(option.spelling, option.metavar, help, option.name)
    settings = {"flag": {"is_flag": True, "default": None},
                "int": {"type": click.IntRange(min=0)}, "text": {}}
    return click.option(option.spelling, option.name, metavar=option.metavar, help=help,
                        **settings[option.kind])


_OPTIONS = (
    click.option("--stream", is_flag=True,
                 help="Read the sources as they grow, until interrupted."),
    click.option("--checkpoint", metavar="FOLDER",
                 help="Where a stream keeps what it needs to go on after an interruption."),
    click.option("--trigger", metavar="once|TIME",
                 help="Stop when all that is there has been read; or a batch every TIME (5s)."),
    click.option("--until-idle", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="End a stream when nothing has come for so long; open windows are emitted."),
    click.option("--files-per-batch", type=click.IntRange(min=1), metavar="N",
                 help="The most files of a source that a batch of a stream reads."),
    click.option("--start-over", is_flag=True,
                 help="Forget the checkpoint and the part files of a stream, and begin anew."),
)


def streams(command: Callable) -> Callable:
    """Adds them to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
