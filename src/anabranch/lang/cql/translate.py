"""From CQL to the stream relational algebra, checking types on the way."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, singledispatchmethod

from anabranch.errors import ProgramError
from anabranch.ir.types import AnyOf, meet
from anabranch.lang.common.checking import shown
from anabranch.lang.common.scope import Scope
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.common.terms import Term, Variable
from anabranch.lang.cql import sra, syntax
from anabranch.lang.cql.checking import Checker, Marked
from anabranch.lang.cql.marks import marked_rows
from anabranch.lang.cql.names import Rows, is_correlated
from anabranch.lang.cql.projecting import is_grouped, projected
from anabranch.lang.cql.sra import Column, Input, Node
from anabranch.lang.cql.tables import conjuncts, equated, joined


@dataclass(frozen=True)
class Block:
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

    def block(self, query: syntax.Select, outer: Rows | None = None) -> Block:
        """The `from` and `where` of a select, which may stand in a condition of another."""
        tables = [self.table(table) for table in query.tables]
        rows = Rows(_named(query.tables, tables), outer)
        checker, marked = Checker(rows, "'where'"), []
        checker.marked, checker.scalar = marked, partial(self._scalar, tables, rows)
        conditions = conjuncts(checker.condition(query.where)) if query.where else []
        inner = [c for c in conditions if not is_correlated(c)]
        rows = replace(rows, same=equated(inner))
        node = self._marked(tables, rows, inner, marked)
        return Block(rows, node, tuple(c for c in conditions if is_correlated(c)))

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
