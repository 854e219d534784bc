r"""Regular expressions in the notation of Perl, and sawing texts into pieces.

>>> sawn(1, "abcdef", ((0, "..."), (0, "..")))
(['abc', 'de'], 'f')
>>> sawn(-1, "XYZ", ((0, "Z*"),))[0]
['', '', 'Z']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from anabranch.lang.sawzall.running.undefined import Undefined

SKIP, SUBMATCH = 1, 2
POSIX = {"alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
         "space": r"\s", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F", "word": r"\w",
         "blank": r" \t", "cntrl": r"\x00-\x1f\x7f", "print": r"\x20-\x7e", "graph": r"\x21-\x7e"}
DIFFERENT = re.compile(r"""\[:(\^?)([a-z]+):\] | (\\Q)(.*?)(?:\\E|$) | (\\[zZhR]) | (\(\?<)(?![=!])
                           | \\.""", re.VERBOSE | re.DOTALL)
SPELT = {r"\z": r"\Z", r"\Z": r"(?=\n?\Z)", r"\h": r"[ \t]", r"\R": r"(?:\r\n|\n|\r)"}


def translated(pattern: str) -> str:
    r"""A pattern of Perl's as one of Python's.

    >>> translated(r"[[:digit:]x]+\z")
    '[0-9x]+\\Z'
    """
    return DIFFERENT.sub(_spelt, pattern)


def _spelt(found: re.Match) -> str:
    if found[2]:
        if found[1] or found[2] not in POSIX:
            raise Undefined(f"the class {found[0]} is not supported in a regular expression")
        return POSIX[found[2]]
    if found[3]:
        return re.escape(found[4])
    return SPELT[found[5]] if found[5] else "(?P<" if found[6] else found[0]


@lru_cache(4096)
def compiled(pattern: str) -> re.Pattern:
    try:
        return re.compile(translated(pattern), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise Undefined(f"'{pattern}' is not a regular expression: {error}") from None


def matches(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None


def match_strings(pattern: str, text: str) -> list:
    """The match and its groups; nothing when there is no match."""
    found = compiled(pattern).search(text)
    return [] if found is None else [g or "" for g in (found[0], *found.groups())]


def match_positions(pattern: str, text: str) -> list:
    """Where the match and its groups begin and end."""
    found = compiled(pattern).search(text)
    if found is None:
        return []
    return [place for group in range(len(found.groups()) + 1) for place in found.span(group)]


Patterns = Sequence[tuple[int, str]]


def sawn(times: int, text: str, patterns: Patterns) -> tuple[list, str]:
    """What the patterns match one after another, so many times, or over and over for -1; and the
    rest of the text. `^` is where the last match ended."""
    if times == 1:
        pieces, rest, _ = _once(text, patterns, None)
        return ([], text) if len(rest) == len(text) else (pieces, rest)
    found: list[str] = []
    place = None
    while times and text:
        pieces, rest, complete = _once(text, patterns, place)
        found += pieces
        place, moved, text = 0, len(rest) != len(text), rest
        if not complete:
            break
        if not moved and not pieces:
            text = text[1:]
            place = None if text else 0
            continue
        times -= 1
    return found, text


def _once(text: str, patterns: Patterns, last_end: int | None) -> tuple[list, str, bool]:
    """One run through the patterns; an empty match where the last one ended does not count."""
    pieces: list[str] = []
    for mode, pattern in patterns:
        found = compiled(pattern).search(text)
        if found is None:
            return pieces, text, False
        if last_end is not None and found.end() == found.start() == last_end:
            return pieces, text, True
        if not mode & SKIP:
            pieces += [g or "" for g in found.groups()] if mode & SUBMATCH else [found[0]]
        text = text[found.end():]
        last_end = None if last_end is None else 0
    return pieces, text, True


INTEGERS = {0: "[-+]?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)",
            16: "[-+]?(?:0[xX])?[0-9a-fA-F]+"}
FLOAT = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def int_regex(base: int = 0) -> str:
    """A pattern of integers in a base."""
    if base in INTEGERS:
        return INTEGERS[base]
    if not 2 <= base <= 36:
        raise Undefined(f"illegal base {base}")
    digits = DIGITS[:base]
    return f"[-+]?[{digits}{digits[10:].upper()}]+"
