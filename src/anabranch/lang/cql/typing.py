"""The typing rules of the stream relational algebra, and its text.

Windows are of streams and give relations; the operators that give streams, and all others, are of
relations. A term's columns must be those of the rows it is computed for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from anabranch.ir.types import BOOL, AnyOf, meet, without_none
from anabranch.lang.common.generating import generated
from anabranch.lang.common.terms import Term, Variable, walk
from anabranch.lang.cql import sra
from anabranch.lang.cql.sra import Node, Schema


def verify(node: Node) -> Node:
    """The node itself, if it and all below it are well typed; a `TypeError` if not, since the
    translation should have refused the program."""
    for each in node.inputs:
        verify(each)
        if each.is_stream != isinstance(node, sra.Window):
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
def _filter(node: sra.Filter):
    yield from _misfits((node.condition,), node.relation.schema)
    if without_none(node.condition.type) != BOOL:
        yield "its condition is neither true nor false"


@problems.register
def _project(node: sra.Project):
    yield from _misfits(node.terms, node.relation.schema)
    if len(set(map(str.lower, node.names))) != len(node.terms):
        yield "its names do not fit its terms"


@problems.register
def _group(node: sra.Group):
    arguments = tuple(c.argument for c in node.calls if c.argument is not None)
    yield from _misfits(node.keys + arguments, node.relation.schema)


@problems.register(sra.Join)
@problems.register(sra.Mark)
def _keyed(node: sra.Join | sra.Mark):
    yield from _misfits(node.left_keys, node.left.schema)
    yield from _misfits(node.right_keys, node.right.schema)
    if len(node.left_keys) != len(node.right_keys):
        yield "its sides have keys of different lengths"
    for a, b in zip(node.left_keys, node.right_keys):
        if isinstance(meet(a.type, b.type), AnyOf):
            yield f"a key has the types {a.type} and {b.type}"


@problems.register(sra.UnionAll)
@problems.register(sra.Combine)
def _alike(node: sra.Binary):
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
    if isinstance(node, sra.Input):
        return node.name
    operator = getattr(node, "operator", None) or (
        node.kind if isinstance(node, sra.Window) else type(node).__name__.lower())
    details = ", ".join(_details(node))
    return f"{operator}{f'[{details}]' if details else ''}({', '.join(map(show, node.inputs))})"


def _details(node: Node) -> Iterator[str]:
    match node:
        case sra.Window():
            given = (node.length, node.slide, node.rows, *(node.schema[i].name for i in node.by))
            yield from (str(value) for value in given if value is not None)
        case sra.Filter():
            yield _text(node.condition, node.relation.schema)
        case sra.Project():
            for term, name in zip(node.terms, node.names):
                text = _text(term, node.relation.schema)
                yield name if text == name else f"{text} as {name}"
        case sra.Join() | sra.Mark():
            for a, b in zip(node.left_keys, node.right_keys):
                yield f"{_text(a, node.left.schema)} = {_text(b, node.right.schema)}"
        case sra.Group():
            yield from (_text(key, node.relation.schema) for key in node.keys)
            for call in node.calls:
                inner = "*" if call.argument is None else _text(call.argument, node.relation.schema)
                yield f"{call.function}({'distinct ' * call.distinct}{inner})"


def _text(term: Term, schema: Schema) -> str:
    names = {i: column.name for i, column in enumerate(schema) if column.name}
    return generated(term, lambda slot: names.get(slot, f"#{slot}"))
