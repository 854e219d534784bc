"""Calls of built-in functions that give the same bits natively as in Python."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from functools import reduce
from types import FunctionType

from anabranch.kernels.native import texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.helpers import call_helper
from anabranch.kernels.native.values import NUMERIC, Value


def call(body: Body, node: ast.Call, called: object, given: list[Value]) -> Value:
    """The result of a call with scalar arguments."""
    if isinstance(called, FunctionType):
        return call_helper(body, node, called, given)
    handler = _HANDLERS.get(called) if callable(called) and _hashable(called) else None
    found = handler(body, given) if handler else None
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    return found


def _hashable(called: object) -> bool:
    return type(called).__hash__ is not None


def _code(body: Body, value: Value) -> str:
    code = body.code(value)
    return f"present({code}, {value.none})" if value.none else code


def _single(*kinds: str) -> Callable:
    """Handles one argument of certain kinds."""
    def decorate(handler):
        def checked(body: Body, given: list[Value]) -> Value | None:
            if len(given) != 1 or given[0].kind not in kinds:
                return None
            return handler(body, given[0])
        return checked
    return decorate


def _integer(body: Body, value: Value) -> str:
    code = _code(body, value)
    return f"int64({code})" if value.kind == "bool" else code


@_single(*NUMERIC)
def _abs(body, value):
    if value.kind == "float":
        return Value("float", f"abs({_code(body, value)})")
    return Value("int", f"absolute({_integer(body, value)})")


@_single(*NUMERIC, "str")
def _int(body, value):
    if value.kind == "str":
        return texts.lookup(body, value, "int({x})", "int")
    if value.kind == "float":
        return Value("int", f"whole({_code(body, value)})")
    return Value("int", _integer(body, value))


@_single(*NUMERIC, "str")
def _float(body, value):
    if value.kind == "str":
        return texts.lookup(body, value, "float({x})", "float")
    return Value("float", f"float({_code(body, value)})")


@_single(*NUMERIC, "str")
def _bool(body, value):
    if value.kind == "str":
        return texts.lookup(body, value, "bool({x})", "bool")
    held = f"({body.code(value)} != 0)"
    return Value("bool", f"(not {value.none} and {held})" if value.none else held)


@_single("str")
def _len(body, value):
    return texts.lookup(body, value, "len({x})", "int")


@_single("str")
def _ord(body, value):
    return texts.lookup(body, value, "ord({x})", "int")


def _rounding(function: str) -> Callable:
    @_single(*NUMERIC)
    def handler(body, value):
        if value.kind == "float":
            return Value("int", f"{function}({_code(body, value)})")
        return Value("int", _integer(body, value))
    return handler


def _real(function: str, kind: str = "float") -> Callable:
    @_single(*NUMERIC)
    def handler(body, value):
        return Value(kind, f"{function}(float({_code(body, value)}))")
    return handler


def _extreme(function: str) -> Callable:
    def handler(body: Body, given: list[Value]) -> Value | None:
        kinds = {v.kind for v in given}
        if len(given) < 2 or len(kinds) > 1 or not kinds <= {"int", "float", "time"}:
            return None
        codes = [_code(body, v) for v in given]
        return Value(given[0].kind, reduce(lambda a, b: f"{function}({a}, {b})", codes))
    return handler


_HANDLERS: dict[object, Callable[[Body, list[Value]], Value | None]] = {
    builtins.abs: _abs, builtins.int: _int, builtins.float: _float, builtins.bool: _bool,
    builtins.len: _len, builtins.ord: _ord, builtins.round: _rounding("rounded"),
    builtins.min: _extreme("smaller"), builtins.max: _extreme("larger"),
    math.floor: _rounding("floor"), math.ceil: _rounding("ceil"), math.trunc: _rounding("whole"),
    math.sqrt: _real("sqrt"), math.fabs: _real("abs"), math.isnan: _real("isnan", "bool"),
    math.isinf: _real("isinf", "bool"), math.isfinite: _real("isfinite", "bool"),
}
