"""The command line: `anabranch run | explain | check PROGRAM`.

`anabranch bench` is only the door to `benchmarks`, which stands beside the package in a checkout.
Depends on everything; nothing depends on it. Heavy parts are imported by the command that needs
them, so `anabranch --help` is quick.

    api_pages.py   The page docs/api.md, made of what the library says of itself
    bench.py       `anabranch bench`: the door to `benchmarks`, which stands beside the package
    check.py       `anabranch check`: declared and inferred facts against what happens on a sample
    completion.py  `anabranch completion`: what the shell is told when a user presses Tab
    explain.py     `anabranch explain`: what runs in parallel, how order is kept, and why not
    failures.py    How commands end when something goes wrong: a clear message, an exit status
    lsp.py         `anabranch lsp`: the language server, which editors start and talk to
    options.py     What the commands share: the program, NAME=VALUE, options of languages
    progress.py    How a run gets on, on standard error: phases, rows, and how much is left
    reference.py   The page docs/command-line.md, made of what the commands say of themselves
    run.py         `anabranch run`: the program's output, and a line about it on standard error
    startup.py     How the command begins: what holds while it imports, and then in a run
    state.py       `anabranch state`: what a stream has kept, and what a changed program makes of it
    stats.py       `--stats`: what each operator of a run did, as a table or as JSON
    values.py      The values that options take, for the shell to complete
    start/         The first ten minutes: a project, a tutorial and examples, as files of the user
"""

from __future__ import annotations

from anabranch.cli import startup  # first: it says how the others are imported

# isort: split
import click

from anabranch.cli.bench import bench
from anabranch.cli.check import check
from anabranch.cli.completion import completion
from anabranch.cli.explain import explain
from anabranch.cli.failures import Commands, open_streams, past_stuck_workers
from anabranch.cli.lsp import lsp
from anabranch.cli.run import run
from anabranch.cli.start.examples import examples
from anabranch.cli.start.init import init
from anabranch.cli.start.tutorial import tutorial
from anabranch.cli.state import state


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="anabranch", message="anabranch %(version)s")
def commands() -> None:
    """Runs ordered, stateful stream programs, in parallel where that changes nothing.

    The extension of PROGRAM decides its language. Program output goes to standard output or to
    the program's own sinks, everything else to standard error.

    Exit status: 0 when all went well, 1 for a failure while running, 2 for a program or a command
    that is wrong.
    """


for command in (run, explain, check, state, lsp, init, tutorial, examples, completion, bench):
    commands.add_command(command)
startup.imported()


def main() -> None:
    open_streams()
    with past_stuck_workers():
        commands(prog_name="anabranch")
