r"""Regular expressions that are as simple as steps: a set of characters, and how many of them.

>>> steps_of("^[01]{2}:")
Steps(sets=(frozenset({48, 49}), frozenset({58})), counts=((2, 2), (1, 1)), fixed=True)
>>> steps_of("a*a"), steps_of("a|b"), steps_of("a?")
(None, None, None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from anabranch.lang.sawzall.running.perl import translated
from anabranch.lang.sawzall.running.undefined import Undefined

STEP = re.compile(r"""(\\[dDwWsSnrtfv]|\\[^\w]|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[\](){}*+?|^$])
    ([*+?]|\{\d+(?:,\d*)?\})?(?![*+?{])""", re.VERBOSE | re.DOTALL)
REPEATS = {"": (1, 1), "*": (0, 1 << 62), "+": (1, 1 << 62), "?": (0, 1)}
ASCII = range(128)


@dataclass(frozen=True)
class Steps:
    """For each step the characters that it takes, and how many of them; `fixed` if the first must
    stand where the search begins."""

    sets: tuple[frozenset[int], ...]
    counts: tuple[tuple[int, int], ...]
    fixed: bool

    @property
    def arguments(self) -> tuple[str, str]:
        """The tables that a compiled loop searches with, as Python text."""
        sets = bytes(code in each for each in self.sets for code in ASCII)
        return (f"np.frombuffer({sets!r}, np.bool_).reshape(-1, {len(ASCII)})",
                f"np.array({self.counts!r}, np.int64)")


@lru_cache(1024)
def steps_of(pattern: str) -> Steps | None:
    """The steps of a pattern, if it has no more than that, and matches no empty text."""
    try:
        text = translated(pattern)
    except Undefined:
        return None
    fixed, place, found = text.startswith("^"), 0, []
    text = text.removeprefix("^")
    while place < len(text) and (step := STEP.match(text, place)):
        found.append((_characters(step[1]), _count(step[2] or "")))
        place = step.end()
    if place < len(text) or not any(least for _, (least, _) in found) or not _keeps(found):
        return None
    return Steps(tuple(each for each, _ in found), tuple(count for _, count in found), fixed)


def _characters(text: str) -> frozenset[int]:
    one = re.compile(text, re.ASCII)
    return frozenset(code for code in ASCII if one.fullmatch(chr(code)))


def _count(repeat: str) -> tuple[int, int]:
    if repeat in REPEATS:
        return REPEATS[repeat]
    least, comma, most = repeat.strip("{}").partition(",")
    return int(least), int(most) if most else 1 << 62 if comma else int(least)


def _keeps(steps: list[tuple[frozenset[int], tuple[int, int]]]) -> bool:
    """Whether no step need give back what it took: those that may come next cannot take it."""
    for place, (characters, (least, most)) in enumerate(steps):
        for other, (needed, _) in steps[place + 1:] if least < most else ():
            if characters & other:
                return False
            if needed:
                break
    return True
