"""Expressions as they are written, and as text again; nothing is looked up yet.

Spans do not count in comparisons.

Expressions as text again: what is read from it is the same syntax.

>>> from anabranch.ir.types import INT
>>> shown(Operation(None, "+", (Name(None, ("a", "b")), Literal(None, 1, INT))))
'(a.b + 1)'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache, singledispatch

from anabranch.core.source import Span
from anabranch.ir.types import Type


@dataclass(frozen=True)
class Node:
    """The root of all syntax."""

    span: Span = field(compare=False, repr=False)


def walk(node: object) -> Iterator[Node]:
    """The syntax in a node or in a tuple, and all that is inside of it, in the order of the text.

    >>> [str(each) for each in walk(Call(None, Name(None, ("f",)), (Name(None, ("x",)),)))][1:]
    ['f', 'x']
    """
    waiting = [*_nodes(node)][::-1]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += reversed([*children(each)])


def children(node: Node) -> Iterator[Node]:
    """The nodes that stand in a node, in the order of the text."""
    for name in _fields(type(node)):
        yield from _nodes(getattr(node, name))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _nodes(each)


@cache
def _fields(kind: type[Node]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


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


@singledispatch
def shown(node: Node) -> str:
    """The text of a piece of syntax; every operation in parentheses."""
    raise TypeError(f"no rule shows a {type(node).__name__}")


@shown.register
def _literal(node: Literal) -> str:
    if isinstance(node.value, str):
        return "'" + node.value.replace("'", "''") + "'"
    if isinstance(node.value, datetime):
        return f"time '{node.value.isoformat()}'"
    if node.value is None:
        return "null"
    return repr(node.value).lower()


@shown.register
def _name(node: Name) -> str:
    return str(node)


@shown.register
def _operation(node: Operation) -> str:
    operands = [shown(operand) for operand in node.operands]
    if len(operands) == 2:
        return f"({operands[0]} {node.operator} {operands[1]})"
    return f"({operands[0]} is null)" if node.operator == "is null" else \
        f"({node.operator} {operands[0]})"


@shown.register
def _call(node: Call) -> str:
    return f"{node.function}({listed(node.arguments)})"


@shown.register
def _choice(node: Choice) -> str:
    branches = " ".join(f"when {shown(c)} then {shown(v)}" for c, v in node.branches)
    otherwise = "" if node.otherwise is None else f" else {shown(node.otherwise)}"
    return f"case {branches}{otherwise} end"


@shown.register
def _type(node: TypeName) -> str:
    return node.name if node.length is None else f"{node.name}({node.length})"


def listed(nodes: tuple[Node, ...]) -> str:
    return ", ".join(map(shown, nodes))
