"""Comparisons as native code."""

from __future__ import annotations

import ast

from anabranch.kernels.native import arithmetic, texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.values import Value
from anabranch.kernels.native.walk import scalar


def compare(body: Body, node: ast.Compare) -> Value:
    parts, left = [], node.left
    for op, right in zip(node.ops, node.comparators):
        parts.append(_compared(body, node, op, left, right))
        left = right
    return Value("bool", f"({' and '.join(parts)})")


def _compared(body: Body, node: ast.Compare, op: ast.cmpop, left: ast.expr,
              right: ast.expr) -> str:
    if isinstance(op, (ast.In, ast.NotIn)):
        return _membership(body, node, op, left, right)
    a, b = scalar(body, left), scalar(body, right)
    if isinstance(op, (ast.Is, ast.IsNot)):
        return _identity(body, node, op, a, b)
    if "str" in (a.kind, b.kind):
        return texts.compare(body, node, op, a, b)
    found = arithmetic.compare(op, a, b, body.code)
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def _identity(body: Body, node: ast.Compare, op: ast.cmpop, a: Value, b: Value) -> str:
    if b.kind != "none":
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    if a.none:
        body.code(a)
    is_none = a.none or "False"
    return is_none if isinstance(op, ast.Is) else f"(not {is_none})"


def _membership(body: Body, node: ast.Compare, op: ast.cmpop, left: ast.expr,
                right: ast.expr) -> str:
    value = scalar(body, left)
    if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        members = [scalar(body, e) for e in right.elts]
        if value.kind == "str":
            inside = texts.one_of(body, node, value, members)
        else:
            inside = _one_of(body, node, value, members)
    else:
        inside = texts.contains(body, node, scalar(body, right), value)
    return f"(not {inside})" if isinstance(op, ast.NotIn) else inside


def _one_of(body: Body, node: ast.Compare, value: Value, members: list[Value]) -> str:
    tests = [arithmetic.compare(ast.Eq(), value, m, body.code) for m in members]
    if None in tests:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return f"({' or '.join(tests)})" if tests else "False"
