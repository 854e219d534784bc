"""A layout that is wider than there is room, in rows as text has lines.

It is cut where nothing but links is. These go on in the next row: along its right side, above it,
and in from the left.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile

from anabranch.core.once import once
from anabranch.explain.picture.shapes import Arrangement, LinkPart, Point, Rect, Route

BETWEEN, LANE = 30.0, 9.0
"""Between two rows, and between the links that go from one to the other."""

ASIDE = 12.0
"""So far beside the rows they go."""

EVENLY = 20
"""So many widths are tried."""

Span = tuple[float, float]


def folded(at: Arrangement, room: float) -> Arrangement:
    """The same in rows of this width, where it can be cut.

    >>> from anabranch.explain.picture.layout import arranged
    >>> from anabranch.explain.picture.shapes import Link, Node
    >>> line = arranged([Node(n, 100, 20) for n in range(4)], [Link(n, n + 1) for n in range(3)])
    >>> rects = folded(line, 300).rects
    >>> rects[0].x == rects[2].x, rects[2].y > rects[1].bottom
    (True, True)
    """
    rows = _even_rows(_blocks(at), room) if at.width > room else []
    return _Folded(at, tuple(rows)).arrangement() if len(rows) > 1 else at


def _blocks(at: Arrangement) -> list[Span]:
    """What is not to be cut, from left to right: nodes, and links that go back."""
    found: list[Span] = []
    back = (part.points for route in at.routes for part in route if part.back)
    loops = ((min(points)[0], max(points)[0]) for points in back)
    for left, right in sorted([*((r.x, r.right) for r in at.rects.values()), *loops]):
        if found and left <= found[-1][1]:
            found[-1] = found[-1][0], max(right, found[-1][1])
        else:
            found.append((left, right))
    return found


def _even_rows(blocks: list[Span], room: float) -> list[Span]:
    """As few rows as there is room for, and none much wider than the others."""
    few = len(_rows(blocks, room))
    tried = (_rows(blocks, room * part / EVENLY) for part in range(EVENLY, 0, -1))
    return list(takewhile(lambda rows: len(rows) == few, tried))[-1]


def _rows(blocks: list[Span], room: float) -> list[Span]:
    rows: list[Span] = []
    for left, right in blocks:
        if rows and right - rows[-1][0] <= room:
            rows[-1] = rows[-1][0], right
        else:
            rows.append((left, right))
    return rows


@dataclass(frozen=True)
class _Folded:
    at: Arrangement
    rows: tuple[Span, ...]

    def arrangement(self) -> Arrangement:
        lanes = dict.fromkeys(range(len(self.rows)), 0)
        routes = tuple(tuple(self._parts(route, lanes)) for route in self.at.routes)
        rects = {name: self._moved(rect) for name, rect in self.at.rects.items()}
        return Arrangement(rects, routes, self.right + self.side, self.tops[-1])

    def row(self, x: float) -> int:
        return bisect(self.cuts, x)

    @once
    def cuts(self) -> list[float]:
        return [(one[1] + other[0]) / 2 for one, other in pairwise(self.rows)]

    @once
    def crossings(self) -> list[int]:
        """How many links come into each row from one before it."""
        found = [0] * len(self.rows)
        for route in self.at.routes:
            for part in route:
                for (x, _), (to_x, _) in pairwise(part.points):
                    if self.row(x) != self.row(to_x):
                        found[self.row(to_x)] += 1
        return found

    @once
    def side(self) -> float:
        """The room beside the rows for the links from one to another."""
        return ASIDE + LANE * max(self.crossings)

    @once
    def right(self) -> float:
        """The right side of the widest row."""
        return self.side + max(right - left for left, right in self.rows)

    @once
    def heights(self) -> list[Span]:
        """How far up and down each row goes."""
        found: list[list[float]] = [[] for _ in self.rows]
        for rect in self.at.rects.values():
            found[self.row(rect.x)] += (rect.y, rect.bottom)
        for route in self.at.routes:
            for part in route:
                for x, y in part.points:
                    found[self.row(x)].append(y)
        return [(min(ys), max(ys)) for ys in found]

    @once
    def tops(self) -> list[float]:
        """Where each row begins, and where the last one ends."""
        found = [0.0]
        for place, (up, down) in enumerate(self.heights, start=1):
            room = BETWEEN + LANE * self.crossings[place] if place < len(self.rows) else 0.0
            found.append(found[-1] + down - up + room)
        return found

    def point(self, given: Point) -> Point:
        x, y = given
        row = self.row(x)
        return x - self.rows[row][0] + self.side, y - self.heights[row][0] + self.tops[row]

    def _moved(self, rect: Rect) -> Rect:
        x, y = self.point((rect.x, rect.y))
        return rect._replace(x=x, y=y)

    def _parts(self, route: Route, lanes: dict[int, int]) -> Iterator[LinkPart]:
        for part in route:
            points = [self.point(part.points[0])]
            for start, end in pairwise(part.points):
                row = self.row(end[0])
                if row != self.row(start[0]):
                    yield LinkPart(tuple(points), part.back)
                    way = self._around(self.point(start), self.point(end), row, lanes[row])
                    yield LinkPart(way, corners=True)
                    points, lanes[row] = [], lanes[row] + 1
                points.append(self.point(end))
            yield LinkPart(tuple(points), part.back)

    def _around(self, start: Point, end: Point, row: int, lane: int) -> tuple[Point, ...]:
        """From the end of one row to the beginning of a later one."""
        right, left = self.right + ASIDE + LANE * lane - LANE, self.side - ASIDE - LANE * lane
        above = self.tops[row] - BETWEEN / 2 - LANE * lane
        return start, (right, start[1]), (right, above), (left, above), (left, end[1]), end
