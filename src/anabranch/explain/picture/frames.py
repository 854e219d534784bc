"""Frames around some of the nodes, with nothing else between these.

Each is laid out by itself and then takes part as one node; links cross its sides at points of their
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anabranch.core.once import once
from anabranch.explain.picture.fold import folded
from anabranch.explain.picture.layout import LANE, arranged
from anabranch.explain.picture.shapes import Arrangement, Link, Name, Node, Rect, Route
from anabranch.explain.picture.style import ROOM

PADDING = 22.0


@dataclass(frozen=True)
class Frame:
    """A frame around nodes, with room for a heading above them."""

    name: Name
    members: frozenset[Name]
    width: float = 0.0
    heading: float = 0.0


def framed(nodes: Sequence[Node], links: Sequence[Link], frames: Sequence[Frame],
           room: float = ROOM) -> Arrangement:
    """Places for the nodes and the frames, none much wider than the room, and a way for every link.

    >>> nodes = [Node(name, 10, 10) for name in "abc"]
    >>> placed = framed(nodes, [Link("a", "b"), Link("b", "c")], [Frame("f", frozenset("bc"))])
    >>> placed.rects["f"].contains(placed.rects["c"]), placed.rects["f"].overlaps(placed.rects["a"])
    (True, False)
    """
    inner = [_Inside.of(frame, nodes, links, room) for frame in frames]
    inside = {member: one for one in inner for member in one.frame.members}
    outer = [_outer(index, link, inside) for index, link in enumerate(links)]
    kept = {index: link for index, link in enumerate(outer) if link is not None}
    around = arranged(_outer_nodes(nodes, inside), list(kept.values()))
    rects = around.rects | {name: rect for one in inner for name, rect in one.rects(around).items()}
    ways = dict(zip(kept, around.routes))
    routes = tuple(tuple(piece for one in inner for piece in one.leaving(index, around))
                   + ways.get(index, ())
                   + tuple(piece for one in inner for piece in one.entering(index, around))
                   for index in range(len(links)))
    return Arrangement(rects, routes, around.width, around.height)


def _outer_nodes(nodes: Sequence[Node], inside: dict[Name, _Inside]) -> list[Node]:
    """The nodes with every frame in the place of its first member."""
    shown = (inside[node.name].node if node.name in inside else node for node in nodes)
    return list({node.name: node for node in shown}.values())


def _outer(index: int, link: Link, inside: dict[Name, _Inside]) -> Link | None:
    """The link between frames; None when it stays within one."""
    tail, head = inside.get(link.tail), inside.get(link.head)
    if tail is not None and tail is head:
        return None
    if tail is not None:
        link = replace(link, tail=tail.frame.name, leaves=tail.crossing(("out", index)))
    if head is not None:
        link = replace(link, head=head.frame.name, enters=head.crossing(("in", index)))
    return link


@dataclass(frozen=True)
class _Inside:
    """What is in a frame, laid out: the links inside, then to and from the sides."""

    frame: Frame
    placed: Arrangement
    order: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, frame: Frame, nodes: Sequence[Node], links: Sequence[Link], room: float
           ) -> _Inside:
        own: dict[tuple[str, int], Link] = {}
        for index, link in enumerate(links):
            tail, head = link.tail in frame.members, link.head in frame.members
            if tail and head:
                own["within", index] = link
            elif tail:
                own["out", index] = Link(link.tail, ("out", index))
            elif head:
                own["in", index] = Link(("in", index), link.head)
        points = [Node(way, 0.0, LANE) for way in own if way[0] != "within"]
        members = [node for node in nodes if node.name in frame.members]
        placed = folded(arranged([*members, *points], list(own.values()),
                                 first=[way for way in own if way[0] == "in"],
                                 last=[way for way in own if way[0] == "out"]),
                        room - 2 * PADDING)
        return cls(frame, placed, tuple(own))

    @once
    def node(self) -> Node:
        width = max(self.placed.width + 2 * PADDING, self.frame.width)
        return Node(self.frame.name, width, self.placed.height + 2 * PADDING + self.frame.heading)

    def crossing(self, way: tuple[str, int]) -> float:
        """How far down a link crosses the side."""
        return self.placed.rects[way].middle + PADDING + self.frame.heading

    def rects(self, around: Arrangement) -> dict[Name, Rect]:
        """The places of the members."""
        x, y = self._origin(around)
        return {name: rect.moved(x, y) for name, rect in self.placed.rects.items()
                if name in self.frame.members}

    def leaving(self, index: int, around: Arrangement) -> Route:
        """The way of a link within the frame, or from its node to the right side."""
        if ("within", index) in self.order:
            return self._route(("within", index), around)
        if ("out", index) not in self.order:
            return ()
        *before, piece = self._route(("out", index), around)
        side = (around.rects[self.frame.name].right, piece.points[-1][1])
        return (*before, replace(piece, points=(*piece.points, side)))

    def entering(self, index: int, around: Arrangement) -> Route:
        """The way of a link from the left side to its node."""
        if ("in", index) not in self.order:
            return ()
        piece, *behind = self._route(("in", index), around)
        side = (around.rects[self.frame.name].x, piece.points[0][1])
        return (replace(piece, points=(side, *piece.points)), *behind)

    def _route(self, way: tuple[str, int], around: Arrangement) -> Route:
        x, y = self._origin(around)
        return tuple(p.moved(x, y) for p in self.placed.routes[self.order.index(way)])

    def _origin(self, around: Arrangement) -> tuple[float, float]:
        rect = around.rects[self.frame.name]
        return rect.x + PADDING, rect.y + PADDING + self.frame.heading
