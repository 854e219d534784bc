"""A split as native code: for each item the number of the first predicate that holds."""

from __future__ import annotations

import ast

from anabranch.ir.function import Function
from anabranch.ir.graph import Operator
from anabranch.kernels.native.body import Body, Registry
from anabranch.kernels.native.operators import Written, begin
from anabranch.kernels.native.values import Shape, Unsupported, constant
from anabranch.kernels.native.walk import truth


def write_split(op: Operator, item: Shape, registry: Registry) -> Written:
    """Hands on port numbers; the items themselves need not be touched."""
    body = Body(None, {}, registry)
    written = Written(body.lines)
    for port, predicate in enumerate(op.kind.predicates):
        body.write(f"if {_condition(predicate, item, body)}:")
        with body.indented():
            written.hand_on(body, constant(port))
            body.write("return")
    written.hand_on(body, constant(len(op.kind.predicates)))
    return written


def _condition(predicate: Function, item: Shape, body: Body) -> str:
    inner = begin(predicate, [item], body.registry)
    found = _returned(inner.syntax.node)
    if found is None:
        raise Unsupported(f"asks {predicate.name}, which is more than an expression",
                          predicate.span)
    code = truth(inner, found)
    body.lines += inner.lines
    return code


def _returned(node: ast.AST) -> ast.expr | None:
    """The expression that a function consists of, if that is all."""
    if isinstance(node, ast.Lambda):
        return node.body
    [first, *more] = node.body
    return first.value if isinstance(first, ast.Return) and not more else None
