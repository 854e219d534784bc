"""Sizes and colours, and how wide a text will be; texts cut or broken to fit.

Every text has a contrast of at least 4.5 to what is behind it. Widths are on the safe side.
"""

from __future__ import annotations

import textwrap
from unicodedata import combining, east_asian_width

NAME_SIZE, TEXT_SIZE, LINE_HEIGHT = 13.0, 11.5, 17.0
INSET_X, INSET_Y = 11.0, 7.0
MARGIN = 24.0
ROOM = 1240.0
"""So wide a row of a drawing is: with all that is around it, it fits on a page of 1400 pixels."""

LIGHT = {"paper": "#ffffff", "ink": "#1b1f24", "quiet": "#4d555e", "line": "#6e7781",
         "box": "#f3f5f7", "region": "#116329", "frame": "#edf7ef", "sequential": "#7d4e00",
         "joint": "#0550ae", "pill": "#e3f1ff"}
DARK = {"paper": "#14171a", "ink": "#e6e8eb", "quiet": "#a8b1bb", "line": "#8b949e",
        "box": "#23282e", "region": "#6bc46d", "frame": "#18241b", "sequential": "#e0b04b",
        "joint": "#84c1ff", "pill": "#16304d"}

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"

DRAWING = f"""
.anabranch-picture {{ font-family: {FONT}; max-width: none; }}
.anabranch-picture .paper {{ fill: var(--paper); }}
.anabranch-picture text {{ fill: var(--ink); font-size: {TEXT_SIZE}px; white-space: pre; }}
.anabranch-picture .name {{ font-size: {NAME_SIZE}px; font-weight: 600; }}
.anabranch-picture .quiet {{ fill: var(--quiet); }}
.anabranch-picture .region-text {{ fill: var(--region); font-weight: 600; }}
.anabranch-picture .joint-text {{ fill: var(--joint); font-weight: 600; }}
.anabranch-picture .sequential-text {{ fill: var(--sequential); }}
.anabranch-picture .box {{ fill: var(--box); stroke: var(--line); stroke-width: 1.2; }}
.anabranch-picture .sequential .box {{ stroke: var(--sequential); stroke-dasharray: 5 3; }}
.anabranch-picture .parallel .box {{ stroke: var(--region); }}
.anabranch-picture .joint .box {{ fill: var(--pill); stroke: var(--joint); }}
.anabranch-picture .frame {{ fill: var(--frame); stroke: var(--region); stroke-width: 1.2; }}
.anabranch-picture .edge {{ fill: none; stroke: var(--line); stroke-width: 1.5;
  stroke-linejoin: round; }}
.anabranch-picture .back {{ stroke-dasharray: 6 3; }}
.anabranch-picture .tip {{ fill: var(--line); }}
.anabranch-picture .state {{ fill: none; stroke: var(--ink); stroke-width: 1.1; }}
.anabranch-picture a:focus .box, .anabranch-picture a:hover .box {{ stroke-width: 2.6; }}
.anabranch-picture .card {{ display: none; }}
.anabranch-picture .card:target {{ display: inline; }}
.anabranch-picture .card .box {{ fill: var(--paper); stroke: var(--ink); }}
"""


def variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def themed(selector: str) -> str:
    """The colours of the reader's choice, light or dark."""
    return (f"{selector} {{ {variables(LIGHT)} color-scheme: light dark; }}\n"
            f"@media (prefers-color-scheme: dark) {{ {selector} {{ {variables(DARK)} }} }}\n")


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
