"""Cards: the notes of a box, shown beside it when it is tapped, and closed by another tap."""

from __future__ import annotations

from anabranch.explain.picture.lettering import broken, width_of
from anabranch.explain.picture.markup import Markup, tag
from anabranch.explain.picture.scene import Box
from anabranch.explain.picture.shapes import Rect
from anabranch.explain.picture.style import INSET_X, LINE_HEIGHT, TEXT_SIZE

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
