"""Arithmetic and comparison of numbers and times as native code, or None.

>>> a, b = Value("int", "a"), Value("float", "b")
>>> binary(ast.Add(), a, b, lambda v: v.code).code
'(float(a) + b)'
>>> compare(ast.Lt(), a, b, lambda v: v.code)
'(exact(a) < b)'
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.kernels.native.library.libm import OFFERED
from anabranch.kernels.native.translate.values import NUMERIC, OPAQUE, Value

Code = Callable[[Value], str]

INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "floordiv",
           ast.Mod: "mod", ast.Pow: "int_pow", ast.LShift: "left_shift", ast.RShift: "right_shift"}
BITS = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
REAL = {ast.Add: "({} + {})", ast.Sub: "({} - {})", ast.Mult: "({} * {})",
        ast.Div: "float_div({}, {})", ast.FloorDiv: "float_floordiv({}, {})",
        ast.Mod: "float_mod({}, {})"}
if "pow" in OFFERED:
    REAL[ast.Pow] = "real_pow({}, {})"
ORDER = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def binary(op: ast.operator, left: Value, right: Value, code: Code) -> Value | None:
    if left.kind not in NUMERIC or right.kind not in NUMERIC:
        return None
    kind = type(op)
    if "float" in (left.kind, right.kind):
        return _real(kind, left, right, code)
    if kind in BITS:
        return _bits(BITS[kind], left, right, code)
    a, b = _integer(left, code), _integer(right, code)
    if kind is ast.Div:
        return Value("float", f"truediv({a}, {b})")
    return Value("int", f"{INTEGER[kind]}({a}, {b})") if kind in INTEGER else None


def _real(kind: type, left: Value, right: Value, code: Code) -> Value | None:
    a, b = as_float(left, code), as_float(right, code)
    return Value("float", REAL[kind].format(a, b)) if kind in REAL else None


def _bits(symbol: str, left: Value, right: Value, code: Code) -> Value:
    if left.kind == right.kind == "bool":
        return Value("bool", f"({code(left)} {symbol} {code(right)})")
    return Value("int", f"({_integer(left, code)} {symbol} {_integer(right, code)})")


def _integer(value: Value, code: Code) -> str:
    return f"int64({code(value)})" if value.kind == "bool" else code(value)


def as_float(value: Value, code: Code) -> str:
    """The nearest float, as Python takes it when an int meets a float."""
    return code(value) if value.kind == "float" else f"float({code(value)})"


def unary(op: ast.unaryop, value: Value, code: Code) -> Value | None:
    if value.kind == "float":
        signs = {ast.USub: "(-{})", ast.UAdd: "{}"}
        return Value("float", signs[type(op)].format(code(value))) if type(op) in signs else None
    if value.kind not in NUMERIC:
        return None
    forms = {ast.USub: "neg({})", ast.UAdd: "{}", ast.Invert: "(~{})"}
    return Value("int", forms[type(op)].format(_integer(value, code)))


def compare(op: ast.cmpop, left: Value, right: Value, code: Code) -> str | None:
    """The code of a comparison. None is equal to None alone, and has no order."""
    if type(op) not in ORDER or not {left.kind, right.kind}.isdisjoint(OPAQUE):
        return None
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality and (left.none or right.none):
        same = _same_with_none(left, right, code)
        return None if same is None else same if isinstance(op, ast.Eq) else f"(not {same})"
    return _ordered(ORDER[type(op)], left, right, lambda v: _present(v, code))


def _present(value: Value, code: Code) -> str:
    return f"present({code(value)}, {value.none})" if value.none else code(value)


def _same_with_none(left: Value, right: Value, code: Code) -> str | None:
    one, other = left.none or "False", right.none or "False"
    if "none" in (left.kind, right.kind):
        code(right if left.kind == "none" else left)
        return f"({one} and {other})"
    same = _ordered("==", left, right, code)
    return same and f"(({one} and {other}) or (not {one} and not {other} and {same}))"


def _ordered(symbol: str, left: Value, right: Value, code: Code) -> str | None:
    numeric = left.kind in NUMERIC and right.kind in NUMERIC
    if not numeric and (left.kind != right.kind or left.kind not in ("time", "span")):
        return None
    if "float" in (left.kind, right.kind) and left.kind != right.kind:
        return f"({_exact(left, code)} {symbol} {_exact(right, code)})"
    if numeric and left.kind != right.kind:
        return f"({_integer(left, code)} {symbol} {_integer(right, code)})"
    return f"({code(left)} {symbol} {code(right)})"


def _exact(value: Value, code: Code) -> str:
    if value.kind == "float":
        return code(value)
    if value.is_constant and abs(int(value.constant)) <= 2**53:
        return f"float({code(value)})"
    return f"exact({_integer(value, code)})"
