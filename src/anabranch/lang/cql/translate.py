"""From a CQL program to the stream relational algebra, checking types on the way.

A whole program has inputs, named queries, and results, of which some are written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import AnyOf, Type, accepts, meet
from anabranch.lang.common.check import Scope, shown
from anabranch.lang.common.syntax import Name, TypeName
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.common.terms import Term, Variable
from anabranch.lang.cql import algebra, syntax
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import Column, Input, Node, Schema
from anabranch.lang.cql.check import TYPES, Checker, Marked, Rows, is_correlated
from anabranch.lang.cql.clauses import (
    conjuncts,
    equated,
    is_grouped,
    joined,
    marked_rows,
    numbered,
    possible,
    projected,
)


@dataclass(frozen=True)
class QueryBlock:
    """The tables and conditions of a select: `rows` for its terms, `node` for its relation.

    `correlated` has the conditions that name columns of the query around.
    """

    rows: Rows
    node: Node
    correlated: tuple[Term, ...]


class Translator:
    """Translates queries over the streams and relations that have been declared so far."""

    def __init__(self, names: Scope[Input]):
        self.names = names

    @singledispatchmethod
    def query(self, query: Syntax) -> Node:
        """The algebra of a query: a stream if an operator says so, else a relation."""
        raise TypeError(f"no rule translates a {type(query).__name__}")

    @query.register
    def _reference(self, query: syntax.Reference):
        return replace(self.names.find(query.name), span=query.span)

    @query.register
    def _to_stream(self, query: syntax.ToStream):
        relation = self.query(query.query)
        if relation.is_stream:
            raise ProgramError(f"{query.operator} is applied to a relation, and this is a stream",
                               query.query.span, help="leave one of the two operators out")
        return sra.ToStream(query.span, relation, query.operator)

    @query.register
    def _set_operation(self, query: syntax.SetOperation):
        left, right = self.relation(query.left), self.relation(query.right)
        left, right = _aligned(left, right, query)
        if query.operator == "union" and query.every:
            return sra.UnionAll(query.span, left, right)
        return sra.Combine(query.span, left, right, query.operator, query.every)

    @query.register
    def _select(self, query: syntax.Select):
        block = self.block(query)
        node = projected(query, block.node, block.rows)
        if query.distinct:
            node = sra.Distinct(query.span, node)
        return sra.ToStream(query.span, node, query.to_stream) if query.to_stream else node

    def relation(self, query: Syntax) -> Node:
        """The relation of a query; a stream without a window is all of it."""
        node = self.query(query)
        return sra.Window(node.span, node, "unbounded") if node.is_stream else node

    def block(self, query: syntax.Select, outer: Rows | None = None) -> QueryBlock:
        """The `from` and `where` of a select, which may stand in a condition of another."""
        tables = [self.table(table) for table in query.tables]
        rows = Rows(_named(query.tables, tables), outer)
        checker, marked = Checker(rows, "'where'"), []
        checker.marked, checker.scalar = marked, partial(self._scalar, tables, rows)
        conditions = conjuncts(checker.condition(query.where)) if query.where else []
        inner = [c for c in conditions if not is_correlated(c)]
        rows = replace(rows, same=equated(inner))
        node = self._marked(tables, rows, inner, marked)
        return QueryBlock(rows, node, tuple(c for c in conditions if is_correlated(c)))

    def _marked(self, tables: list[Node], rows: Rows, conditions: list[Term],
                marked: list[Marked]) -> Node:
        if not marked:
            return joined(tables, conditions)
        return marked_rows(self, tables, rows, conditions, marked)

    def _scalar(self, tables: list[Node], rows: Rows, query: syntax.Select) -> Term:
        """The value of a query that always has one row, which becomes one more of the tables."""
        if query.group or query.having or query.to_stream or not is_grouped(query):
            raise ProgramError("a query that is a value must always have one row", query.span,
                               expected="an aggregate, without 'group by' and 'having'",
                               help="or use `in`, `any`, or a join")
        if self.block(query, rows).correlated:
            raise ProgramError("a query that is a value cannot name the query around it",
                               query.span, help="define it as a view with 'group by', and join it")
        node = self.relation(query)
        if len(node.schema) != 1:
            raise ProgramError("a query that is a value must have one column", query.span,
                               got=f"{len(node.schema)} columns")
        slot = sum(len(table.schema) for table in tables)
        tables.append(node)
        return Variable(node.schema[0].type, query.span, slot)

    def table(self, table: syntax.Table) -> Node:
        """A table of `from`: a relation, or a window on a stream."""
        node, window = self.query(table.source), table.window
        if not node.is_stream:
            if window is not None:
                raise ProgramError("a window stands on a stream, and this is a relation",
                                   window.span, help="leave the window out")
            return node
        if window is None:
            return sra.Window(table.span, node, "unbounded")
        by = Rows(((_alias(table) or "", node.schema),))
        return sra.Window(window.span, node, window.kind, window.length, window.slide, window.rows,
                          tuple(by.variable(name).slot for name in window.by))


def _alias(table: syntax.Table) -> str | None:
    if table.alias is not None:
        return str(table.alias)
    return str(table.source.name) if isinstance(table.source, syntax.Reference) else None


def _named(tables: tuple[syntax.Table, ...], nodes: list[Node]) -> tuple:
    """The tables under their aliases, each of which must be new."""
    scope: Scope[sra.Schema] = Scope("table")
    named = []
    for number, (table, node) in enumerate(zip(tables, nodes), 1):
        alias = _alias(table)
        if alias is not None and alias in scope:
            raise ProgramError(f"two tables are called '{alias}'", table.span,
                               help=f"give one of them another name: {alias} as {alias}{number}")
        if alias is not None:
            scope.meanings[alias.lower()] = alias, node.schema
        named.append((alias or f"table {number}", node.schema))
    return tuple(named)


def _aligned(left: Node, right: Node, query: syntax.SetOperation) -> tuple[Node, Node]:
    """Both sides with the types that their columns have in common, under the left side's names."""
    if len(left.schema) != len(right.schema):
        raise ProgramError(f"both sides of '{query.operator}' must have as many columns",
                           query.right.span, expected=str(len(left.schema)),
                           got=str(len(right.schema)))
    columns = []
    for a, b in zip(left.schema, right.schema):
        kind = meet(a.type, b.type)
        if isinstance(kind, AnyOf):
            raise ProgramError(f"both sides of '{query.operator}' must have the same types",
                               query.right.span, expected=f"{a.name} {shown(a.type)}",
                               got=f"{b.name} {shown(b.type)}")
        columns.append(Column(a.name, kind))
    return as_columns(left, tuple(columns)), as_columns(right, tuple(columns))


