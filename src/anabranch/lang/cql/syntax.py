"""CQL programs as they are written: declarations, queries, windows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from anabranch.lang.common.syntax import Name, Node, TypeName


@dataclass(frozen=True)
class Declaration(Node):
    """`name : {type attribute, ...} stream` or `register stream name(attribute type, ...)`.

    A field is a name and a type; where two words leave it open which is which, both are names.
    """

    name: Name
    kind: str
    fields: tuple[tuple[Name, TypeName | Name], ...]
    type_first: bool


@dataclass(frozen=True)
class Definition(Node):
    """A named query: `form` is "view", "query" or "definition", `declared` its declared type;
    `kind` is "stream" or "relation" where that alone is stated."""

    name: Name
    query: Node
    form: str = "definition"
    declared: Declaration | None = None
    columns: tuple[Name, ...] = ()
    kind: str | None = None


@dataclass(frozen=True)
class Output(Node):
    """A query without a name."""

    query: Node


@dataclass(frozen=True)
class Reference(Node):
    """All of a stream or relation, by its name."""

    name: Name


@dataclass(frozen=True)
class ToStream(Node):
    operator: str
    query: Node


@dataclass(frozen=True)
class SetOperation(Node):
    operator: str
    every: bool
    left: Node
    right: Node


@dataclass(frozen=True)
class AllColumns(Node):
    """`*`, or `quotes.*`."""

    of: Name | None = None


@dataclass(frozen=True)
class Item(Node):
    """An expression of a select list, with its alias."""

    expression: Node
    alias: Name | None = None


@dataclass(frozen=True)
class Window(Node):
    """`kind` is now, unbounded, range, rows or partitioned; lengths of time are in seconds, the
    `slide` of a window of rows is in rows."""

    kind: str
    length: Fraction | None = None
    slide: Fraction | None = None
    rows: int | None = None
    by: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Table(Node):
    """An item of `from`: a name or a subquery, its window, its alias."""

    source: Node
    window: Window | None = None
    alias: Name | None = None


@dataclass(frozen=True)
class Select(Node):
    """`to_stream` is the operator around the select list; conditions of joins are in `where`."""

    distinct: bool
    to_stream: str | None
    items: tuple[Node, ...]
    tables: tuple[Table, ...]
    where: Node | None = None
    group: tuple[Node, ...] = ()
    having: Node | None = None


@dataclass(frozen=True)
class Aggregation(Node):
    """`count(*)`, or `sum(distinct x)`: a call that can only be of an aggregate."""

    function: Name
    argument: Node | None
    distinct: bool = False


@dataclass(frozen=True)
class Exists(Node):
    query: Node


@dataclass(frozen=True)
class InQuery(Node):
    operand: Node
    query: Node


@dataclass(frozen=True)
class Compared(Node):
    """Whether a comparison holds with some row of a query: `operand < any (query)`."""

    operand: Node
    operator: str
    query: Node


@dataclass(frozen=True)
class Scalar(Node):
    """The one value of a query: `(select max(a) from S)`."""

    query: Node
