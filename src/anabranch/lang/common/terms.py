"""Checked expressions: every name and function is resolved, every part has a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from anabranch.ir.types import OptionalOf, Type
from anabranch.source import Span


@dataclass(frozen=True)
class Builtin:
    """A function or operator of a language: the types it takes and gives, and its Python text.

    A partial one may fail for some values. A strict one gives None when an argument is None;
    another has `for_none`, the text to use when an argument may be None.
    """

    name: str
    parameters: tuple[Type, ...]
    result: Type
    text: str
    partial: bool = False
    for_none: str | None = None


@dataclass(frozen=True)
class Term:
    """The root of checked expressions."""

    type: Type
    span: Span | None = field(compare=False, repr=False)

    @property
    def parts(self) -> tuple[Term, ...]:
        return ()

    def with_parts(self, parts: tuple[Term, ...]) -> Term:
        return self

    @property
    def optional(self) -> bool:
        return isinstance(self.type, OptionalOf)


@dataclass(frozen=True)
class Constant(Term):
    value: object


@dataclass(frozen=True)
class Variable(Term):
    """A value from outside; what a slot is, the language decides."""

    slot: object


@dataclass(frozen=True)
class Applied(Term):
    builtin: Builtin
    arguments: tuple[Term, ...]

    @property
    def parts(self):
        return self.arguments

    def with_parts(self, parts):
        return replace(self, arguments=parts)


@dataclass(frozen=True)
class Chosen(Term):
    """Conditions and values in turn, and last the value when none of the conditions holds."""

    arguments: tuple[Term, ...]

    @property
    def parts(self):
        return self.arguments

    def with_parts(self, parts):
        return replace(self, arguments=parts)


def walk(term: Term) -> Iterator[Term]:
    """The term and all its parts."""
    yield term
    for part in term.parts:
        yield from walk(part)


def rewritten(term: Term, change: Callable[[Term], Term | None]) -> Term:
    """The term with each outermost part for which `change` gives another put in its place."""
    changed = change(term)
    if changed is not None:
        return changed
    return term.with_parts(tuple(rewritten(part, change) for part in term.parts))


def is_partial(term: Term) -> bool:
    """Whether computing it may fail, as a division may."""
    return any(isinstance(part, Applied) and part.builtin.partial for part in walk(term))
