"""`anabranch init`: a project with a program, data and a test, which work at once."""

from __future__ import annotations

from pathlib import Path

import click

from anabranch.cli.failures import say, show
from anabranch.cli.start.files import came_with_us, copied, files_below


@click.command(short_help="Begin a project: a program, data and a test.")
@click.argument("folder", metavar="NAME", type=click.Path(path_type=Path))
def init(folder: Path) -> None:
    """Writes the folder NAME, with a program, its data and a test of it, which all work at once.

    \b
    Example:
      anabranch init payments
    """
    copied(came_with_us("project"), folder)
    for path in files_below(folder):
        show(str(folder / path))
    say(f"\ncd {folder}\n"
        "anabranch run balances.py          # its output, and how long it took\n"
        "anabranch explain balances.py      # what runs in parallel, and why not elsewhere\n"
        "python -m pytest                   # its test")
