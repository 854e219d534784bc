"""Expressions as native code: names, arithmetic, conditions; calls and comparisons stand apart."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

from anabranch.kernels.native import arithmetic, dicts, late, sequences, spans, texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.comparisons import compare
from anabranch.kernels.native.records import called
from anabranch.kernels.native.values import CODED, NONE, ZEROS, Rec, Shape, Value, common
from anabranch.kernels.native.walk import HANDLERS, number, scalar, shape_of, thing, truth, truth_of
from anabranch.kernels.native.whole import of_one_text

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
    if isinstance(owner, ModuleType) and hasattr(owner, node.attr):
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
    if not all(map(late.is_text, parts)) or of_one_text(body, node) is not None:
        return None
    constants = [isinstance(p, Value) and p.is_constant for p in parts]
    return late.made_of(parts) if not any(constants) or any(map(late.is_late, parts)) else None


def _text(body: Body, node: ast.JoinedStr) -> Shape:
    found = of_one_text(body, node)
    return late.made_of([_piece(body, v) for v in node.values]) if found is None else found


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
    return late.formatted(body, node.value, value, late.CONVERSIONS[node.conversion], spec)


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
