r"""Regular expressions in the notation of Perl, and sawing texts into pieces.

>>> sawn(1, "abcdef", ((0, "..."), (REST, ""), (0, "..")))
(['abc', 'de'], 'f', ['def'])
>>> sawn(-1, "XYZ", ((0, "Z*"),))[0]
['', '', 'Z']
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import lru_cache

import regex

from anabranch.lang.sawzall.running.perl import is_caseless, translated
from anabranch.lang.sawzall.running.undefined import Undefined

SKIP, SUBMATCH, REST = 1, 2, 4
ENDLESS = sys.maxsize


@lru_cache(4096)
def compiled(pattern: str) -> re.Pattern:
    """The pattern by Python's own library, or by `regex` where it has what only that one knows."""
    for library in (re, regex):
        try:
            return library.compile(translated(pattern), 0 if is_caseless(pattern) else re.ASCII)
        except (re.error, regex.error, OverflowError, RecursionError) as error:
            failure = error
    raise Undefined(f"'{pattern}' is not a regular expression: {failure}")


def matches(pattern: str, text: str) -> bool:
    return compiled(pattern).search(text) is not None


def match_strings(pattern: str, text: str) -> list:
    """The match and its groups; nothing when there is no match."""
    found = compiled(pattern).search(text)
    return [] if found is None else [found[0], *groups_of(found.groups())]


def match_positions(pattern: str, text: str) -> list:
    """Where the match and its groups begin and end; a group that matched nothing is at 0."""
    found = compiled(pattern).search(text)
    if found is None:
        return []
    groups = range(_matched(found.groups()) + 1)
    return [max(place, 0) for group in groups for place in found.span(group)]


def _matched(groups: tuple[str | None, ...]) -> int:
    """The number of the last group that took part; the library of `szl` knows of none after it."""
    return max((n for n, group in enumerate(groups, 1) if group is not None), default=0)


def groups_of(groups: tuple[str | None, ...]) -> list[str]:
    """What groups have matched, up to the last one that took part."""
    if None not in groups:
        return list(groups)
    return [group or "" for group in groups[:_matched(groups)]]


Patterns = Sequence[tuple[int, str]]


def sawn(times: int, text: str, patterns: Patterns) -> tuple[list, str, list]:
    """What the patterns match one after another, so many times, or over and over for -1; the rest
    of the text; and what was left where patterns ask for that. `^` is where the last match ended.
    """
    found: list[str] = []
    rests: list[str] = []
    section: list[tuple[int, str]] = []
    for mode, pattern in (*patterns, (REST, "")):
        if mode != REST:
            section.append((mode, pattern))
            continue
        if section:
            text = _saw(ENDLESS if times < 0 else times, text, section, found)
        rests.append(text)
        section = []
    return found, text, rests[:-1]


def _saw(times: int, text: str, patterns: Patterns, found: list[str]) -> str:
    """Adds what is matched to `found`, and gives the rest of the text."""
    place, last = 0, None
    for _ in range(times):
        start, kept = place, len(found)
        for mode, pattern in patterns:
            match, place = _next(pattern, text, place, last if len(patterns) == 1 else None)
            if match is None:
                return text[place:]
            place = last = place + match.end()
            if not mode & SKIP:
                found += (mode & SUBMATCH and groups_of(match.groups())) or [match[0]]
        if len(patterns) > 1 and start == place:
            del found[kept:]
            break
    return text[place:]


def _next(pattern: str, text: str, place: int, last: int | None) -> tuple[re.Match | None, int]:
    """The next match, and where the text begins that it was found in: one character on if it would
    be empty just where the last one ended."""
    match = compiled(pattern).search(text[place:])
    if match is None or place + match.end() != last:
        return match, place
    if place == len(text):
        return None, place
    return compiled(pattern).search(text[place + 1:]), place + 1


INTEGERS = {0: "([-+]?(0x[0-9a-fA-F]+|0[0-7]+|[0-9]+))", 8: "([-+]?[0-7]+)",
            10: "([-+]?[0-9]+)", 16: "([-+]?(0x)?[0-9a-fA-F]+)"}
FLOAT = r"([-+]?(([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?))"
"""The patterns of `regex`, with groups where `submatch` finds them."""
