"""Lines of generated Python, each with the place in the program that it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anabranch.source import Span


class Lines:
    """Text with an indentation, and the span of each line."""

    def __init__(self, depth: int = 0):
        self.lines: list[str] = []
        self.spans: dict[int, Span] = {}
        self.depth = depth

    def add(self, text: str, span: Span | None) -> None:
        self.lines.append(" " * self.depth + text)
        if span is not None:
            self.spans[len(self.lines)] = span

    def reserve(self) -> int:
        """Keeps a line for `fill`, and gives its place."""
        self.add("pass", None)
        return len(self.lines) - 1

    def fill(self, place: int, text: str) -> None:
        line = self.lines[place]
        self.lines[place] = line[:len(line) - len("pass")] + text

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass", None)
        self.depth -= 1
