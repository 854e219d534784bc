"""What a picture shows, before it has places: boxes of text, links, and frames."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.source import Span
from anabranch.explain.picture.frames import Frame
from anabranch.explain.picture.shapes import Name, Node
from anabranch.explain.picture.style import (
    INSET_X,
    INSET_Y,
    LINE_HEIGHT,
    NAME_SIZE,
    TEXT_SIZE,
    width_of,
)

ICON = 15.0


@dataclass(frozen=True)
class Text:
    """A line of a box, in a style of the drawing; a line about state has a mark before it."""

    text: str
    style: str = "quiet"
    state: bool = False

    @property
    def width(self) -> float:
        bold = self.style != "quiet"
        wide = width_of(self.text, NAME_SIZE if self.style == "name" else TEXT_SIZE, bold)
        return wide + (ICON if self.state else 0.0)


@dataclass(frozen=True)
class Box:
    """A box with its lines; `looks` says what it is, `notes` what there is to say about it, its
    heading first, and `spans` where it stands in the program."""

    name: Name
    lines: tuple[Text, ...]
    looks: str = ""
    notes: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()

    @property
    def node(self) -> Node:
        width = max(line.width for line in self.lines) + 2 * INSET_X
        return Node(self.name, width, len(self.lines) * LINE_HEIGHT + 2 * INSET_Y)


@dataclass(frozen=True)
class Edge:
    """A link with what flows along it; one without a direction has no tip."""

    tail: Name
    head: Name
    note: str = ""
    directed: bool = True


@dataclass(frozen=True)
class RegionFrame:
    """A frame with its heading."""

    name: Name
    members: tuple[Name, ...]
    heading: tuple[Text, ...]
    notes: tuple[str, ...] = ()

    @property
    def frame(self) -> Frame:
        width = max((line.width for line in self.heading), default=0.0) + 2 * INSET_X
        return Frame(self.name, frozenset(self.members), width, len(self.heading) * LINE_HEIGHT)


@dataclass(frozen=True)
class Scene:
    """A picture's content; the description is for those who cannot see it."""

    title: str
    description: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    regions: tuple[RegionFrame, ...] = ()
