"""Scopes: what a name means in a place. Names are found whatever their case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

from anabranch.errors import ProgramError, did_you_mean
from anabranch.lang.common.syntax import Name
from anabranch.source import Span

T = TypeVar("T")


class Scope(Generic[T]):
    """Names with their meanings; `what` says in errors what they are the names of.

    >>> Scope("stream", {"Quotes": 1}).get("quotes")
    1
    """

    def __init__(self, what: str, meanings: Mapping[str, T] | None = None):
        self.what = what
        self.meanings: dict[str, tuple[str, T]] = {}
        for name, meaning in (meanings or {}).items():
            self.meanings[name.lower()] = name, meaning

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.meanings

    def __iter__(self) -> Iterable[str]:
        return (name for name, _ in self.meanings.values())

    def get(self, name: str) -> T | None:
        return self.meanings.get(name.lower(), ("", None))[1]

    def spelling(self, name: str) -> str:
        """The name as it was declared."""
        return self.meanings[name.lower()][0]

    def find(self, name: Name) -> T:
        """The meaning of a name; a `ProgramError` that underlines it when there is none."""
        if str(name) not in self:
            raise unknown(self.what, str(name), name.span, self)
        return self.get(str(name))

    def declare(self, name: Name, meaning: T) -> None:
        """Adds a name, which must be new."""
        if str(name) in self:
            raise ProgramError(f"the {self.what} '{name}' is declared twice", name.span)
        self.meanings[str(name).lower()] = str(name), meaning


def unknown(what: str, name: str, span: Span, known: Iterable[str]) -> ProgramError:
    return ProgramError(f"there is no {what} '{name}'", span, help=did_you_mean(name, known))
