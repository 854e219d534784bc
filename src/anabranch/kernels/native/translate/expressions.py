"""Expressions as native code: names, arithmetic, conditions, comparisons."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

from anabranch.analysis.constants import is_unchanging
from anabranch.kernels.native.state import dicts, sequences
from anabranch.kernels.native.translate import arithmetic, formatting, spans, texts
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.calls import called
from anabranch.kernels.native.translate.texts import of_one_text
from anabranch.kernels.native.translate.values import (
    CODED,
    NONE,
    NUMERIC,
    OPAQUE,
    ZEROS,
    Rec,
    Shape,
    Value,
    common,
    is_fixed,
)
from anabranch.kernels.native.translate.walk import (
    HANDLERS,
    number,
    scalar,
    shape_of,
    thing,
    truth,
    truth_of,
)

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


PARTS = ("year", "month", "hour", "minute", "second", "microsecond")


def _constant(body: Body, node: ast.Constant) -> Value:
    value = body.known(node.value)
    if not isinstance(value, Value):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return value


def _attribute(body: Body, node: ast.Attribute) -> Shape | object:
    owner = thing(body, node.value)
    if isinstance(owner, Rec) and node.attr in owner.fields:
        return owner.fields[node.attr]
    if isinstance(owner, Value) and owner.kind == "time" and node.attr in (*PARTS, "day"):
        part = "day_of_month" if node.attr == "day" else node.attr
        return Value("int", f"{part}({number(body, owner)})")
    if isinstance(owner, Value) and (found := spans.part(owner, node.attr,
                                                         lambda v: number(body, v))):
        return found
    if (isinstance(owner, ModuleType) and hasattr(owner, node.attr)) or (
            is_fixed(owner, node.attr)):
        return body.known(getattr(owner, node.attr))
    raise body.refuse(node, f"uses {ast.unparse(node)}")


def _binary(body: Body, node: ast.BinOp) -> Value:
    if isinstance(node.op, ast.Add) and (joined := _joined(body, node)):
        return joined
    left, right = scalar(body, node.left), scalar(body, node.right)
    if left.is_constant and right.is_constant and (folded := _folded(node.op, left, right)):
        return body.known(folded[0])
    if "str" in (left.kind, right.kind):
        return texts.binary(body, node, left, right)
    operation = spans if {left.kind, right.kind} & {"time", "span"} else arithmetic
    found = operation.binary(node.op, left, right, lambda v: number(body, v))
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def _joined(body: Body, node: ast.BinOp) -> Rec | None:
    """Two texts, of which neither is a constant, behind one another."""
    parts = [shape_of(body, node.left), shape_of(body, node.right)]
    if not all(map(formatting.is_text, parts)) or of_one_text(body, node) is not None:
        return None
    constants = [isinstance(p, Value) and p.is_constant for p in parts]
    if any(constants) and not any(map(formatting.is_late, parts)):
        return None
    return formatting.made_of(parts)


def _text(body: Body, node: ast.JoinedStr) -> Shape:
    found = of_one_text(body, node)
    return formatting.made_of([_piece(body, v) for v in node.values]) if found is None else found


def _piece(body: Body, node: ast.expr) -> Shape | str:
    if isinstance(node, ast.Constant):
        return node.value
    match node.format_spec:
        case None:
            spec = ""
        case ast.JoinedStr(values=[ast.Constant(value=spec)]):
            pass
        case _:
            raise body.refuse(node, f"uses {ast.unparse(node.format_spec)}")
    value = shape_of(body, node.value)
    conversion = formatting.CONVERSIONS[node.conversion]
    return formatting.formatted(body, node.value, value, conversion, spec)


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
             ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
             ast.Div: operator.truediv}
LARGEST_EXPONENT = 64


def _folded(op: ast.operator, left: Value, right: Value) -> tuple | None:
    """The result of an operation on constants, unless it raises or is too large for native code."""
    python = OPERATORS.get(type(op))
    if python is None or (python is operator.pow and not (
            right.kind == "int" and 0 <= right.constant <= LARGEST_EXPONENT)):
        return None
    try:
        result = python(left.constant, right.constant)
    except (ArithmeticError, TypeError, ValueError):
        return None
    fits = type(result) is not int or -2**63 <= result < 2**63
    return (result,) if fits else None


def _unary(body: Body, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Value("bool", f"(not {truth(body, node.operand)})")
    value = scalar(body, node.operand)
    if value.is_constant and isinstance(node.op, ast.USub) and value.kind in ("int", "float"):
        return body.known(-value.constant)
    operation = spans if value.kind == "span" else arithmetic
    found = operation.unary(node.op, value, lambda v: number(body, v))
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def _bool_op(body: Body, node: ast.BoolOp) -> Value:
    values = [scalar(body, v) for v in node.values]
    if all(v.kind == "bool" and not v.none for v in values):
        word = " and " if isinstance(node.op, ast.And) else " or "
        return Value("bool", f"({word.join(v.code for v in map(_used(body), values))})")
    result, first = values[-1], list(zip(node.values, values))[:-1]
    for part, value in reversed(first):
        test = truth_of(body, part, value)
        # What is true is not None.
        both = isinstance(node.op, ast.And)
        chosen = (result, value) if both else (replace(value, none=None), result)
        result = choice(body, node, test, *chosen)
    return result


def _used(body: Body) -> Callable[[Value], Value]:
    def use(value: Value) -> Value:
        body.code(value)
        return value
    return use


def _conditional(body: Body, node: ast.IfExp) -> Shape:
    test, yes, no = (truth(body, node.test), shape_of(body, node.body),
                     shape_of(body, node.orelse))
    match node.test:
        case ast.Compare(left, [ast.IsNot()], [ast.Constant(None)]) if _same(left, node.body):
            yes = replace(yes, none=None)
        case ast.Compare(left, [ast.Is()], [ast.Constant(None)]) if _same(left, node.orelse):
            no = replace(no, none=None)
    return choice(body, node, test, yes, no)


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.dump(one) == ast.dump(other)


def choice(body: Body, node: ast.expr, test: str, yes: Shape, no: Shape) -> Shape:
    """One value or the other, by the code of a condition."""
    both = common([yes, no])
    if both is None:
        raise body.refuse(node, f"{ast.unparse(node)} is of one type or another")
    if isinstance(both, Rec):
        return Rec(both.cls, {n: choice(body, node, test, yes.fields[n], no.fields[n])
                              for n in both.fields})
    if both.unchanged is not None:
        return yes
    if both.kind == "none":
        return NONE
    zero = ZEROS[both.kind]
    codes = [zero if v.kind == "none" else body.code(v) for v in (yes, no)]
    chosen = f"({codes[0]} if {test} else {codes[1]})"
    if not both.none:
        return Value(both.kind, chosen)
    if both.kind in CODED:
        return Value(both.kind, chosen, f"({chosen} < 0)")
    return Value(both.kind, chosen, f"({yes.none or False} if {test} else {no.none or False})")


def _subscript(body: Body, node: ast.Subscript) -> Value:
    if (held := dicts.held_of(body, node.value)) is not None:
        if sequences.is_sequence(held):
            return sequences.item(body, node, held, scalar(body, node.slice))
        return dicts.entry(body, node, held)
    return texts.subscript(body, node, scalar(body, node.value))


def _name(body: Body, node: ast.Name) -> Shape | object:
    return body.name(node)


HANDLERS.update({
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.Compare: compare, ast.BoolOp: _bool_op, ast.IfExp: _conditional,
    ast.Call: called, ast.Subscript: _subscript, ast.JoinedStr: _text,
})
