"""Options of one language: declared by the language, offered by the command line.

A language gets the value as a keyword argument of its `load`, and only when it was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Option:
    """`--name` on the command line, with `_` for `-` as an argument of `load`.

    Its kind says what it gives: a flag True, `int` a number that is not negative, `text` a string,
    `pairs` a dict of repeated NAME=VALUE, and `files` the paths after the program. `instead` is the
    advice to someone who gave it to a program of another language.

    >>> Option("table_output", "flag", "Print the tables at the end.").spelling
    '--table-output'
    """

    name: str
    kind: Literal["flag", "int", "text", "pairs", "files"]
    help: str
    metavar: str | None = None
    instead: str = "leave it out"

    @property
    def spelling(self) -> str:
        return "FILE..." if self.kind == "files" else "--" + self.name.replace("_", "-")


FILES = Option("files", "files", "The files to read.", "[FILE]...",
               instead="bind its inputs with --input NAME=PATH")
