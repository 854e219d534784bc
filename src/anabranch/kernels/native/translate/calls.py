"""Calls as native code: built-in functions, methods, and those that make records.

A built-in function is called where it gives the same bits natively as in Python.
"""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable
from functools import reduce
from types import FunctionType

from anabranch.ir.records import Record
from anabranch.ir.types import field_types
from anabranch.kernels.native.library.libm import NAMES, OFFERED, PAIRS
from anabranch.kernels.native.stage.lists import is_list, length_of
from anabranch.kernels.native.state import dicts, sequences
from anabranch.kernels.native.team.sides import ForkSide
from anabranch.kernels.native.translate import arithmetic, formatting, texts
from anabranch.kernels.native.translate.body import Body
from anabranch.kernels.native.translate.functions import call_helper
from anabranch.kernels.native.translate.texts import of_one_text
from anabranch.kernels.native.translate.values import (
    NUMERIC,
    Rec,
    Shape,
    Value,
    is_held,
    is_of_library,
)
from anabranch.kernels.native.translate.walk import number, scalar, shape_of, thing

NUMBER_METHODS = {("int", "bit_length"): "int", ("float", "is_integer"): "bool"}


def called(body: Body, node: ast.Call) -> Shape:
    called = node.func
    if isinstance(called, ast.Attribute):
        owner = thing(body, called.value)
        if isinstance(owner, Rec):
            return _record_method(body, node, owner)
        if isinstance(owner, Value):
            return _value_method(body, node, owner)
    target = thing(body, called)
    if any(target is f for f in (sum, min, max)) and len(node.args) == 1 and sequences.is_sequence(
            held := dicts.held_of(body, node.args[0])):
        return sequences.folded(body, node, target, held)
    if isinstance(target, ForkSide):
        return target.asked(body, node)
    if isinstance(target, type) and issubclass(target, Record):
        return _made(body, node, target)
    is_users = isinstance(target, FunctionType) and not is_of_library(target)
    if not is_users and target is not str and target is not repr and not is_native(target):
        raise body.refuse(node, f"uses {ast.unparse(called)}")
    if (target is str or target is repr) and len(node.args) == 1 and not node.keywords:
        return _as_text(body, node, target)
    if target is len and len(node.args) == 1 and (found := _size(thing(body, node.args[0]))):
        return found
    return call(body, node, target, [shape_of(body, a) for a in _plain_arguments(body, node)])


def _size(owner: object) -> Value | None:
    """The length of a collection."""
    if sequences.is_sequence(owner):
        return sequences.length(owner)
    return length_of(owner) if is_list(owner) else dicts.size(owner) if is_held(owner) else None


def _as_text(body: Body, node: ast.Call, function: type) -> Shape:
    value = shape_of(body, node.args[0])
    if isinstance(value, Value) and value.kind == "str" and not value.none and function is str:
        return value
    found = of_one_text(body, node)
    return formatting.formatted(body, node, value, "r" if function is repr else "s") if (
        found is None) else found


def _plain_arguments(body: Body, node: ast.Call) -> list[ast.expr]:
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return node.args


def _value_method(body: Body, node: ast.Call, owner: Value) -> Value:
    arguments = [scalar(body, a) for a in _plain_arguments(body, node)]
    name = node.func.attr
    if owner.kind == "time" and name in ("weekday", "isoweekday") and not arguments:
        return Value("int", f"{name}({number(body, owner)})")
    if owner.kind == "span" and name == "total_seconds" and not arguments:
        return Value("float", f"truediv({number(body, owner)}, SECOND)")
    if (owner.kind, name) in NUMBER_METHODS and not arguments:
        return Value(NUMBER_METHODS[owner.kind, name], f"{name}({number(body, owner)})")
    if owner.kind == "str":
        return texts.method(body, node, owner, name, arguments)
    raise body.refuse(node, f"uses {ast.unparse(node.func)}")


def _record_method(body: Body, node: ast.Call, owner: Rec) -> Shape:
    if is_held(owner):
        return dicts.method(body, node, owner)
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


def call(body: Body, node: ast.Call, called: object, given: list[Shape]) -> Shape:
    """The result of a call; built-in functions take scalars only."""
    if isinstance(called, FunctionType):
        return call_helper(body, node, called, given)
    if any(isinstance(shape, Rec) for shape in given):
        raise body.refuse(node, f"uses a record as a value in {ast.unparse(node)}")
    found = _HANDLERS[called](body, given) if is_native(called) else None
    if found is None:
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    return found


