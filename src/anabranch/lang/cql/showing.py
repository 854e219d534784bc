"""CQL programs as text again: what is read from it is the same program."""

from __future__ import annotations

from collections.abc import Iterable

from anabranch.lang.common.showing import listed, shown
from anabranch.lang.common.syntax import Name, Node, TypeName
from anabranch.lang.cql import syntax


def program_text(statements: Iterable[Node]) -> str:
    """The text of a whole program, a statement on each line."""
    return "".join(f"{shown(statement)};\n" for statement in statements)


@shown.register
def _declaration(node: syntax.Declaration) -> str:
    if node.type_first:
        return f"{node.name} : {_fields(node)} {node.kind}"
    return f"register {node.kind} {node.name}({', '.join(map(_field, node.fields))})"


def _fields(node: syntax.Declaration) -> str:
    return f"{{{', '.join(map(_field, node.fields))}}}"


def _field(field: tuple[Name, TypeName | Name]) -> str:
    name, kind = field
    return f"{name} {kind}" if isinstance(kind, Name) else f"{name} : {shown(kind)}"


@shown.register
def _definition(node: syntax.Definition) -> str:
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
def _output(node: syntax.Output) -> str:
    return shown(node.query)


@shown.register
def _reference(node: syntax.Reference) -> str:
    return str(node.name)


@shown.register
def _to_stream(node: syntax.ToStream) -> str:
    return f"{node.operator}({shown(node.query)})"


@shown.register
def _set_operation(node: syntax.SetOperation) -> str:
    every = " all" if node.every else ""
    return f"{_operand(node.left)} {node.operator}{every} {_operand(node.right)}"


def _operand(node: Node) -> str:
    return f"({shown(node)})" if isinstance(node, syntax.SetOperation) else shown(node)


@shown.register
def _select(node: syntax.Select) -> str:
    distinct = "distinct " if node.distinct else ""
    items = f"{node.to_stream}({listed(node.items)})" if node.to_stream else listed(node.items)
    where = "" if node.where is None else f" where {shown(node.where)}"
    group = f" group by {listed(node.group)}" if node.group else ""
    having = "" if node.having is None else f" having {shown(node.having)}"
    return f"select {distinct}{items} from {listed(node.tables)}{where}{group}{having}"


@shown.register
def _all_columns(node: syntax.AllColumns) -> str:
    return "*" if node.of is None else f"{node.of}.*"


@shown.register
def _item(node: syntax.Item) -> str:
    return shown(node.expression) + ("" if node.alias is None else f" as {node.alias}")


@shown.register
def _table(node: syntax.Table) -> str:
    named = isinstance(node.source, syntax.Reference)
    source = shown(node.source) if named else f"({shown(node.source)})"
    window = "" if node.window is None else f" {shown(node.window)}"
    return source + window + ("" if node.alias is None else f" as {node.alias}")


@shown.register
def _window(node: syntax.Window) -> str:
    length = "" if node.length is None else f"range {float(node.length)}"
    number = int if node.kind == "rows" else float
    slide = "" if node.slide is None else f" slide {number(node.slide)}"
    by = f"partition by {listed(node.by)} rows {node.rows}"
    return "[" + {"now": "now", "unbounded": "range unbounded", "range": length + slide,
                  "rows": f"rows {node.rows}{slide}", "partitioned": f"{by} {length}".rstrip()
                  }[node.kind] + "]"


@shown.register
def _aggregation(node: syntax.Aggregation) -> str:
    if node.argument is None:
        return f"{node.function}(*)"
    return f"{node.function}({'distinct ' * node.distinct}{shown(node.argument)})"


@shown.register
def _exists(node: syntax.Exists) -> str:
    return f"exists ({shown(node.query)})"


@shown.register
def _in_query(node: syntax.InQuery) -> str:
    return f"({shown(node.operand)} in ({shown(node.query)}))"


@shown.register
def _compared(node: syntax.Compared) -> str:
    return f"({shown(node.operand)} {node.operator} any ({shown(node.query)}))"


@shown.register
def _scalar(node: syntax.Scalar) -> str:
    return f"({shown(node.query)})"
