"""The command line: `anabranch run | explain | check PROGRAM`.

`anabranch bench` is there in a checkout, where `benchmarks` is. Depends on everything; nothing
depends on it. Heavy parts are imported by the command that needs them, so `anabranch --help` is
quick.
"""

from __future__ import annotations

import click
from benchmarks.command import bench

from anabranch.cli.check import check
from anabranch.cli.explain import explain
from anabranch.cli.failures import Commands, open_streams
from anabranch.cli.run import run


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="anabranch", message="anabranch %(version)s")
def commands() -> None:
    """Runs ordered, stateful stream programs, in parallel where that changes nothing.

    The extension of PROGRAM decides its language. Program output goes to standard output or to
    the program's own sinks, everything else to standard error.

    Exit status: 0 when all went well, 1 for a failure while running, 2 for a program or a command
    that is wrong.
    """


for command in (run, explain, check, bench):
    commands.add_command(command)


def main() -> None:
    open_streams()
    commands(prog_name="anabranch")
