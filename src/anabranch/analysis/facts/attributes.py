"""Which attributes of its items a function looks at."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from anabranch.analysis.syntax import FunctionSyntax, Missing, syntax_of
from anabranch.ir.function import Function

FRAMES = {"dir", "eval", "exec", "locals", "vars"}
"""Functions that see all variables of their caller."""


@dataclass(frozen=True)
class Look:
    """The attributes that are read, and whether the item may leave as it is, or with some
    attributes replaced."""

    attributes: frozenset[str]
    passes: bool = False


def attributes_read(function: Function) -> frozenset[str] | None:
    """The attributes of its only argument that a function reads; None when it may see all of it.

    >>> sorted(attributes_read(Function.from_source("lambda t: t.price > 2 * t.bid", {})))
    ['bid', 'price']
    >>> attributes_read(Function.from_source("lambda t: len(t) > 3", {})) is None
    True
    """
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing) or len(syntax.parameters) != 1:
        return None
    found = look(function, 0)
    return found and found.attributes


def look(function: Function, position: int,
         emitted: Callable[[FunctionSyntax], Iterable[ast.expr | None]] = lambda syntax: ()
         ) -> Look | None:
    """How a function looks at the argument at a position; None when it may see all of it.
    `emitted` tells the expressions of its syntax that are the items it gives.

    >>> look(Function.from_source("lambda s, t: s.n + t.bid", {}), 1)
    Look(attributes=frozenset({'bid'}), passes=False)
    """
    syntax = syntax_of(function.call)
    if isinstance(syntax, Missing) or len(syntax.parameters) <= position:
        return None
    item = syntax.parameters[position]
    inside = [node for statement in syntax.body for node in ast.walk(statement)]
    names = [node for node in inside if isinstance(node, ast.Name)]
    given = [name for made in emitted(syntax) if (name := _given_out(made, item))]
    read = [node for node in inside if isinstance(node, ast.Attribute) and isinstance(
        node.ctx, ast.Load) and _is(node.value, item) and node.value not in given]
    known = len(given) + len(read) == sum(node.id == item for node in names)
    if not known or any(node.id in FRAMES for node in names):
        return None
    return Look(frozenset(node.attr for node in read), bool(given))


def _is(node: ast.expr | None, item: str) -> bool:
    return isinstance(node, ast.Name) and node.id == item


def _given_out(made: ast.expr | None, item: str) -> ast.Name | None:
    """Where an expression names the item that it gives, itself or with attributes replaced."""
    match made:
        case ast.Name() if _is(made, item):
            return made
        case ast.Call(func=ast.Attribute(value=ast.Name() as name, attr="replace" | "_replace"),
                      args=[], keywords=changes) if _is(name, item) and all(
                          change.arg for change in changes):
            return name
    return None
