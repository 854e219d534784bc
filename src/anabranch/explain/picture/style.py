"""Sizes and colours. Every text has a contrast of at least 4.5 to what is behind it."""

from __future__ import annotations

NAME_SIZE, TEXT_SIZE, LINE_HEIGHT = 13.0, 11.5, 17.0
INSET_X, INSET_Y = 11.0, 7.0
MARGIN = 24.0

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
