"""Calls as native code: those that make records, methods, and functions."""

from __future__ import annotations

import ast
from types import FunctionType

from anabranch.ir.records import Record
from anabranch.ir.types import field_types
from anabranch.kernels.native import dicts, late, sequences, texts
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.calls import call, is_native
from anabranch.kernels.native.lists import is_list, length_of
from anabranch.kernels.native.sides import Side
from anabranch.kernels.native.values import Rec, Shape, Value, is_held, is_of_library
from anabranch.kernels.native.walk import number, scalar, shape_of, thing
from anabranch.kernels.native.whole import of_one_text

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
    if isinstance(target, Side):
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
    return late.formatted(body, node, value, "r" if function is repr else "s") if (
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
