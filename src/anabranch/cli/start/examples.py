"""`anabranch examples`: the programs that come with the package, listed and copied."""

from __future__ import annotations

import re
from pathlib import Path

import click

from anabranch.cli.failures import say, show
from anabranch.cli.start.files import came_with_us, copied, files_below
from anabranch.lang.registry import LANGUAGES

OWN_COMMANDS = ("project", "tutorial")
"""What `init` and `tutorial` write."""

NO_PROGRAMS = ("demo.py",)
"""What `make demo` starts, with `python`."""


@click.command(short_help="List the example programs, or copy them.")
@click.option("--to", "folder", metavar="FOLDER", type=click.Path(path_type=Path),
              help="Copy them all, with their data, into FOLDER.")
def examples(folder: Path | None) -> None:
    """Lists the programs that come with the package, each with what it does.

    \b
    Examples:
      anabranch examples
      anabranch examples --to examples
    """
    source = came_with_us()
    if folder is not None:
        copied(source, folder, (*OWN_COMMANDS, *NO_PROGRAMS))
        say(f"{sum(1 for _ in files_below(folder))} files are in {folder}; "
            f"anabranch run {folder / 'balances.py'} runs the first")
        return
    programs = [path for path in files_below(source) if path.suffix in LANGUAGES
                and path.parts[0] not in (*OWN_COMMANDS, *NO_PROGRAMS)
                and "__pycache__" not in path.parts]
    width = max(len(str(path)) for path in programs)
    for path in programs:
        show(f"{path!s:{width}}  {summary((source / path).read_text(encoding='utf-8'))}")
    say("\nanabranch examples --to FOLDER copies them, with their data")


def summary(text: str) -> str:
    r"""The first sentence of the docstring or comment that a program opens with.

    >>> summary('// Counts words: each\n// one. Quickly.\nint x;'), summary('\"\"\"Sums.\"\"\"')
    ('Counts words: each one.', 'Sums.')
    """
    opening = re.match(r'"""(.*?)"""|((?:(?://|#|--)[^\n]*\n)+)', text, re.DOTALL)
    if opening is None:
        return ""
    words = re.sub(r"^(//|#|--) ?", "", opening[1] or opening[2], flags=re.MULTILINE)
    said = " ".join(words.split())
    return said[:said.find(". ") + 1] or said
