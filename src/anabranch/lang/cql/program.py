"""A whole CQL program: its inputs, its named queries, and which results are written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.errors import ProgramError, did_you_mean
from anabranch.ir.types import Type, accepts
from anabranch.lang.common.checking import shown
from anabranch.lang.common.scope import Scope
from anabranch.lang.common.syntax import Name, TypeName
from anabranch.lang.common.syntax import Node as Syntax
from anabranch.lang.cql import sra, syntax
from anabranch.lang.cql.builtins import TYPES
from anabranch.lang.cql.projecting import numbered, possible
from anabranch.lang.cql.sra import Column, Input, Node, Schema
from anabranch.lang.cql.translate import Translator, as_columns
from anabranch.source import Span

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
        return sra.ToStream(node.span, node, "istream")
    return node


def _streamed(node: Node) -> Node:
    if node.is_stream or not node.monotonic:
        return node
    return sra.ToStream(node.span, node, "istream")


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
    if isinstance(node, sra.ToStream):
        return replace(node, relation=as_columns(node.relation, columns))
    whole = sra.Window(node.span, node, "unbounded")
    return sra.ToStream(node.span, as_columns(whole, columns), "istream")


def _check_schema(node: Node, wanted: Input, statement: syntax.Definition) -> None:
    given, kinds = [c.type for c in node.schema], [c.type for c in wanted.schema]
    if len(given) != len(kinds) or not all(map(accepts, kinds, given)):
        raise ProgramError(f"'{statement.name}' is declared with other types than its query has",
                           statement.query.span, expected=", ".join(map(shown, kinds)),
                           got=", ".join(map(shown, given)))
