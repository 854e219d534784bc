"""SPL as it is written; nothing is looked up yet.

Spans do not count in comparisons, so what is shown and read again is the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.lang.common.statements import Block, Evaluate, If, Return, While
from anabranch.lang.common.syntax import Node, children, walk

__all__ = ["Block", "Evaluate", "If", "Node", "Return", "While", "children", "walk"]


@dataclass(frozen=True)
class Word(Node):
    """A name where only its text counts: of a stream, an operator, an attribute."""

    text: str


# Types.

@dataclass(frozen=True)
class PlainType(Node):
    """A primitive type, or the name of a type."""

    name: str
    bound: int | None = None


@dataclass(frozen=True)
class CollectionType(Node):
    """A list, a set or a map, with the types of its parts."""

    kind: str
    parts: tuple[Node, ...]
    bound: int | None = None


@dataclass(frozen=True)
class OptionalType(Node):
    item: Node


@dataclass(frozen=True)
class TuplePart(Node):
    """An attribute, or without a name all attributes of another tuple type."""

    type: Node
    name: Word | None


@dataclass(frozen=True)
class TupleType(Node):
    parts: tuple[TuplePart, ...]


@dataclass(frozen=True)
class EnumType(Node):
    names: tuple[Word, ...]


# Expressions.

@dataclass(frozen=True)
class Name(Node):
    text: str


@dataclass(frozen=True)
class Number(Node):
    """An integer, float or decimal literal; `suffix` says its type where it has one."""

    value: object
    suffix: str


@dataclass(frozen=True)
class Text(Node):
    value: str
    suffix: str


@dataclass(frozen=True)
class Truth(Node):
    value: bool


@dataclass(frozen=True)
class Null(Node):
    """The value of an optional type that is not there."""


@dataclass(frozen=True)
class Unwrap(Node):
    """What an optional value has, as it has to be there."""

    owner: Node


@dataclass(frozen=True)
class ComplexValue(Node):
    """A complex number of its two parts."""

    type: Node
    real: Node
    imaginary: Node


@dataclass(frozen=True)
class Unary(Node):
    operator: str
    operand: Node


@dataclass(frozen=True)
class Binary(Node):
    """An infix operation; `.+` and its like are element-wise."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Ternary(Node):
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True)
class Cast(Node):
    type: Node
    value: Node


@dataclass(frozen=True)
class Attribute(Node):
    owner: Node
    name: Word


@dataclass(frozen=True)
class Index(Node):
    owner: Node
    index: Node


@dataclass(frozen=True)
class Slice(Node):
    owner: Node
    first: Node | None
    behind: Node | None


@dataclass(frozen=True)
class Invoke(Node):
    """The call of a function."""

    function: Word
    arguments: tuple[Node, ...]


@dataclass(frozen=True)
class ListLiteral(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True)
class SetLiteral(Node):
    """`{}` may be a map as well."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class MapLiteral(Node):
    pairs: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True)
class Field(Node):
    """`name = value`, in a tuple literal, an output clause, an annotation."""

    name: Word
    value: Node


@dataclass(frozen=True)
class TupleLiteral(Node):
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Changed(Node):
    """`++x` or, `after`, `x++`: a variable that changes in an expression; `operator` is + or -."""

    target: Node
    operator: str
    after: bool


# Statements.

@dataclass(frozen=True)
class Variable(Node):
    type: Node
    name: Word
    value: Node | None
    mutable: bool


@dataclass(frozen=True)
class Variables(Node):
    """Several variables of one declaration."""

    items: tuple[Variable, ...]


@dataclass(frozen=True)
class Assign(Node):
    """`operator` is `=`, or that of `x += 1`."""

    target: Node
    operator: str
    value: Node


@dataclass(frozen=True)
class For(Node):
    type: Node
    name: Word
    values: Node
    body: Node


@dataclass(frozen=True)
class Case(Node):
    """Without a value it is the default."""

    value: Node | None
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Switch(Node):
    value: Node
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Break(Node):
    pass


@dataclass(frozen=True)
class Continue(Node):
    pass


# Declarations.

@dataclass(frozen=True)
class Note(Node):
    """`@parallel(width=4)`."""

    name: str
    fields: tuple[Field, ...]

    def value(self, name: str) -> Node | None:
        return next((f.value for f in self.fields if f.name.text == name), None)


@dataclass(frozen=True)
class TypeDefinition(Node):
    name: Word
    parts: tuple[TuplePart, ...]


@dataclass(frozen=True)
class Parameter(Node):
    type: Node
    name: Word
    mutable: bool


@dataclass(frozen=True)
class Function(Node):
    """`letters` are the types that a generic one is given, each with the class it is of."""

    name: Word
    result: Node
    parameters: tuple[Parameter, ...]
    body: Block
    stateful: bool
    letters: tuple[tuple[str, Word], ...] = ()


@dataclass(frozen=True)
class Setting(Node):
    """A parameter or a configuration with its values."""

    name: Word
    values: tuple[Node, ...]


@dataclass(frozen=True)
class Formal(Node):
    """A parameter of a composite: `mode` is expression, attribute, type, function or operator."""

    mode: str
    type: Node | None
    name: Word
    default: tuple[Node, ...] | None


@dataclass(frozen=True)
class OutputPort(Node):
    type: TupleType
    name: Word
    alias: Word | None = None


@dataclass(frozen=True)
class InputPort(Node):
    streams: tuple[Word, ...]
    alias: Word | None


@dataclass(frozen=True)
class Handler(Node):
    """What a logic clause does at an event: state, onTuple, onPunct, onProcess."""

    event: str
    port: Word | None
    body: Node


@dataclass(frozen=True)
class WindowPart(Node):
    name: str
    values: tuple[Node, ...]


@dataclass(frozen=True)
class WindowClause(Node):
    port: Word
    parts: tuple[WindowPart, ...]

    def part(self, *names: str) -> WindowPart | None:
        return next((p for p in self.parts if p.name in names), None)


@dataclass(frozen=True)
class OutputClause(Node):
    port: Word
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Invocation(Node):
    """One operator of a graph clause."""

    operator: Word
    inputs: tuple[InputPort, ...]
    outputs: tuple[OutputPort, ...]
    alias: Word | None = None
    notes: tuple[Note, ...] = ()
    handlers: tuple[Handler, ...] = ()
    windows: tuple[WindowClause, ...] = ()
    parameters: tuple[Setting, ...] = ()
    assignments: tuple[OutputClause, ...] = ()
    config: tuple[Setting, ...] = ()

    @property
    def name(self) -> str:
        named = self.alias or (self.outputs[0].name if self.outputs else self.operator)
        return named.text

    def setting(self, name: str) -> Setting | None:
        return next((s for s in self.parameters if s.name.text == name), None)

    def handler(self, event: str, port: str | None = None) -> Handler | None:
        return next((h for h in self.handlers if h.event == event and (
            port is None or (h.port and h.port.text == port))), None)


@dataclass(frozen=True)
class Composite(Node):
    name: Word
    inputs: tuple[Word, ...] = ()
    outputs: tuple[Word, ...] = ()
    formals: tuple[Formal, ...] = ()
    types: tuple[TypeDefinition, ...] = ()
    graph: tuple[Invocation, ...] = ()
    config: tuple[Setting, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Program(Node):
    namespace: str
    uses: tuple[Word, ...]
    composites: tuple[Composite, ...] = field(default=())
    functions: tuple[Function, ...] = ()
    types: tuple[TypeDefinition, ...] = ()
