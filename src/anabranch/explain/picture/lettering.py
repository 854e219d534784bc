"""How wide a text will be, on the safe side, and texts cut or broken to fit."""

from __future__ import annotations

import textwrap
from unicodedata import combining, east_asian_width

NARROW, BROAD = frozenset("iljtfrI.,:;'|!()[]{} /-"), frozenset("mwMW@%—…→↺")
MOST = 30
"""So many characters of a line are shown in a box; all of it in its notes."""


def width_of(text: str, size: float, bold: bool = False) -> float:
    """About how many pixels wide; fonts differ, so rather more than less.

    >>> width_of("iii", 10) < width_of("mmm", 10)
    True
    """
    return size * sum(map(_ems, text)) * (1.08 if bold else 1.0)


def _ems(letter: str) -> float:
    if combining(letter):
        return 0.0
    if letter in NARROW:
        return 0.42
    if letter in BROAD or east_asian_width(letter) in "WF":
        return 1.05
    return 0.74 if letter.isupper() else 0.66


def clipped(text: str, most: int = MOST) -> str:
    """The beginning of a text that is too long, and in one line.

    >>> clipped("a long and winding road", 10)
    'a long an…'
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most - 1] + "…"


def broken(text: str, columns: int) -> list[str]:
    """A text in lines of so many characters."""
    return textwrap.wrap(text, columns, break_on_hyphens=False) or [""]
