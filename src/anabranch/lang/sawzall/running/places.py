"""Where the text of a table goes: to a file, or to a command of the shell.

The program writes down the pattern of the place; values from the records that are put into it may
name a file in a folder, or be a word of a command, and nothing else. Otherwise a line of the input
could choose any file, or be run as a command.

>>> file_of("a7.txt", "a7"), command_of("sort -k 2", 2)
('a7.txt', Command(line='sort -k 2'))
"""

from __future__ import annotations

import re
from typing import NamedTuple

from anabranch.lang.sawzall.running.undefined import Stopped

NAME, WORD = re.compile(r"(?!\.)[^/\0]*"), re.compile(r"(?!-)[\w@%+=:,./-]*", re.ASCII)


class Command(NamedTuple):
    """Where a text goes: to the standard input of this command."""

    line: str


def file_of(path: str, *values: object) -> str:
    """The path, unless one of the values in it could lead to another folder."""
    _check(NAME, values, "a name in a folder", "a file's name")
    return path


def command_of(line: str, *values: object) -> Command:
    """The command, unless the shell could take one of the values in it for more than a word."""
    _check(WORD, values, "a word of letters, digits and _@%+=:,./-", "a command")
    return Command(line)


def _check(pattern: re.Pattern, values: tuple, expected: str, use: str) -> None:
    for value in values:
        text = value.decode(errors="surrogateescape") if isinstance(value, bytes) else value
        if not isinstance(text, (int, float)) and not (
                isinstance(text, str) and pattern.fullmatch(text)):
            raise Stopped(f"a value from the input cannot be a part of {use}", expected=expected,
                          got=repr(value))
