"""Which attributes of its item a function looks at."""

from __future__ import annotations

import ast

from anabranch.analysis.syntax import Missing, syntax_of
from anabranch.ir.function import Function


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
    [item] = syntax.parameters
    inside = [node for statement in syntax.body for node in ast.walk(statement)]
    named = [node for node in inside if isinstance(node, ast.Name) and node.id == item]
    through = [node for node in inside if isinstance(node, ast.Attribute) and node.value in named]
    if len(through) < len(named) or any(not isinstance(n.ctx, ast.Load) for n in through):
        return None
    return frozenset(node.attr for node in through)
