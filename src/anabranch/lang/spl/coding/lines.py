"""The lines of a Python text, each with the user's own in a comment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anabranch.core.source import Span, origin_comment
from anabranch.lang.spl.types import field_name


class Lines:
    """The lines of a text, each with the place it comes from. `hand_on` gives the line that hands
    on a text that is printed, where something can be printed."""

    def __init__(self):
        self.lines: list[str] = []
        self.depth = 0
        self.hand_on: Callable[[str], str] | None = None
        self._taken: dict[str, int] = {}

    def add(self, text: str, span: Span | None = None) -> None:
        note = "" if span is None else f"  {origin_comment(span)}"
        self.lines.append("    " * self.depth + text + note)

    @contextmanager
    def inside(self, head: str, span: Span | None = None) -> Iterator[None]:
        self.add(head, span)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    def name(self, wanted: str) -> str:
        """A name that nothing else in the text has."""
        count = self._taken[wanted] = self._taken.get(wanted, 0) + 1
        return f"v_{field_name(wanted)}" + (f"_{count}" if count > 1 else "")

    def text(self) -> str:
        return "\n".join(self.lines)
