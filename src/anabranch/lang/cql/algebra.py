"""The stream relational algebra: what a CQL query computes, its types, its text.

The stream relational algebra: what a CQL query computes, as a tree of operators.

A relation maps every timestamp to a bag of rows; a stream has rows with timestamps. Windows
lead from streams to relations, `ToStream` leads back, everything else stays among relations. Rows
are tuples, and a `Variable` of a term has the position of its column as its slot.

The typing rules of the stream relational algebra, and its text.

Windows are of streams and give relations; the operators that give streams, and all others, are of
relations. A term's columns must be those of the rows it is computed for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import singledispatch

from anabranch.core.source import Span
from anabranch.ir.types import BOOL, AnyOf, Type, meet, without_none
from anabranch.lang.common.codegen import generated
from anabranch.lang.common.terms import Term, Variable, walk


@dataclass(frozen=True)
class Column:
    name: str
    type: Type


Schema = tuple[Column, ...]


@dataclass(frozen=True)
class Node:
    """The root of the algebra; `span` is where the user wrote it."""

    span: Span | None = field(compare=False, repr=False)

    is_stream = False

    @property
    def inputs(self) -> tuple[Node, ...]:
        return ()

    @property
    def schema(self) -> Schema:
        return self.inputs[0].schema

    @property
    def monotonic(self) -> bool:
        """Whether rows are only ever added."""
        return all(node.monotonic for node in self.inputs)


@dataclass(frozen=True)
class Input(Node):
    """A stream or relation from outside, or the result of a named query."""

    name: str
    columns: Schema
    is_stream: bool
    grows: bool = False

    @property
    def schema(self):
        return self.columns

    @property
    def monotonic(self):
        return self.grows


@dataclass(frozen=True)
class Unary(Node):
    relation: Node

    @property
    def inputs(self):
        return (self.relation,)


@dataclass(frozen=True)
class Binary(Node):
    left: Node
    right: Node

    @property
    def inputs(self):
        return self.left, self.right


@dataclass(frozen=True)
class Window(Unary):
    """A relation of a stream's recent rows; `length` and `slide` in seconds."""

    kind: str
    length: Fraction | None = None
    slide: Fraction | None = None
    rows: int | None = None
    by: tuple[int, ...] = ()

    @property
    def monotonic(self):
        return self.kind == "unbounded"


@dataclass(frozen=True)
class Filter(Unary):
    """The rows for which a term holds."""

    condition: Term


@dataclass(frozen=True)
class Project(Unary):
    """A row of terms for each row."""

    terms: tuple[Term, ...]
    names: tuple[str, ...]

    @property
    def schema(self):
        return tuple(Column(n, t.type) for n, t in zip(self.names, self.terms))


@dataclass(frozen=True)
class Join(Binary):
    """Each row of the left with each row of the right whose keys are the same."""

    left_keys: tuple[Term, ...] = ()
    right_keys: tuple[Term, ...] = ()

    @property
    def schema(self):
        return self.left.schema + self.right.schema


@dataclass(frozen=True)
class Mark(Binary):
    """Each row of the left with one more column: whether the right has a row of the same keys for
    which `condition` holds; in it, the columns of the left are those of the query around. The mark
    is positive when it is only used to keep rows for which it is true."""

    left_keys: tuple[Term, ...] = ()
    right_keys: tuple[Term, ...] = ()
    condition: Term | None = None
    positive: bool = False

    @property
    def schema(self):
        return (*self.left.schema, Column("", BOOL))

    @property
    def monotonic(self):
        return self.positive and super().monotonic


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate over a term; over the rows themselves without one."""

    function: str
    argument: Term | None
    distinct: bool
    type: Type


@dataclass(frozen=True)
class Group(Unary):
    """A row for each value of the keys: the keys, then the aggregates. Without keys, one row."""

    keys: tuple[Term, ...]
    calls: tuple[AggregateCall, ...]

    @property
    def schema(self):
        return (*(Column("", k.type) for k in self.keys), *(Column("", c.type) for c in self.calls))

    @property
    def monotonic(self):
        return False


@dataclass(frozen=True)
class Distinct(Unary):
    """Each row once."""


@dataclass(frozen=True)
class Top(Unary):
    """The first `count` rows in an order, or all of them in it: by the columns of `keys`, each
    ascending or descending, and then by all columns."""

    keys: tuple[tuple[int, bool], ...]
    count: int | None = None

    @property
    def monotonic(self):
        return self.count is None and super().monotonic


def order_of(node: Node) -> tuple[tuple[int, bool], ...]:
    """The order that the rows of a result are asked for in, if there is one."""
    if isinstance(node, Top):
        return node.keys
    renames = isinstance(node, Project) and all(
        isinstance(t, Variable) and t.slot == n for n, t in enumerate(node.terms))
    return order_of(node.relation) if renames or isinstance(node, ToStream) else ()


@dataclass(frozen=True)
class UnionAll(Binary):
    """The rows of both."""


@dataclass(frozen=True)
class Combine(Binary):
    """`operator` is union, except or intersect; with `every`, rows are counted."""

    operator: str
    every: bool = False

    @property
    def monotonic(self):
        return self.operator != "except" and super().monotonic


@dataclass(frozen=True)
class ToStream(Unary):
    """`operator` is istream, dstream or rstream."""

    operator: str
    is_stream = True

    @property
    def monotonic(self):
        return True


def column_term(node: Node, position: int) -> Variable:
    """The term that is one column of a node's rows."""
    return Variable(node.schema[position].type, node.span, position)


