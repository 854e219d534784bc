"""The options of a stream: how it is kept, when it reads, and when it ends."""

from __future__ import annotations

from collections.abc import Callable

import click

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