def as_columns(node: Node, columns: sra.Schema) -> Node:
    """The same rows under other names, or other types that hold their values too."""
    if node.schema == columns:
        return node
    terms = tuple(Variable(c.type, node.span, i) for i, c in enumerate(columns))
    return sra.Project(node.span, node, terms, tuple(c.name for c in columns))


OP = "op"
"""The column that tells whether a change of a relation adds a row or takes one away."""


@dataclass(frozen=True)
class Result:
    """A query with its name, in the order of the text; `written` when it is an output."""

    name: str
    node: Node
    written: bool


@dataclass(frozen=True)
class Program:
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]


def program_of(statements: tuple[Syntax, ...]) -> Program:
    """The checked program. Written are the queries without a name, those that are registered as
    queries, and other named ones that no query reads; views are not."""
    names: Scope[Input] = Scope("stream or relation")
    inputs, results, read = [], [], set()
    translator = Translator(names)
    for statement in statements:
        if isinstance(statement, syntax.Declaration):
            inputs.append(declared(statement))
            names.declare(statement.name, inputs[-1])
            continue
        node = _finished(translator.query(statement.query), statement)
        read |= {n.name for n in _nodes(node) if isinstance(n, Input)}
        if isinstance(statement, syntax.Definition):
            name = str(possible(statement.name))
            names.declare(statement.name, Input(statement.span, name, node.schema, node.is_stream,
                                                node.monotonic))
            results.append((name, node, statement.form))
        else:
            results.append((None, node, "query"))
    return Program(tuple(inputs), _written(results, read, tuple(names)))


def _written(results: list[tuple[str | None, Node, str]], read: set[str],
             taken: tuple[str, ...]) -> tuple[Result, ...]:
    """The results; those without a name get one that is not taken."""
    fresh = iter(numbered(["output" for name, _, _ in results if name is None], taken))
    return tuple(Result(name or next(fresh), node, form == "query"
                        or (form == "definition" and name not in read))
                 for name, node, form in results)


