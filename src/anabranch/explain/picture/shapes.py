"""What a layout is made of: nodes with a size, links, and where all that ends up."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple

Name = Hashable
Point = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """Something with a size; a point on a long link has next to none."""

    name: Name
    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """From the right side of one node to the left side of another. `leaves` and `enters` say how
    far below the top of the nodes; without them there is room for each link of a node."""

    tail: Name
    head: Name
    leaves: float | None = None
    enters: float | None = None


class Rect(NamedTuple):
    """A place: its upper left corner and its size.

    >>> one = Rect(0, 0, 10, 10)
    >>> one.overlaps(Rect(9, 9, 5, 5)), one.overlaps(Rect(10, 0, 5, 5))
    (True, False)
    """

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    def moved(self, x: float, y: float) -> Rect:
        return self._replace(x=self.x + x, y=self.y + y)

    def overlaps(self, other: Rect) -> bool:
        return (self.x < other.right and other.x < self.right
                and self.y < other.bottom and other.y < self.bottom)

    def contains(self, other: Rect) -> bool:
        return (self.x <= other.x and other.right <= self.right
                and self.y <= other.y and other.bottom <= self.bottom)


@dataclass(frozen=True)
class LinkPart:
    """A part of a link's way: through points, in gentle curves, or with `corners`, as a link has
    that goes back."""

    points: tuple[Point, ...]
    back: bool = False
    corners: bool = False

    def moved(self, x: float, y: float) -> LinkPart:
        return replace(self, points=tuple((px + x, py + y) for px, py in self.points))


Route = tuple[LinkPart, ...]


@dataclass(frozen=True)
class Arrangement:
    """Where every node is, and the way of every link, in the order in which they were given."""

    rects: dict[Name, Rect]
    routes: tuple[Route, ...]
    width: float
    height: float
