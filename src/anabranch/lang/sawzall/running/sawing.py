r"""Saws whose patterns are known before: one search of Python's library for all of them.

>>> sawyer(1, ((0, "[0-9]+"), (SKIP, ":"), (0, "[a-z]+")))("12: 7:ab")
['12', 'ab']
>>> sawyer(-1, ((0, "[^,]+"),))("a,,b")
['a', 'b']
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from anabranch.lang.sawzall.running.perl import translated
from anabranch.lang.sawzall.running.regexes import (
    REST,
    SKIP,
    SUBMATCH,
    Patterns,
    compiled,
    groups_of,
    sawn,
)

FREE = re.compile(r"""(?: \\(?:[dDwWsSnrtfv]|[^\w]|x[0-9a-f]{2}|U[0-9a-f]{8})
    | \[\^?\]?(?:\\.|[^\]\\])*\] | \((?!\?) | \(\?: | [^\\^(\[] )+""", re.VERBOSE | re.DOTALL)
"""Patterns that ask for nothing before their match, and name no groups."""
ALL_BUT_ONE = re.compile(r"\[\^([^\\\]\[^-])\]\+")
Sawyer = Callable[[str], list]


def sawyer(times: int, patterns: Patterns) -> Sawyer:
    """What saws a text: once, or over and over for -1."""
    if not all(mode != REST and FREE.fullmatch(translated(p)) for mode, p in patterns):
        return partial(_step_by_step, times, patterns)
    if len(patterns) > 1 or times == 1:
        return _joined(times, patterns)
    [(mode, pattern)] = patterns
    if mode or compiled(pattern).match(""):
        return partial(_step_by_step, times, patterns)
    return _every(pattern)


def _step_by_step(times: int, patterns: Patterns, text: str) -> list:
    return sawn(times, text, patterns)[0]


def _every(pattern: str) -> Sawyer:
    """What finds all that one pattern matches."""
    others = ALL_BUT_ONE.fullmatch(pattern)
    if others is not None:
        # Parting a text takes less than half the time of a search. A match could not travel.
        separator = others[1]
        return lambda text: list(filter(None, text.split(separator)))
    known = compiled(pattern)
    return known.findall if not known.groups else \
        lambda text: [found[0] for found in known.finditer(text)]


def _joined(times: int, patterns: Patterns) -> Sawyer:
    """One pattern for a turn of all. Each takes what it finds first, and never gives it back."""
    found = re.compile("".join(f"(?>(?s:.*?)({translated(p)}))" for _, p in patterns), re.ASCII)
    taken = _taken(patterns)

    def once(text: str) -> list:
        match = found.match(text)
        return taken(match) if match is not None and match.end() else sawn(1, text, patterns)[0]

    def again(text: str) -> list:
        pieces, place = [], 0
        while (match := found.match(text, place)) is not None and match.end() > place:
            pieces += taken(match)
            place = match.end()
        return pieces + sawn(times, text[place:], patterns)[0]
    return once if times == 1 else again


def _taken(patterns: Patterns) -> Callable[[re.Match], list]:
    """What gives the pieces of a match that are asked for."""
    places, group = [], 1
    for mode, pattern in patterns:
        behind = group + 1 + compiled(pattern).groups
        if not mode & SKIP:
            places.append((group, behind if mode & SUBMATCH else group + 1))
        group = behind
    if all(behind == first + 1 for first, behind in places):
        return _plain(tuple(first for first, _ in places))
    return lambda match: [piece for first, behind in places for piece in
                          groups_of(match.groups()[first:behind - 1]) or [match[first]]]


def _plain(groups: tuple[int, ...]) -> Callable[[re.Match], list]:
    if len(groups) < 2:
        return lambda match: [match[group] for group in groups]
    return lambda match: list(match.group(*groups))
