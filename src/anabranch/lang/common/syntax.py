"""Expressions as they are written; nothing is looked up yet. Spans do not count in comparisons."""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.types import Type
from anabranch.source import Span


@dataclass(frozen=True)
class Node:
    """The root of all syntax."""

    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Literal(Node):
    value: object
    type: Type


@dataclass(frozen=True)
class Name(Node):
    """`price` or `quotes.price`."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)


@dataclass(frozen=True)
class Operation(Node):
    """A prefix or infix operator, by its canonical name: `and` for `&&`, `=` for `==`."""

    operator: str
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Call(Node):
    function: Name
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Choice(Node):
    """The value of the first branch whose condition holds."""

    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


@dataclass(frozen=True)
class TypeName(Node):
    """A type by its name, with a length where one is given: `char(8)`."""

    name: str
    length: int | None = None
