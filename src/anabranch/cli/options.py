"""What the commands share: the program, NAME=VALUE, options of languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import click

from anabranch.core.errors import UsageError
from anabranch.lang.registry import Option, every_option, takers

WHERE, ENDS, PROGRAM, STREAMS, TOLD, OTHER = (
    "Where and how it runs", "Sources and sinks", "The program", "Streams", "What is told", "Other")
GROUPS = {
    WHERE: ("engine", "workers", "master", "keep_spark", "tune", "rules"),
    ENDS: ("inputs", "outputs", "limit", "on_error", "single_file", "part_files"),
    PROGRAM: ("parameters", *(option.name for option in every_option())),
    STREAMS: ("stream", "checkpoint", "trigger", "until_idle", "files_per_batch", "start_over"),
    TOLD: ("format", "to", "stats", "report"),
}
"""The options of commands, by what they are about."""


class CommandInGroups(click.Command):
    """A command whose help has its many options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, records in grouped(self, ctx):
            with formatter.section(title):
                formatter.write_dl(records)


def grouped(command: click.Command, context: click.Context
            ) -> list[tuple[str, list[tuple[str, str]]]]:
    """The groups of a command's options, each option with its help."""
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in (*GROUPS, OTHER)}
    of = {name: title for title, names in GROUPS.items() for name in names}
    for option in command.get_params(context):
        record = option.get_help_record(context) if isinstance(option, click.Option) else None
        if record:
            found[of.get(option.name, OTHER)].append(record)
    return [(title, records) for title, records in found.items() if records]



def completed(what: str) -> Callable:
    """What `cli.values` calls so completes a value; it is imported when Tab is pressed."""
    def complete(context: click.Context, parameter: click.Parameter, typed: str) -> list:
        from anabranch.cli import values

        return vars(values)[what](context, parameter, typed)
    return complete


program = click.argument("program", type=click.Path(path_type=Path),
                         shell_complete=completed("programs"))


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


def named(option: str, metavar: str, help: str, parameter: str,
          complete: Callable | None = None) -> Callable:
    """A repeatable option NAME=VALUE, given to the command as a dict."""
    return click.option(option, parameter, multiple=True, metavar=metavar, callback=pairs,
                        help=f"{help} May be repeated.", shell_complete=complete)


inputs = named("--input", "NAME=PATH", "Read the source NAME from PATH ('-': standard input).",
               "inputs", completed("bindings"))
outputs = named("--output", "NAME=PATH", "Write the sink NAME to PATH ('-': standard output).",
                "outputs", completed("bindings"))
parameters = named("--set", "NAME=VALUE", "Set the program's parameter NAME.", "parameters")
tune = named("--tune", "NAME=VALUE",
             "Turn a knob of the engine: on multicore heuristic=CT|LP|ET|QST "
             "or queue=hybrid|partitioned, on Spark largest_split=BYTES, gangs=never, and others; "
             "the output stays the same.", "tune", completed("knobs"))
rules = click.option(
    "--rules", metavar="NAME,...", shell_complete=completed("rules"),
    help="The order of optimizations: hoist,fuse if nothing is said; '' for none of them. The "
         "output stays the same.")
engine = click.option(
    "--engine", metavar="NAME", shell_complete=completed("engines"),
    help="spark, multicore or sequential: spark, unless ANABRANCH_ENGINE or anabranch.toml says "
         "otherwise.")
master = click.option("--master", metavar="URL", help="The Spark master to run on.",
                      shell_complete=completed("masters"))
on_error = click.option(
    "--on-error", metavar="stop|skip|divert=PATH", shell_complete=completed("policies"),
    help="What to do with a malformed row, or one that comes late for its window: stop, unless "
         "anabranch.toml says otherwise; divert keeps it in PATH, with the reason.")


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


_STREAMS = (
    click.option("--stream", is_flag=True,
                 help="Read the sources as they grow, until interrupted."),
    click.option("--checkpoint", metavar="FOLDER", shell_complete=completed("paths"),
                 help="Where a stream keeps what it needs to go on after an interruption."),
    click.option("--trigger", metavar="once|TIME", shell_complete=completed("triggers"),
                 help="Stop when all that is there has been read; or a batch every TIME (5s)."),
    click.option("--until-idle", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="End a stream when nothing has come for so long; open windows are emitted."),
    click.option("--files-per-batch", type=click.IntRange(min=1), metavar="N",
                 help="The most files of a source that a batch of a stream reads."),
    click.option("--start-over", is_flag=True,
                 help="Forget the checkpoint and the part files of a stream, and begin anew."),
)

_OF_RUNS = (
    click.option("--workers", type=click.IntRange(min=1), metavar="N",
                 help="How many workers to use."),
    master,
    click.option("--keep-spark", is_flag=True, default=None,
                 help="Leave a Spark of this machine running for the next runs in this folder, "
                      "until none has used it for an hour."),
    inputs, outputs,
    click.option("--limit", type=click.IntRange(min=0), metavar="N",
                 help="Stop after N tuples of the sources."),
    tune, rules, on_error,
    click.option("--single-file", is_flag=True,
                 help="Write one file also where a sink is a folder."),
    click.option("--part-files", is_flag=True,
                 help="Write each file as a folder of part files, in the order of their names."),
    *_STREAMS,
    click.option("--report", metavar="FILE.html", shell_complete=completed("paths"),
                 help="Write a page about the run: throughput, queues, workers, latency over "
                      "time."),
)


def of_runs(command: Callable) -> Callable:
    """Adds what runs are asked for: `explain` takes the same, and tells of a run with it."""
    for option in reversed(_OF_RUNS):
        command = option(command)
    return command
