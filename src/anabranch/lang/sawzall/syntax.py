"""The syntax that Sawzall adds to expressions: chains, composites, types, and statements."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.lang.common.syntax import Name, Node


@dataclass(frozen=True)
class Field(Node):
    """`value.name`."""

    value: Node
    name: Name


@dataclass(frozen=True)
class Item(Node):
    """`value[index]`."""

    value: Node
    index: Node


@dataclass(frozen=True)
class Slice(Node):
    """`value[start:end]`."""

    value: Node
    start: Node
    end: Node


@dataclass(frozen=True)
class Length(Node):
    """`$`, the length of what is indexed."""


@dataclass(frozen=True)
class Invoke(Node):
    """`function(arguments)`; an argument may be a type, or a pattern of a saw."""

    function: Node
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class Pattern(Node):
    """`skip submatch "..."` in a saw."""

    modes: frozenset[str]
    value: Node


@dataclass(frozen=True)
class Rest(Node):
    """`rest variable` in a saw."""

    target: Node


@dataclass(frozen=True)
class Composite(Node):
    """`{1, 2}`: an array or a tuple, a string or bytes, whichever is wanted."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class MapLiteral(Node):
    """`{"a": 1}`, or `{:}`."""

    pairs: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True)
class Part(Node):
    """A field, a parameter, an index or a key: a type, with a name where one is given."""

    name: Name | None
    kind: Node


@dataclass(frozen=True)
class ArrayKind(Node):
    item: Node


@dataclass(frozen=True)
class MapKind(Node):
    key: Node
    value: Node


@dataclass(frozen=True)
class TupleKind(Node):
    """Fields, and declarations that belong to the type."""

    parts: tuple[Part, ...]
    members: tuple[Node, ...] = ()


@dataclass(frozen=True)
class FunctionKind(Node):
    parameters: tuple[Part, ...]
    result: Node | None


@dataclass(frozen=True)
class TableKind(Node):
    """`table top(10)[country: string] of query: string weight count: int format("%s", query)`."""

    kind: Name
    size: Node | None
    indices: tuple[Part, ...]
    value: Part
    weight: Part | None
    attributes: tuple[tuple[str, tuple[Node, ...]], ...]


@dataclass(frozen=True)
class Block(Node):
    statements: tuple[Node, ...]


@dataclass(frozen=True)
class Closure(Node):
    """A function as a value."""

    kind: Node
    body: Block


@dataclass(frozen=True)
class StatementExpression(Node):
    """`?{ ... result value; }`."""

    body: Block


@dataclass(frozen=True)
class Variable(Node):
    """A declaration; without a kind it is that of the value."""

    name: Name
    kind: Node | None
    value: Node | None
    static: bool = False


@dataclass(frozen=True)
class TypeDeclaration(Node):
    name: Name
    kind: Node


@dataclass(frozen=True)
class Emit(Node):
    target: Node
    value: Node
    weight: Node | None


@dataclass(frozen=True)
class Branch(Node):
    condition: Node
    then: Node
    otherwise: Node | None


@dataclass(frozen=True)
class Loop(Node):
    """`for`, and `while` without a first and a step."""

    first: Node | None
    condition: Node | None
    step: Node | None
    body: Node


@dataclass(frozen=True)
class DoLoop(Node):
    body: Node
    condition: Node


@dataclass(frozen=True)
class Switch(Node):
    """Cases with their values and statements; the one without values is the default."""

    value: Node
    cases: tuple[tuple[tuple[Node, ...], Block], ...]


@dataclass(frozen=True)
class Quantifier(Node):
    name: Name
    mode: str
    kind: Node


@dataclass(frozen=True)
class When(Node):
    quantifiers: tuple[Quantifier, ...]
    condition: Node
    body: Node


@dataclass(frozen=True)
class Leave(Node):
    """`break`."""


@dataclass(frozen=True)
class Proceed(Node):
    """`continue`."""


@dataclass(frozen=True)
class Give(Node):
    """`return`."""

    value: Node | None


@dataclass(frozen=True)
class Result(Node):
    """`result`, which ends a statement expression."""

    value: Node


@dataclass(frozen=True)
class Assign(Node):
    target: Node
    value: Node


@dataclass(frozen=True)
class Increment(Node):
    """`++` or `--`."""

    target: Node
    operator: str


@dataclass(frozen=True)
class Evaluate(Node):
    value: Node


@dataclass(frozen=True)
class Include(Node):
    """`include "file"`."""

    path: str
