"""The stream relational algebra: what a CQL query computes, as a tree of operators.

A relation maps every timestamp to a bag of rows; a stream has rows with timestamps. Windows lead
from streams to relations, `ToStream` leads back, everything else stays among relations. Rows are
tuples, and a `Variable` of a term has the position of its column as its slot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from anabranch.ir.types import BOOL, Type
from anabranch.lang.common.terms import Term, Variable
from anabranch.source import Span


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