def inputs_below(node: Node, named: Mapping[str, Node]) -> set[str]:
    """The inputs of the program that a node is made of; `named` has the queries of other names."""
    if isinstance(node, Input) and node.name.lower() not in named:
        return {node.name}
    below = (named[node.name.lower()],) if isinstance(node, Input) else node.inputs
    return set().union(*(inputs_below(each, named) for each in below))


def verify(node: Node) -> Node:
    """The node itself, if it and all below it are well typed; a `TypeError` if not, since the
    translation should have refused the program."""
    for each in node.inputs:
        verify(each)
        if each.is_stream != isinstance(node, Window):
            raise TypeError(f"{show(node)}: {show(each)} is "
                            f"{'a stream' if each.is_stream else 'a relation'}")
    for problem in problems(node):
        raise TypeError(f"{show(node)}: {problem}")
    return node


@singledispatch
def problems(node: Node) -> Iterator[str]:
    """What breaks the rule of a node."""
    yield from ()


@problems.register
def _filter(node: Filter):
    yield from _misfits((node.condition,), node.relation.schema)
    if without_none(node.condition.type) != BOOL:
        yield "its condition is neither true nor false"


@problems.register
def _project(node: Project):
    yield from _misfits(node.terms, node.relation.schema)
    if len(set(map(str.lower, node.names))) != len(node.terms):
        yield "its names do not fit its terms"


@problems.register
def _group(node: Group):
    arguments = tuple(c.argument for c in node.calls if c.argument is not None)
    yield from _misfits(node.keys + arguments, node.relation.schema)


@problems.register(Join)
@problems.register(Mark)
def _keyed(node: Join | Mark):
    yield from _misfits(node.left_keys, node.left.schema)
    yield from _misfits(node.right_keys, node.right.schema)
    if len(node.left_keys) != len(node.right_keys):
        yield "its sides have keys of different lengths"
    for a, b in zip(node.left_keys, node.right_keys):
        if isinstance(meet(a.type, b.type), AnyOf):
            yield f"a key has the types {a.type} and {b.type}"


@problems.register(UnionAll)
@problems.register(Combine)
def _alike(node: Binary):
    if [c.type for c in node.left.schema] != [c.type for c in node.right.schema]:
        yield "its sides have different types"


def _misfits(terms: tuple[Term, ...], schema: Schema) -> Iterator[str]:
    for part in (p for term in terms for p in walk(term) if isinstance(p, Variable)):
        if not isinstance(part.slot, int) or part.slot >= len(schema):
            yield f"there is no column {part.slot}"
        elif isinstance(meet(part.type, schema[part.slot].type), AnyOf):
            yield f"column {part.slot} is not of type {part.type}"


def show(node: Node) -> str:
    """The algebra as text: operator[details](inputs)."""
    if isinstance(node, Input):
        return node.name
    operator = getattr(node, "operator", None) or (
        node.kind if isinstance(node, Window) else type(node).__name__.lower())
    details = ", ".join(_details(node))
    return f"{operator}{f'[{details}]' if details else ''}({', '.join(map(show, node.inputs))})"


def _details(node: Node) -> Iterator[str]:
    match node:
        case Window():
            given = (node.length, node.slide, node.rows, *(node.schema[i].name for i in node.by))
            yield from (str(value) for value in given if value is not None)
        case Filter():
            yield _text(node.condition, node.relation.schema)
        case Project():
            for term, name in zip(node.terms, node.names):
                text = _text(term, node.relation.schema)
                yield name if text == name else f"{text} as {name}"
        case Join() | Mark():
            for a, b in zip(node.left_keys, node.right_keys):
                yield f"{_text(a, node.left.schema)} = {_text(b, node.right.schema)}"
        case Top():
            for slot, descending in node.keys:
                yield node.schema[slot].name + " desc" * descending
            yield from () if node.count is None else (str(node.count),)
        case Group():
            yield from (_text(key, node.relation.schema) for key in node.keys)
            for call in node.calls:
                inner = "*" if call.argument is None else _text(call.argument, node.relation.schema)
                yield f"{call.function}({'distinct ' * call.distinct}{inner})"


def _text(term: Term, schema: Schema) -> str:
    names = {i: column.name for i, column in enumerate(schema) if column.name}
    return generated(term, lambda slot: names.get(slot, f"#{slot}"))
