"""Expressions as native code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

from anabranch.ir.records import Record
from anabranch.ir.types import field_types
from anabranch.kernels.native import arithmetic, texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.calls import call
from anabranch.kernels.native.values import (
    NONE,
    ZEROS,
    Rec,
    Shape,
    Value,
    common,
)

PARTS = ("year", "month", "hour", "minute", "second", "microsecond")


def shape_of(body: Body, node: ast.expr) -> Shape:
    """The value of an expression: a scalar or a record."""
    found = thing(body, node)
    if not isinstance(found, (Value, Rec)):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def scalar(body: Body, node: ast.expr) -> Value:
    found = shape_of(body, node)
    if isinstance(found, Rec):
        raise body.refuse(node, f"uses the record {ast.unparse(node)} as a value")
    return found


def thing(body: Body, node: ast.expr) -> Shape | object:
    """What an expression stands for: a value, or a Python object such as a module or a class."""
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return handler(body, node)


def truth(body: Body, node: ast.expr) -> str:
    """The code of a condition."""
    return truth_of(body, node, shape_of(body, node))


def truth_of(body: Body, node: ast.expr, value: Shape) -> str:
    if isinstance(value, Rec):
        raise body.refuse(node, "uses a record as a condition")
    if value.kind == "str":
        held = texts.lookup(body, value, "bool({x})", "bool").code
    elif value.kind in ("none", "other"):
        raise body.refuse(node, f"uses {ast.unparse(node)} as a condition")
    else:
        held = {"bool": value.code, "time": "True"}.get(value.kind, f"({body.code(value)} != 0)")
        body.code(value)
    return f"(not {value.none} and {held})" if value.none else held


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
    if isinstance(owner, ModuleType) and hasattr(owner, node.attr):
        return body.known(getattr(owner, node.attr))
    raise body.refuse(node, f"uses {ast.unparse(node)}")


def number(body: Body, value: Value) -> str:
    """The code of a scalar that must not be None."""
    code = body.code(value)
    return f"present({code}, {value.none})" if value.none else code


def _binary(body: Body, node: ast.BinOp) -> Value:
    left, right = scalar(body, node.left), scalar(body, node.right)
    if left.is_constant and right.is_constant and (folded := _folded(node.op, left, right)):
        return body.known(folded[0])
    if "str" in (left.kind, right.kind):
        return texts.binary(body, node, left, right)
    found = arithmetic.binary(node.op, left, right, lambda v: number(body, v))
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


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
    found = arithmetic.unary(node.op, value, lambda v: number(body, v))
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def _compare(body: Body, node: ast.Compare) -> Value:
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
    if both.kind == "str":
        return Value("str", chosen, f"({chosen} < 0)")
    return Value(both.kind, chosen, f"({yes.none or False} if {test} else {no.none or False})")


def _call(body: Body, node: ast.Call) -> Shape:
    called = node.func
    if isinstance(called, ast.Attribute):
        owner = thing(body, called.value)
        if isinstance(owner, Rec):
            return _record_method(body, node, owner)
        if isinstance(owner, Value):
            return _value_method(body, node, owner)
    target = thing(body, called)
    if isinstance(target, type) and issubclass(target, Record):
        return _made(body, node, target)
    return call(body, node, target, [scalar(body, a) for a in _plain_arguments(body, node)])


def _plain_arguments(body: Body, node: ast.Call) -> list[ast.expr]:
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return node.args


def _value_method(body: Body, node: ast.Call, owner: Value) -> Value:
    arguments = [scalar(body, a) for a in _plain_arguments(body, node)]
    name = node.func.attr
    if owner.kind == "time" and name in ("weekday", "isoweekday") and not arguments:
        return Value("int", f"{name}({number(body, owner)})")
    if owner.kind == "str":
        return texts.method(body, node, owner, name, arguments)
    raise body.refuse(node, f"uses {ast.unparse(node.func)}")


def _record_method(body: Body, node: ast.Call, owner: Rec) -> Rec:
    if node.func.attr not in ("replace", "_replace") or not issubclass(owner.cls, Record):
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    if getattr(owner.cls, "replace", None) is not Record.replace or node.args:
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    changes = _keywords(body, node, owner.cls)
    return Rec(owner.cls, owner.fields | changes)


def _made(body: Body, node: ast.Call, cls: type) -> Rec:
    """A record from a call of its class."""
    plain = cls.__new__ is cls.__mro__[1].__new__ and cls.__init__ is object.__init__
    if not plain or len(node.args) > len(cls.__record_fields__):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    if any(isinstance(a, ast.Starred) for a in node.args):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    fields = dict(zip(cls.__record_fields__, (shape_of(body, a) for a in node.args)))
    fields |= _keywords(body, node, cls)
    for name, default in cls.__record_fields__.items():
        if name not in fields:
            value = body.known(default)
            if not isinstance(value, Value):
                raise body.refuse(node, f"uses the default of {cls.__name__}.{name}")
            fields[name] = value
    return Rec(cls, {name: fields[name] for name in field_types(cls)})


def _keywords(body: Body, node: ast.Call, cls: type) -> dict[str, Shape]:
    if any(k.arg not in cls.__record_fields__ for k in node.keywords):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return {k.arg: shape_of(body, k.value) for k in node.keywords}


def _subscript(body: Body, node: ast.Subscript) -> Value:
    return texts.subscript(body, node, scalar(body, node.value))


def _name(body: Body, node: ast.Name) -> Shape | object:
    return body.name(node)


HANDLERS: dict[type[ast.AST], Callable[[Body, ast.AST], Shape | object]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _bool_op, ast.IfExp: _conditional,
    ast.Call: _call, ast.Subscript: _subscript,
}
