"""The syntax that Sawzall adds to expressions: chains, types, and statements.

Which variables are changed part by part, so that their values must not be shared.

Values behave as if they were copied whenever they are assigned. A copy is made only where someone
could tell: when the variable, or the one it is kept in, has a part assigned to somewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.lang.common.statements import Block, Evaluate, If, Return
from anabranch.lang.common.syntax import Name, Node, Operation, walk

__all__ = ["Block", "Evaluate", "If", "Name", "Node", "Operation", "Return", "walk"]


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
    """A field, a parameter, an index or a key: a type, with a name where one is given. A field of a
    message has a tag, and may say what it is where it is absent, and how it is written."""

    name: Name | None
    kind: Node
    tag: int | None = None
    default: Node | None = None
    form: Name | None = None


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
    message: bool = False


@dataclass(frozen=True)
class ProtoKind(Node):
    """`proto kind`: a type whose tuples are messages, with tags from 1 on."""

    kind: Node


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
class Include(Node):
    """`include "file"`."""

    path: str


@dataclass(frozen=True)
class IncludedValue(Include):
    """`include "file"` where an expression stands: the file has one."""


@dataclass(frozen=True)
class Proto(Include):
    """`proto "file"`: the types of the messages that a file of protocol buffers declares."""


PARTS = (Item, Field, Slice)
CHANGES = (Assign, Increment, Rest)
DECLARES = (Variable, TypeDeclaration, Part)
NEW = frozenset({"new", "keys", "saw", "sawn", "sawzall", "splitcsvline", "splitcsv", "matchstrs",
                 "matchposns", "sortx"})
"""Functions whose results are nowhere else."""


@dataclass(frozen=True)
class Changing:
    """The names of variables with parts that are assigned to, of those that get other values or
    another length, and of all that are declared, in whatever scope."""

    names: frozenset[str]
    assigned: frozenset[str]
    declared: frozenset[str]

    def must_copy(self, node: Node, changes: bool) -> bool:
        """Whether a value must be copied to be kept; `changes` when where it is kept may change."""
        name = root(node)
        if name is not None:
            return changes or name in self.names
        if isinstance(node, Composite):
            return any(self.must_copy(item, changes) for item in node.items)
        if isinstance(node, MapLiteral):
            return any(self.must_copy(value, changes) for _, value in node.pairs)
        if isinstance(node, Invoke) and str(node.function) in NEW - self.declared:
            return False
        return changes and isinstance(node, (Invoke, StatementExpression))


def root(node: Node) -> str | None:
    """The name of the variable whose value, or a part of it, an expression is."""
    while isinstance(node, PARTS):
        node = node.value
    return str(node) if isinstance(node, Name) else None


def dotted(node: Node) -> list[str]:
    """The parts of a name with fields: `a.b` as `["a", "b"]`.

    >>> dotted(Field(None, Name(None, ("a",)), Name(None, ("b",))))
    ['a', 'b']
    """
    if isinstance(node, Field):
        return [*dotted(node.value), str(node.name)]
    return [str(node)]


def changing(statements: tuple[Node, ...]) -> Changing:
    """What a program changes part by part."""
    found, assigned, declared = set(), set(), set()
    for node in walk(statements):
        if isinstance(node, DECLARES):
            declared.add(str(node.name))
        target = getattr(node, "target", None)
        if isinstance(node, Invoke) and str(node.function) == "clearproto" and node.arguments:
            found.add(root(node.arguments[0]))
        if isinstance(node, CHANGES):
            (found if isinstance(target, PARTS) else assigned).add(root(target))
            if any(isinstance(part, Slice) for part in walk(target)):
                assigned.add(root(target))
    return Changing(frozenset(filter(None, found)), frozenset(filter(None, assigned)),
                    frozenset(declared))


def declared_in(node: Node) -> set[str]:
    """The names that are declared inside of an expression."""
    return {str(each.name) for each in walk(node) if isinstance(each, DECLARES)}


def counts_up(loop: Loop) -> bool:
    """Whether a loop is `for (i := 0; i < n; i++)`, and nothing else changes `i`."""
    first, test, step = loop.first, loop.condition, loop.step
    if not (isinstance(first, Variable) and isinstance(test, Operation)
            and isinstance(step, Increment)):
        return False
    name, steps = str(first.name), (test.operator, step.operator) == ("<", "+")
    return steps and str(test.operands[0]) == str(step.target) == name and not any(
        isinstance(node, CHANGES) and root(node.target) == name for node in walk(loop.body))


def calls_any(statements: tuple[Node, ...], names: tuple[str, ...]) -> bool:
    """Whether a program calls a function of one of these names."""
    return any(isinstance(node, Invoke) and isinstance(node.function, Name)
               and str(node.function) in names for node in walk(statements))


def has_messages(statements: tuple[Node, ...]) -> bool:
    """Whether a program has types of messages."""
    return any(isinstance(node, ProtoKind) or (isinstance(node, TupleKind) and (
        node.message or any(part.tag is not None for part in node.parts)))
        for node in walk(statements))
