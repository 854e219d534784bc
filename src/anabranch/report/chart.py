"""Charts: a line or a few over time, with a table of the same figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.explain.picture.markup import Markup, table, tag
from anabranch.explain.picture.style import width_of
from anabranch.report.series import Series

WIDTH, HEIGHT = 420.0, 130.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 10.0, 10.0, 22.0
LETTERS, SPACE = 11.0, 6.0
"""How large labels are, and how far from the axis. One that is wide moves the axis."""
ROWS = 40
"""A table has no more rows than these."""

STYLE = """
section table { margin-bottom: 1rem; }
.charts { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(430px, 1fr)); }
.chart { margin: 0; } .chart figcaption { font-weight: 600; font-size: .9rem;
  overflow-wrap: anywhere; }
.chart svg { max-width: 100%; height: auto; }
.chart text { fill: var(--quiet); font-size: 11px; }
.chart .axis { stroke: var(--line); stroke-width: 1; fill: none; }
.chart .line { fill: none; stroke: var(--joint); stroke-width: 1.6; stroke-linejoin: round; }
.chart .line-1 { stroke-dasharray: 6 3; } .chart .line-2 { stroke-dasharray: 2 3; }
"""


def chart(lines: Sequence[Series], unit: str, until: float, name: str | None = None) -> Markup:
    """A chart of lines from 0 to `until` seconds; several lines are told apart by their dashes."""
    name = lines[0].name if name is None else name
    highest = max((line.highest for line in lines), default=0.0)
    left = max(LEFT, width_of(shown(highest), LETTERS) + 2 * SPACE)
    drawn = (_line(index, line, until, highest, left) for index, line in enumerate(lines))
    told = f"{name}: at most {shown(highest)} {unit}, over {until:.1f} seconds"
    drawing = tag("svg", tag("title", told), *_axes(until, highest, left), *drawn, role="img",
                  aria_label=told, viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}", width=WIDTH,
                  height=HEIGHT)
    return tag("figure", tag("figcaption", f"{name} ", tag("span", unit, class_="quiet")), drawing,
               *_legend(lines), _table(lines, unit), class_="chart")


def _axes(until: float, highest: float, left: float) -> list[Markup]:
    low, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    return [tag("path", class_="axis", d=Markup(f"M{left:.1f} {TOP}V{low}H{right}")),
            tag("text", shown(highest), x=left - SPACE, y=TOP + 8, text_anchor="end"),
            tag("text", "0", x=left - SPACE, y=low, text_anchor="end"),
            tag("text", "0 s", x=left, y=HEIGHT - 6),
            tag("text", f"{until:.1f} s", x=right, y=HEIGHT - 6, text_anchor="end")]


def _line(index: int, line: Series, until: float, highest: float, left: float) -> Markup:
    points = " ".join(f"{_x(at, until, left):.1f},{_y(value, highest):.1f}"
                      for at, value in line.points)
    return tag("polyline", points=Markup(points), class_=f"line line-{index}")


def _x(at: float, until: float, left: float) -> float:
    return left + (WIDTH - left - RIGHT) * (at / until if until else 0.0)


def _y(value: float, highest: float) -> float:
    low = HEIGHT - BOTTOM
    return low - (low - TOP) * (value / highest if highest else 0.0)


def _legend(lines: Sequence[Series]) -> list[Markup]:
    if len(lines) < 2:
        return []
    dashes = ("a line", "dashes", "dots")
    return [tag("p", "; ".join(f"{dash}: {line.name}" for dash, line in zip(dashes, lines)),
                class_="quiet")]


def _table(lines: Sequence[Series], unit: str) -> Markup:
    """As many rows as are still readable, evenly chosen, the last one among them."""
    every = -(-len(lines[0].points) // ROWS) or 1
    chosen = [line.points[::-1][::every][::-1] for line in lines]
    rows = [(f"{row[0][0]:.1f}", *(shown(value) for _, value in row)) for row in zip(*chosen)]
    columns = ("seconds", *(line.name if len(lines) > 1 else unit for line in lines))
    return tag("details", tag("summary", "as a table"),
               table(columns, rows, frozenset(range(len(columns)))))


def shown(value: float) -> str:
    """A figure in few characters.

    >>> shown(1234567.0), shown(12.0), shown(0.1234)
    ('1,234,567', '12', '0.12')
    """
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"
