"""CQL programs as written: declarations, queries, windows; and as text again.

What is read from the text of a program is the same program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from anabranch.lang.common.syntax import Name, Node, TypeName, listed, shown


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


def program_text(statements: Iterable[Node]) -> str:
    """The text of a whole program, a statement on each line."""
    return "".join(f"{shown(statement)};\n" for statement in statements)


@shown.register
def _declaration(node: Declaration) -> str:
    if node.type_first:
        return f"{node.name} : {_fields(node)} {node.kind}"
    return f"register {node.kind} {node.name}({', '.join(map(_field, node.fields))})"


def _fields(node: Declaration) -> str:
    return f"{{{', '.join(map(_field, node.fields))}}}"


def _field(field: tuple[Name, TypeName | Name]) -> str:
    name, kind = field
    return f"{name} {kind}" if isinstance(kind, Name) else f"{name} : {shown(kind)}"


@shown.register
def _definition(node: Definition) -> str:
    if node.form == "view" and node.declared:
        return f"vquery : {shown(node.query)};\nvtable : {shown(node.declared)}"
    if node.form == "view":
        columns = f"({listed(node.columns)})" if node.columns else ""
        return f"create view {node.name}{columns} as {shown(node.query)}"
    if node.form == "query":
        return f"register query {node.name} as {shown(node.query)}"
    if node.kind:
        return f"create {node.kind} {node.name} as {shown(node.query)}"
    declared = node.declared
    kind = "" if declared is None else f"{_fields(declared)} {declared.kind} "
    return f"{node.name} : {kind}= {shown(node.query)}" if kind else \
        f"{node.name} := {shown(node.query)}"


@shown.register
def _output(node: Output) -> str:
    return shown(node.query)


@shown.register
def _reference(node: Reference) -> str:
    return str(node.name)


@shown.register
def _to_stream(node: ToStream) -> str:
    return f"{node.operator}({shown(node.query)})"


@shown.register
def _set_operation(node: SetOperation) -> str:
    every = " all" if node.every else ""
    return f"{_operand(node.left)} {node.operator}{every} {_operand(node.right)}"


def _operand(node: Node) -> str:
    return f"({shown(node)})" if isinstance(node, SetOperation) else shown(node)


@shown.register
def _select(node: Select) -> str:
    distinct = "distinct " if node.distinct else ""
    items = f"{node.to_stream}({listed(node.items)})" if node.to_stream else listed(node.items)
    where = "" if node.where is None else f" where {shown(node.where)}"
    group = f" group by {listed(node.group)}" if node.group else ""
    having = "" if node.having is None else f" having {shown(node.having)}"
    return f"select {distinct}{items} from {listed(node.tables)}{where}{group}{having}"


@shown.register
def _all_columns(node: AllColumns) -> str:
    return "*" if node.of is None else f"{node.of}.*"


@shown.register
def _item(node: Item) -> str:
    return shown(node.expression) + ("" if node.alias is None else f" as {node.alias}")


@shown.register
def _table(node: Table) -> str:
    named = isinstance(node.source, Reference)
    source = shown(node.source) if named else f"({shown(node.source)})"
    window = "" if node.window is None else f" {shown(node.window)}"
    return source + window + ("" if node.alias is None else f" as {node.alias}")


@shown.register
def _window(node: Window) -> str:
    length = "" if node.length is None else f"range {float(node.length)}"
    number = int if node.kind == "rows" else float
    slide = "" if node.slide is None else f" slide {number(node.slide)}"
    by = f"partition by {listed(node.by)} rows {node.rows}"
    return "[" + {"now": "now", "unbounded": "range unbounded", "range": length + slide,
                  "rows": f"rows {node.rows}{slide}", "partitioned": f"{by} {length}".rstrip()
                  }[node.kind] + "]"


@shown.register
def _aggregation(node: Aggregation) -> str:
    if node.argument is None:
        return f"{node.function}(*)"
    return f"{node.function}({'distinct ' * node.distinct}{shown(node.argument)})"


@shown.register
def _exists(node: Exists) -> str:
    return f"exists ({shown(node.query)})"


@shown.register
def _in_query(node: InQuery) -> str:
    return f"({shown(node.operand)} in ({shown(node.query)}))"


@shown.register
def _compared(node: Compared) -> str:
    return f"({shown(node.operand)} {node.operator} any ({shown(node.query)}))"


@shown.register
def _scalar(node: Scalar) -> str:
    return f"({shown(node.query)})"
