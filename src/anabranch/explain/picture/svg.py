"""A scene as SVG: laid out, and drawn as one self-contained text without any script.

Notes show on hover as the elements' titles. A tap on a box shows them too: in a drawing of its own
on a card, which another tap closes; in a page at the notes below the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from anabranch.explain.picture import style
from anabranch.explain.picture.fold import folded
from anabranch.explain.picture.frames import framed
from anabranch.explain.picture.markup import Markup, lines, tag
from anabranch.explain.picture.scene import ICON, Box, Edge, RegionFrame, Scene, Text
from anabranch.explain.picture.shapes import Arrangement, Link, LinkPart, Name, Point, Rect, Route
from anabranch.explain.picture.style import (
    INSET_X,
    INSET_Y,
    LINE_HEIGHT,
    MARGIN,
    ROOM,
    TEXT_SIZE,
    broken,
    width_of,
)

TIP = 7.0


def svg(scene: Scene, prefix: str = "picture", alone: bool = True) -> Markup:
    """The drawing; `alone` it has its own colours and cards, else those of the page around it.
    All identifiers begin with the prefix."""
    return drawn(scene, placed(scene), prefix, alone)


def placed(scene: Scene, room: float = ROOM) -> Arrangement:
    """Where all of a scene is, in as many rows as that takes."""
    return folded(framed([box.node for box in scene.boxes],
                         [Link(edge.tail, edge.head) for edge in scene.edges],
                         [region.frame for region in scene.regions], room), room)


def drawn(scene: Scene, at: Arrangement, prefix: str, alone: bool) -> Markup:
    """A scene at its places."""
    rects = {name: rect.moved(MARGIN, MARGIN) for name, rect in at.rects.items()}
    width, height = _size(scene, at, rects, alone)
    return tag("svg", lines(
        tag("title", scene.title, id=f"{prefix}-title"),
        tag("desc", scene.description, id=f"{prefix}-desc"),
        *([tag("style", Markup(style.themed(".anabranch-picture") + style.DRAWING))]
          if alone else []),
        tag("rect", width=width, height=height, class_="paper"),
        *(_region(region, rects[region.name]) for region in scene.regions),
        *(_edge(edge, route) for edge, route in zip(scene.edges, at.routes)),
        *(_box(box, rects[box.name], prefix, index, alone)
          for index, box in enumerate(scene.boxes)),
        *(_cards(scene, rects, prefix, width) if alone else ())),
        xmlns="http://www.w3.org/2000/svg", class_="anabranch-picture", role="group",
        aria_labelledby=f"{prefix}-title {prefix}-desc", width=width, height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}")


def _cards(scene: Scene, rects: dict[Name, Rect], prefix: str, room: float) -> Iterator[Markup]:
    for index, box in enumerate(scene.boxes):
        yield card(box, rects[box.name], _why(prefix, index), prefix, room)


def _size(scene: Scene, at: Arrangement, rects: dict[Name, Rect],
          alone: bool) -> tuple[float, float]:
    """With room for the cards, if there are some."""
    cards = [(width, rects[box.name].bottom + height) for box in scene.boxes
             for width, height in [card_size(box)]] if alone else []
    widths, heights = zip((at.width + 2 * MARGIN, at.height + 2 * MARGIN), *cards)
    return max(widths), max(heights)


def _why(prefix: str, index: int) -> str:
    return f"{prefix}-why-{index}"


def _box(box: Box, rect: Rect, prefix: str, index: int, alone: bool) -> Markup:
    shape = tag("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, class_="box",
                rx=12.0 if box.looks == "joint" else 5.0)
    texts = [_text(line, rect, place) for place, line in enumerate(box.lines)]
    shown = tag("a", tag("title", "\n".join(box.notes)), shape, *texts,
                href=f"#{_why(prefix, index)}" if box.notes else None,
                aria_label="; ".join(box.notes) or None)
    return tag("g", shown, class_=f"node {box.looks}".strip(),
               id=None if alone else f"{prefix}-box-{index}")


def _text(line: Text, rect: Rect, place: int) -> Markup:
    x, y = rect.x + INSET_X, rect.y + INSET_Y + (place + 0.75) * LINE_HEIGHT
    text = tag("text", line.text, x=x + (ICON if line.state else 0.0), y=y, class_=line.style)
    return tag("g", state_mark(x, y), text) if line.state else text


def state_mark(x: float, y: float) -> Markup:
    """The mark of state: a small drum."""
    return tag("path", class_="state", d=Markup(
        f"M{x:.1f} {y - 8:.1f}v6.5a4.5 2 0 0 0 9 0v-6.5a4.5 2 0 0 0 -9 0a4.5 2 0 0 0 9 0"))


def _region(region: RegionFrame, rect: Rect) -> Markup:
    shape = tag("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=9,
                class_="frame")
    heading = [_text(line, rect, place) for place, line in enumerate(region.heading)]
    return tag("g", tag("title", "\n".join(region.notes)), shape, *heading, class_="region",
               role="img", aria_label="; ".join(region.notes))


def _edge(edge: Edge, route: Route) -> Markup:
    moved = [piece.moved(MARGIN, MARGIN) for piece in route]
    back = any(piece.back for piece in route)
    shown = [tag("path", class_="edge back" if back else "edge", d=Markup(_way(moved)))]
    if edge.directed:
        shown.append(_tip(moved[-1].points[-1]))
    return tag("g", tag("title", edge.note), *shown, class_="link")


def _tip(end: Point) -> Markup:
    x, y = end
    return tag("path", class_="tip", d=Markup(
        f"M{x:.1f} {y:.1f}l-{TIP:.0f} -{TIP / 2:.1f}v{TIP:.0f}z"))


def _way(route: list[LinkPart]) -> str:
    (x, y), *_ = route[0].points
    return f"M{x:.1f} {y:.1f}" + "".join(_stroke(piece) for piece in route)


def _stroke(piece: LinkPart) -> str:
    return "".join(_to(start, end, piece.back or piece.corners)
                   for start, end in pairwise(piece.points))


def _to(start: Point, end: Point, straight: bool) -> str:
    """Straight, or in a curve that leaves and arrives level."""
    (x, y), (to_x, to_y) = start, end
    if straight or abs(y - to_y) < 0.05:
        return f"L{to_x:.1f} {to_y:.1f}"
    middle = (x + to_x) / 2
    return f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"


COLUMNS = 60
BELOW = 6.0


def card(box: Box, rect: Rect, identity: str, prefix: str, room: float) -> Markup:
    """Hidden until its identity is the target of the page's address. It stays within the room as
    far as it fits."""
    width, height = card_size(box)
    x, y = max(0.0, min(rect.x, room - width)), rect.bottom + BELOW
    shape = tag("rect", x=x, y=y, width=width, height=height - 2 * BELOW, rx=5,
                class_="box")
    shown = [tag("text", text, x=x + INSET_X, y=y + BELOW + (place + 0.75) * LINE_HEIGHT)
             for place, text in enumerate(_lines(box))]
    return tag("a", shape, *shown, id=identity, class_="card", href=f"#{prefix}-title")


def card_size(box: Box) -> tuple[float, float]:
    """How wide it is, and how high with the space around it."""
    texts = _lines(box)
    width = max((width_of(text, TEXT_SIZE) for text in texts), default=0.0) + 2 * INSET_X
    return width, len(texts) * LINE_HEIGHT + 4 * BELOW


def _lines(box: Box) -> list[str]:
    return [line for note in box.notes for line in broken(note, COLUMNS)]