def is_native(called: object) -> bool:
    """Whether there is native code for a function that is not the user's."""
    return type(called).__hash__ is not None and called in _HANDLERS


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


def _number(body: Body, value: Value) -> str:
    """A number that is no bool, which Numba does not take for one everywhere."""
    code = _code(body, value)
    return f"int64({code})" if value.kind == "bool" else code


@_single(*NUMERIC, "span")
def _abs(body, value):
    if value.kind == "span":
        return Value("span", f"absolute({_code(body, value)})")
    if value.kind == "float":
        return Value("float", f"abs({_code(body, value)})")
    return Value("int", f"absolute({_number(body, value)})")


@_single(*NUMERIC, "str")
def _int(body, value):
    if value.kind == "str":
        return texts.lookup(body, value, "int({x})", "int")
    if value.kind == "float":
        return Value("int", f"whole({_code(body, value)})")
    return Value("int", _number(body, value))


@_single(*NUMERIC, "str")
def _float(body, value):
    if value.kind == "str":
        return texts.lookup(body, value, "float({x})", "float")
    return Value("float", f"float({_number(body, value)})")


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
        return Value("int", _number(body, value))
    return handler


def _real(function: str, kind: str = "float") -> Callable:
    @_single(*NUMERIC)
    def handler(body, value):
        return Value(kind, f"{function}(float({_number(body, value)}))")
    return handler


COMPARED = {"bool", "int", "float", "time", "span", "str"}


def _extreme(function: str) -> Callable:
    def handler(body: Body, given: list[Value]) -> Value | None:
        kinds = {v.kind for v in given}
        if len(given) < 2 or len(kinds) > 1 or not kinds <= COMPARED:
            return None
        texts_too = f"{function}_text(starts, texts, {{}}, {{}})"
        called = texts_too if kinds == {"str"} else f"{function}({{}}, {{}})"
        codes = [_code(body, v) for v in given]
        return Value(given[0].kind, reduce(lambda a, b: called.format(a, b), codes))
    return handler


def _round(body: Body, given: list[Value]) -> Value | None:
    if len(given) == 1:
        return _rounding("rounded")(body, given)
    if len(given) != 2 or given[0].kind != "float" or given[1].kind != "int":
        return None
    return Value("float", f"round_to({_code(body, given[0])}, {_code(body, given[1])})")


def _pair(function: str) -> Callable:
    def handler(body: Body, given: list[Value]) -> Value | None:
        if len(given) != 2 or any(v.kind not in NUMERIC for v in given):
            return None
        return Value("float", f"{function}({', '.join(_floated(body, v) for v in given)})")
    return handler


def _floated(body: Body, value: Value) -> str:
    return f"float({_code(body, value)})"


def _log(body: Body, given: list[Value]) -> Value | None:
    if len(given) not in (1, 2) or any(v.kind not in NUMERIC for v in given):
        return None
    parts = [f"real_log({_floated(body, v)})" for v in given]
    return Value("float", parts[0] if len(parts) == 1 else f"float_div({parts[0]}, {parts[1]})")


def _power(body: Body, given: list[Value]) -> Value | None:
    if len(given) != 2:
        return None
    return arithmetic.binary(ast.Pow(), *given, lambda v: _code(body, v))


def _of_library() -> dict[object, Callable]:
    """The functions of `math` that give the C library's results."""
    single = {getattr(math, n): _real(f"real_{n}") for n in NAMES if n in OFFERED}
    pairs = {getattr(math, n): _pair(f"real_{n}") for n in PAIRS if n in OFFERED}
    return single | pairs | ({math.log: _log} if "log" in OFFERED else {})


_HANDLERS: dict[object, Callable[[Body, list[Value]], Value | None]] = {
    builtins.abs: _abs, builtins.int: _int, builtins.float: _float, builtins.bool: _bool,
    builtins.len: _len, builtins.ord: _ord, builtins.round: _round,
    builtins.min: _extreme("smaller"), builtins.max: _extreme("larger"),
    math.floor: _rounding("floor"), math.ceil: _rounding("ceil"), math.trunc: _rounding("whole"),
    math.sqrt: _real("sqrt"), math.fabs: _real("abs"), math.isnan: _real("isnan", "bool"),
    math.isinf: _real("isinf", "bool"), math.isfinite: _real("isfinite", "bool"),
    math.copysign: _pair("copysign"), builtins.pow: _power, **_of_library(),
}
