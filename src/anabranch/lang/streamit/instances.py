"""Streams as instances: filters with their parameters, and the tree of composites around them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.lang.streamit.coding.filters import FilterCode
from anabranch.lang.streamit.types import VOID, Type
from anabranch.sdf.flow import Rates
from anabranch.source import Span


@dataclass(frozen=True)
class Work:
    """A filter with its parameters: the functions to call, and the values they are called with.

    `fresh` gives the fields as `init` left them, and `begins` is what that printed.
    """

    code: FilterCode
    functions: dict[str, Callable] = field(repr=False)
    environment: tuple = field(repr=False)
    fresh: Callable[[], tuple] = field(repr=False)
    begins: str = ""


@dataclass(frozen=True)
class Leaf:
    """An instance of a filter, of the identity, or of the end at a file."""

    name: str
    body: object
    input: Type | None
    output: Type | None
    span: Span
    rates: Rates
    first: Rates | None = None


@dataclass(frozen=True)
class File:
    """A file that is read or written, as the program names it."""

    path: str
    type: Type
    reads: bool


@dataclass
class Branch:
    """An instance of a composite stream, while its body runs and after."""

    kind: str
    span: Span
    children: list[tuple[str, Leaf | Branch]] = field(default_factory=list)
    splitting: object = ()
    joining: object = ()
    enqueued: list = field(default_factory=list)


def takes(instance: Leaf | Branch) -> bool:
    """Whether an instance reads anything from before it."""
    if isinstance(instance, Leaf):
        return instance.input not in (None, VOID)
    if instance.kind == "feedbackloop":
        return not (len(instance.joining) == 2 and instance.joining[0] == 0)
    if instance.kind == "splitjoin":
        return any(takes(child) for _, child in instance.children)
    return takes(instance.children[0][1]) if instance.children else True


def gives(instance: Leaf | Branch) -> Type | None:
    """The type of what an instance pushes; None when it is nothing, or not known from it alone."""
    if isinstance(instance, Leaf):
        return None if instance.output == VOID else instance.output
    if instance.kind == "feedbackloop":
        return next((gives(child) for role, child in instance.children if role == "body"), None)
    found = [gives(child) for _, child in instance.children]
    if instance.kind == "pipeline":
        return found[-1] if found else None
    return next((type for type in found if type is not None), None)


def accepts(instance: Leaf | Branch) -> Type | None:
    """The type of what an instance takes; None when it is nothing, or not known from it alone."""
    if isinstance(instance, Leaf):
        return None if instance.input == VOID else instance.input
    if instance.kind == "feedbackloop":
        return next((accepts(child) for role, child in instance.children if role == "body"), None)
    found = [accepts(child) for _, child in instance.children]
    if instance.kind == "pipeline":
        return found[0] if found else None
    return next((type for type in found if type is not None), None)
