"""Comparisons as native code."""

from __future__ import annotations

import ast

from anabranch.analysis.constants import is_unchanging
from anabranch.kernels.native import arithmetic, dicts, texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.values import NUMERIC, OPAQUE, Value
from anabranch.kernels.native.walk import scalar

MOST_MEMBERS = 32


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
    if isinstance(op, (ast.Eq, ast.NotEq)) and _never_equal(a, b):
        return f"{'never' if isinstance(op, ast.Eq) else 'always'}({body.code(a)}, {body.code(b)})"
    if "str" in (a.kind, b.kind):
        return texts.compare(body, node, op, a, b)
    found = arithmetic.compare(op, a, b, body.code)
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def _never_equal(a: Value, b: Value) -> bool:
    """Whether values are of kinds that Python never takes for equal."""
    kinds = {"number" if v.kind in NUMERIC else v.kind for v in (a, b)}
    return len(kinds) == 2 and not (a.none or b.none) and kinds.isdisjoint(OPAQUE)


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
    if (held := dicts.held_of(body, right)) is not None:
        inside = dicts.contains(body, node, held, value)
    elif (members := _members(body, right)) is not None:
        if value.kind == "str":
            inside = texts.one_of(body, node, value, members)
        else:
            inside = _one_of(body, node, value, members)
    else:
        inside = texts.contains(body, node, scalar(body, right), value)
    return f"(not {inside})" if isinstance(op, ast.NotIn) else inside


def _members(body: Body, node: ast.expr) -> list[Value] | None:
    """The members of a display, or of a small collection of constants with a name."""
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return [scalar(body, e) for e in node.elts]
    if not isinstance(node, ast.Name) or node.id in body.names:
        return None
    found = body.outer(node, node.id)
    if not isinstance(found, (tuple, list, set, frozenset, dict)) or len(found) > MOST_MEMBERS:
        return None
    members = [body.known(m) for m in found]
    plain = is_unchanging(body.syntax, node.id) and all(isinstance(m, Value) for m in members)
    return members if plain else None


def _one_of(body: Body, node: ast.Compare, value: Value, members: list[Value]) -> str:
    tests = [arithmetic.compare(ast.Eq(), value, m, body.code) for m in members]
    if None in tests:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return f"({' or '.join(tests)})" if tests else "False"
