r"""Regular expressions in the notation of Perl, and sawing texts into pieces.

>>> sawn(1, "abcdef", ((0, "..."), (REST, ""), (0, "..")))
(['abc', 'de'], 'f', ['def'])
>>> sawn(-1, "XYZ", ((0, "Z*"),))[0]
['', '', 'Z']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from anabranch.lang.sawzall.running.perl import translated
from anabranch.lang.sawzall.running.undefined import Undefined

SKIP, SUBMATCH, REST = 1, 2, 4


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


def sawn(times: int, text: str, patterns: Patterns) -> tuple[list, str, list]:
    """What the patterns match one after another, so many times, or over and over for -1; the rest
    of the text; and what was left where patterns ask for that. `^` is where the last match ended.
    """
    rests: list[str] = []
    if times == 1:
        pieces, rest, _ = _once(text, patterns, None, rests)
        return ([], text, rests) if len(rest) == len(text) else (pieces, rest, rests)
    found: list[str] = []
    place = None
    while times and text:
        pieces, rest, complete = _once(text, patterns, place, rests)
        found += pieces
        place, moved, text = 0, len(rest) != len(text), rest
        if not complete:
            break
        if not moved and not pieces:
            text = text[1:]
            place = None if text else 0
            continue
        times -= 1
    return found, text, rests


def _once(text: str, patterns: Patterns, last_end: int | None, rests: list
          ) -> tuple[list, str, bool]:
    """One run through the patterns; an empty match where the last one ended does not count."""
    pieces: list[str] = []
    for mode, pattern in patterns:
        if mode == REST:
            rests.append(text)
            continue
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
