"""A value that is not what its type says, and coders applied so that the error names the place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

Coder = Callable[[object], object]


class BadValue(Exception):
    """What was expected and what came; `path` leads to it from the item, like `legs[2].price`."""

    def __init__(self, expected: str, got: str, reason: str | None = None, path: str = "",
                 position: int | None = None):
        super().__init__(expected, got)
        self.expected, self.got, self.path, self.position = expected, got, path, position
        self.own_reason = reason

    @property
    def reason(self) -> str:
        return self.own_reason or f"{self.path or 'the value'} cannot be read as {self.expected}"

    @property
    def root(self) -> str:
        """The attribute of the item in which the value lies."""
        return re.match(r"\w*", self.path).group()

    def within(self, step: str) -> BadValue:
        """The same as seen from outside.

        >>> BadValue("int", "'x'", path="price").within("[2]").within("legs").path
        'legs[2].price'
        """
        dot = "." if self.path and not self.path.startswith("[") else ""
        return BadValue(self.expected, self.got, self.own_reason, f"{step}{dot}{self.path}")

    def at(self, position: int | None) -> BadValue:
        """The same in a numbered column."""
        return BadValue(self.expected, self.got, self.own_reason, self.path, position)


def coded_fields(names: Iterable[str], coders: Iterable[Coder], values: Iterable) -> list:
    """Each value through its coder; an error is one within the field of that name."""
    coded, name = [], ""
    try:
        for name, coder, value in zip(names, coders, values):  # noqa: B007 (for the error)
            coded.append(coder(value))
    except BadValue as error:
        raise error.within(name) from None
    return coded


def coded_items(coder: Coder, values: Iterable) -> list:
    """All values through one coder; an error is one within the item of that index."""
    coded = []
    try:
        for value in values:
            coded.append(coder(value))  # noqa: PERF401 (its length tells where an error was)
    except BadValue as error:
        raise error.within(f"[{len(coded)}]") from None
    return coded


def shown(value: object, limit: int = 120) -> str:
    """A value as an error shows it.

    >>> shown("x"), shown(None)
    ("'x'", 'nothing')
    """
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"
