"""From a CQL program to the stream relational algebra, checking types on the way.

A whole program has inputs, named queries, and results, of which some are written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatchmethod

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.ir.types import INT, AnyOf, Type, accepts, meet
from anabranch.lang.common.check import Scope, shown
from anabranch.lang.common.syntax import Literal, Name, TypeName
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.common.terms import Term, Variable
from anabranch.lang.cql import algebra, syntax
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import Column, Input, Node, Schema
from anabranch.lang.cql.check import TYPES, Checker, Rows, is_correlated
from anabranch.lang.cql.clauses import (
    conjuncts,
    equated,
    filtered,
    joined,
    marked_rows,
    marks_in,
    numbered,
    possible,
    projected,
    star,
)
from anabranch.lang.cql.functions import Functions
from anabranch.lang.cql.joins import Pairs, Tables, join, rows_of
from anabranch.lang.cql.scalars import Scalars, calculated, has_scalar


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
    def _calculation(self, query: syntax.Calculation):
        return calculated(self, query)

    @query.register
    def _select(self, query: syntax.Select):
        block = self.block(query)
        node = projected(query, block.node, block.rows, Scalars(self, block.rows))
        if query.distinct:
            node = sra.Distinct(query.span, node)
        if query.order or query.limit is not None:
            keys = tuple(ordered(query, each, node, block.rows) for each in query.order)
            node = sra.Top(query.span, node, keys, query.limit)
        return sra.ToStream(query.span, node, query.to_stream) if query.to_stream else node

    def relation(self, query: Syntax) -> Node:
        """The relation of a query; a stream without a window is all of it."""
        node = self.query(query)
        return sra.Window(node.span, node, "unbounded") if node.is_stream else node

    def block(self, query: syntax.Select, outer: Rows | None = None) -> QueryBlock:
        """The `from` and `where` of a select, which may stand in a condition of another."""
        items = [self.item(table) for table in query.tables]
        named = tuple(each for of_item, _, _ in items for each in of_item)
        _check_names(named)
        tables, same, width = [], frozenset(), 0
        for _, node, pairs in items:
            same |= {frozenset(slot + width for slot in pair) for pair in pairs}
            tables, width = [*tables, node], width + len(node.schema)
        rows = rows_of(named, outer, same)
        checker, marked = Checker(rows, "'where'"), []
        scalars = Scalars(self, rows, tables)
        checker.marked, checker.scalar = marked, scalars.term
        conditions = conjuncts(checker.condition(query.where)) if query.where else []
        inner = [c for c in conditions if not is_correlated(c)]
        rows = replace(rows, same=same | equated(inner))
        late = [c for c in inner if marks_in(c) or has_scalar(c)]
        node, placed = scalars.beside(joined(tables, [c for c in inner if c not in late]))
        late = list(map(placed, late))
        if marked:
            marked = [replace(m, operand=m.operand and placed(m.operand)) for m in marked]
            node = marked_rows(self, node, rows, late, marked)
        else:
            node = filtered(node, late)
        return QueryBlock(rows, node, tuple(c for c in conditions if is_correlated(c)))

    def item(self, item: syntax.Table | syntax.Joined) -> tuple[Tables, Node, Pairs]:
        """An item of `from`: the tables in it with their columns, its rows, and the columns that
        are said to be the same."""
        if isinstance(item, syntax.Joined):
            tables, node, _ = self.item(item.right)
            return join(item, self.item(item.left), (tables, node))
        node = self.table(item)
        return ((_alias(item), node.schema),), node, frozenset()

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
        by = Rows(((str(_alias(table) or ""), node.schema),))
        return sra.Window(window.span, node, window.kind, window.length, window.slide, window.rows,
                          tuple(by.variable(name).slot for name in window.by))


def _alias(table: syntax.Table) -> Name | None:
    if table.alias is not None:
        return table.alias
    return table.source.name if isinstance(table.source, syntax.Reference) else None


def _check_names(tables: Tables) -> None:
    """Tables that can be called must have names of their own."""
    seen: set[str] = set()
    for number, (alias, _) in enumerate(tables, 1):
        if alias is None:
            continue
        if str(alias).lower() in seen:
            raise ProgramError(f"two tables are called '{alias}'", alias.span,
                               help=f"give one of them another name: {alias} as {alias}{number}")
        seen.add(str(alias).lower())


def ordered(query: syntax.Select, wanted: syntax.Ordering, node: Node, rows: Rows
            ) -> tuple[int, bool]:
    """The column that a result is ordered by."""
    expression, items = wanted.expression, query.items
    if isinstance(expression, Literal) and expression.type == INT and (
            1 <= expression.value <= len(node.schema)):
        return expression.value - 1, wanted.descending
    slots = [n for n, each in enumerate(_expressions(items, rows)) if each == expression]
    if not slots and isinstance(expression, Name):
        name = expression.parts[-1].lower()
        slots = [n for n, column in enumerate(node.schema) if column.name.lower() == name]
    if len(slots) != 1:
        raise ProgramError("rows are ordered by what they have", expression.span,
                           expected="an expression of the select list, or its name",
                           help="add it to the list")
    return slots[0], wanted.descending


def _expressions(items: tuple[Syntax, ...], rows: Rows) -> list[Syntax | None]:
    """The expression of each column; those of `*` have their names alone."""
    return [each for item in items
            for each in ([None] * len(star(item, rows)) if isinstance(item, syntax.AllColumns)
                         else [item.expression])]


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
    translator, functions = Translator(names), Functions()
    for statement in statements:
        if isinstance(statement, syntax.FunctionDefinition):
            _define(functions, statement)
            continue
        if isinstance(statement, syntax.Declaration):
            inputs.append(declared(statement))
            names.declare(statement.name, inputs[-1])
            continue
        node = _finished(translator.query(functions.expanded(statement.query)), statement)
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


def _define(functions: Functions, node: syntax.FunctionDefinition) -> None:
    columns: Scope[Type] = Scope("parameter")
    for field in node.parameters:
        columns.declare(*_field(field, False))
    parameters = tuple(Column(name, columns.get(name)) for name in columns)
    result = node.result and _type(node.result.name, node.result.span)
    functions.define(node, parameters, result)


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
