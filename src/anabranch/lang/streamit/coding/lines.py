"""Python text in the making: indented lines, each with the user's line it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anabranch.source import Span


class Lines:
    """Collects lines; names that it gives out are never given twice.

    >>> lines = Lines()
    >>> with lines.inside("while True:"):
    ...     lines.add("break")
    >>> print(lines.text())
    while True:
        break
    """

    def __init__(self):
        self.lines: list[str] = []
        self.spans: list[Span | None] = []
        self.depth = 0
        self.span: Span | None = None
        self._taken: dict[str, int] = {}

    def add(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
        self.spans.append(self.span)

    @contextmanager
    def inside(self, head: str) -> Iterator[None]:
        """What is added meanwhile stands inside of a compound statement."""
        self.add(head)
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.add("pass")
        self.depth -= 1

    def name(self, wanted: str) -> str:
        """A new name that reminds of the wanted one, and that nothing of ours has."""
        count = self._taken.get(wanted, 0)
        self._taken[wanted] = count + 1
        return f"v_{wanted}" if count == 0 else f"v_{wanted}_{count}"

    def text(self) -> str:
        return "\n".join(self.lines)
