"""CQL programs as written: declarations, queries, windows; and as text again.

What is read from the text of a program is the same program.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from anabranch.ir.types import Type
from anabranch.lang.common.syntax import Name, Node, TypeName, listed, shown


@dataclass(frozen=True)
class Quoted(Name):
    """A name in backquotes, which may be a keyword."""


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
class FunctionDefinition(Node):
    """`create function f(x int) as x + 1`; `kind` is "function" or "aggregate"."""

    name: Name
    kind: str
    parameters: tuple[tuple[Name, TypeName | Name], ...]
    result: TypeName | None
    body: Node


@dataclass(frozen=True)
class ToStream(Node):
    operator: str
    query: Node


@dataclass(frozen=True)
class Calculation(Node):
    """A value of the values of two queries: `(select ...) / (select ...)`."""

    operator: str
    left: Node
    right: Node


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
    """`kind` is now, unbounded, range, rows, partitioned, hop or session; lengths of time are in
    seconds, the `slide` of a window of rows is in rows."""

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
class Joined(Node):
    """Two items of `from` as one: `kind` is inner, cross, left, right, full, or natural. The left
    may be joined itself."""

    kind: str
    left: Node
    right: Table
    on: Node | None = None
    using: tuple[Name, ...] = ()


@dataclass(frozen=True)
class Ordering(Node):
    expression: Node
    descending: bool = False


@dataclass(frozen=True)
class Select(Node):
    """`to_stream` is the operator around the select list; conditions of joins are in `where`."""

    distinct: bool
    to_stream: str | None
    items: tuple[Node, ...]
    tables: tuple[Table | Joined, ...]
    where: Node | None = None
    group: tuple[Node, ...] = ()
    having: Node | None = None
    order: tuple[Ordering, ...] = ()
    limit: int | None = None


@dataclass(frozen=True)
class Aggregation(Node):
    """`count(*)`, or `sum(distinct x)`: a call that can only be of an aggregate. It is over the
    rows that meet the `condition`."""

    function: Name
    argument: Node | None
    distinct: bool = False
    condition: Node | None = None


@dataclass(frozen=True)
class Together(Node):
    """Several expressions taken as one value: `count(distinct a, b)`."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Given(Node):
    """An argument of a function that the program defines, which takes a value of the type."""

    value: Node
    type: Type
    function: str


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
        return f"{shown(node.name)} : {_fields(node)} {node.kind}"
    return f"register {node.kind} {shown(node.name)}({', '.join(map(_field, node.fields))})"


def _fields(node: Declaration) -> str:
    return f"{{{', '.join(map(_field, node.fields))}}}"


def _field(field: tuple[Name, TypeName | Name]) -> str:
    name, kind = field
    return f"{shown(name)} {shown(kind)}" if isinstance(kind, Name) else (
        f"{shown(name)} : {shown(kind)}")


@shown.register
def _quoted(node: Quoted) -> str:
    return ".".join(f"`{part}`" for part in node.parts)


@shown.register
def _definition(node: Definition) -> str:
    if node.form == "view" and node.declared:
        return f"vquery : {shown(node.query)};\nvtable : {shown(node.declared)}"
    if node.form == "view":
        columns = f"({listed(node.columns)})" if node.columns else ""
        return f"create view {shown(node.name)}{columns} as {shown(node.query)}"
    if node.form == "query":
        return f"register query {shown(node.name)} as {shown(node.query)}"
    if node.kind:
        return f"create {node.kind} {shown(node.name)} as {shown(node.query)}"
    declared = node.declared
    kind = "" if declared is None else f"{_fields(declared)} {declared.kind} "
    return f"{shown(node.name)} : {kind}= {shown(node.query)}" if kind else \
        f"{shown(node.name)} := {shown(node.query)}"


@shown.register
def _output(node: Output) -> str:
    return shown(node.query)


@shown.register
def _reference(node: Reference) -> str:
    return shown(node.name)


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
    order = f" order by {listed(node.order)}" if node.order else ""
    limit = "" if node.limit is None else f" limit {node.limit}"
    return (f"select {distinct}{items} from {listed(node.tables)}{where}{group}{having}{order}"
            f"{limit}")


@shown.register
def _ordering(node: Ordering) -> str:
    return shown(node.expression) + " desc" * node.descending


@shown.register
def _joined(node: Joined) -> str:
    on = "" if node.on is None else f" on {shown(node.on)}"
    using = f" using ({listed(node.using)})" if node.using else ""
    return f"{shown(node.left)} {node.kind} join {shown(node.right)}{on}{using}"


@shown.register
def _calculation(node: Calculation) -> str:
    return f"({shown(node.left)}) {node.operator} ({shown(node.right)})"


@shown.register
def _function_definition(node: FunctionDefinition) -> str:
    returns = "" if node.result is None else f" returns {shown(node.result)}"
    parameters = ", ".join(map(_field, node.parameters))
    return f"create {node.kind} {shown(node.name)}({parameters}){returns} as {shown(node.body)}"


@shown.register
def _given(node: Given) -> str:
    return shown(node.value)


@shown.register
def _together(node: Together) -> str:
    return listed(node.parts)


@shown.register
def _all_columns(node: AllColumns) -> str:
    return "*" if node.of is None else f"{shown(node.of)}.*"


@shown.register
def _item(node: Item) -> str:
    return shown(node.expression) + ("" if node.alias is None else f" as {shown(node.alias)}")


@shown.register
def _table(node: Table) -> str:
    named = isinstance(node.source, Reference)
    source = shown(node.source) if named else f"({shown(node.source)})"
    window = "" if node.window is None else f" {shown(node.window)}"
    return source + window + ("" if node.alias is None else f" as {shown(node.alias)}")


@shown.register
def _window(node: Window) -> str:
    length = "" if node.length is None else f"range {float(node.length)}"
    number = int if node.kind == "rows" else float
    slide = "" if node.slide is None else f" slide {number(node.slide)}"
    by = f"partition by {listed(node.by)} " if node.by else ""
    return "[" + {"now": "now", "unbounded": "range unbounded", "range": length + slide,
                  "rows": f"rows {node.rows}{slide}",
                  "partitioned": f"{by}rows {node.rows} {length}".rstrip(),
                  "hop": length.replace("range", "hop") + slide,
                  "session": by + length.replace("range", "session")}[node.kind] + "]"


@shown.register
def _aggregation(node: Aggregation) -> str:
    inner = "*" if node.argument is None else shown(node.argument)
    some = "" if node.condition is None else f" filter (where {shown(node.condition)})"
    return f"{shown(node.function)}({'distinct ' * node.distinct}{inner}){some}"


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