def _nodes(node: Node):
    yield node
    for each in node.inputs:
        yield from _nodes(each)


def declared(declaration: syntax.Declaration) -> Input:
    """The stream or relation of a declaration."""
    columns: Scope[Type] = Scope("attribute")
    for field in declaration.fields:
        name, kind = _field(field, declaration.type_first)
        possible(name)
        columns.declare(name, kind)
    schema = tuple(Column(name, columns.get(name)) for name in columns)
    is_stream = declaration.kind == "stream"
    if not is_stream and OP in columns:
        raise ProgramError(f"a relation cannot have an attribute '{OP}'", declaration.span,
                           help="its input has a column of this name, for '+' and '-'")
    return Input(declaration.span, str(possible(declaration.name)), schema, is_stream, is_stream)


def _field(field: tuple[Name, TypeName | Name], type_first: bool) -> tuple[Name, Type]:
    """The name and type of a field; of two words, the usual one of the form is the type."""
    name, kind = field
    if isinstance(kind, TypeName):
        return name, _type(kind.name, kind.span)
    usual, other = (name, kind) if type_first else (kind, name)
    if _base(str(usual)) not in TYPES and _base(str(other)) in TYPES:
        usual, other = other, usual
    return other, _type(str(usual), usual.span)


def _type(name: str, span: Span) -> Type:
    if _base(name) not in TYPES:
        raise ProgramError(f"there is no type '{name}'", span, help=did_you_mean(name, TYPES))
    return TYPES[_base(name)]


def _base(name: str) -> str:
    """The name of a type without the length that may stand behind it: char20."""
    return name.lower().rstrip("0123456789")


def _finished(node: Node, statement: Syntax) -> Node:
    """The result of a whole query: a growing relation is a stream, unless it is declared not so."""
    if not isinstance(statement, syntax.Definition):
        return _streamed(node)
    node = _with_columns(node, statement)
    if statement.declared is None:
        return _of_kind(_streamed(node) if statement.kind is None else node, statement)
    wanted = declared(statement.declared)
    _check_schema(node, wanted, statement)
    return _of_kind(_as(node, wanted.schema), statement)


def _of_kind(node: Node, statement: syntax.Definition) -> Node:
    """The node as the stream or the relation that it is declared to be."""
    kind = statement.declared.kind if statement.declared else statement.kind
    if node.is_stream and kind == "relation":
        raise ProgramError(f"'{statement.name}' is declared as a relation, and this is a stream",
                           statement.query.span, help="leave the operator that makes it one out")
    if kind == "stream" and not node.is_stream:
        return algebra.ToStream(node.span, node, "istream")
    return node


def _streamed(node: Node) -> Node:
    if node.is_stream or not node.monotonic:
        return node
    return algebra.ToStream(node.span, node, "istream")


def _with_columns(node: Node, statement: syntax.Definition) -> Node:
    if not statement.columns:
        return node
    if len(statement.columns) != len(node.schema):
        raise ProgramError(f"'{statement.name}' has another number of columns than its query",
                           statement.name.span, expected=str(len(node.schema)),
                           got=str(len(statement.columns)))
    names = numbered([str(possible(name)) for name in statement.columns])
    return _as(node, tuple(Column(n, c.type) for n, c in zip(names, node.schema)))


def _as(node: Node, columns: Schema) -> Node:
    """The same rows as other columns; a stream is changed inside of its operator."""
    if not node.is_stream or node.schema == columns:
        return as_columns(node, columns)
    if isinstance(node, algebra.ToStream):
        return replace(node, relation=as_columns(node.relation, columns))
    whole = algebra.Window(node.span, node, "unbounded")
    return algebra.ToStream(node.span, as_columns(whole, columns), "istream")


def _check_schema(node: Node, wanted: Input, statement: syntax.Definition) -> None:
    given, kinds = [c.type for c in node.schema], [c.type for c in wanted.schema]
    if len(given) != len(kinds) or not all(map(accepts, kinds, given)):
        raise ProgramError(f"'{statement.name}' is declared with other types than its query has",
                           statement.query.span, expected=", ".join(map(shown, kinds)),
                           got=", ".join(map(shown, given)))
