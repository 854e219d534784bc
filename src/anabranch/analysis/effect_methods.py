"""What a method call does: the type of the object decides, or else the name of the method."""

from __future__ import annotations

import ast
from types import FunctionType

from anabranch.analysis import effect_calls, known
from anabranch.analysis.callee import Does, callee
from anabranch.analysis.effect_runs import matched, run
from anabranch.analysis.roots import Value, union
from anabranch.analysis.syntax import UNRESOLVED
from anabranch.analysis.typed import PYTHON_TYPES, is_plain_record
from anabranch.ir.types import ListOf, RecordOf, without_none


def method(walk, node: ast.Call, func: ast.Attribute) -> Value:
    """A method of a value; the type of the value decides, or else the name of the method."""
    base, owner = walk.value(func.value), without_none(walk.type(func.value))
    shared_object = walk.static(func.value)
    if shared_object is not UNRESOLVED and not isinstance(shared_object, known.TYPES):
        return _object_method(walk, node, func, base, shared_object)
    if isinstance(owner, RecordOf):
        return _record_method(walk, node, func, base, owner)
    typed_value = owner in PYTHON_TYPES or isinstance(owner, ListOf)
    known_name = func.attr in known.PURE_METHODS or func.attr in known.CHANGING_METHODS
    foreign = any(r.kind == "unknown" for r in base.itself)
    if not typed_value and shared_object is UNRESOLVED and (foreign or not known_name):
        effect_calls.arguments(walk, node)
        return effect_calls.not_resolved(walk, node, "of an object whose type is not known")
    return _builtin_method(walk, node, func, base)


def _builtin_method(walk, node: ast.Call, func: ast.Attribute, base: Value) -> Value:
    given = effect_calls.arguments(walk, node, base.part())
    effect_calls.called_back(walk, node, None, [base])
    if func.attr in known.CHANGING_METHODS and walk.type(func.value) not in PYTHON_TYPES:
        walk.change(base, func.value, func.attr)
        _put_all(walk, node, func, base, given)
    if func.attr in ("copy", "values", "items", "keys"):
        return Value.holding([base.part()])
    return union([base.part(), *given])


def _put_all(walk, node: ast.Call, func: ast.Attribute, base: Value, given: list[Value]) -> None:
    """The arguments become parts of the object, or their items do."""
    for argument, value in zip([*node.args, *(k.value for k in node.keywords)], given):
        if func.attr in known.SPREADING_METHODS:
            walk.put(func.value, base, walk.items(argument))
        else:
            walk.put(func.value, base, value, argument)


def _object_method(walk, node, func: ast.Attribute, base: Value, owner: object) -> Value:
    method = getattr(type(owner), func.attr, None)
    if isinstance(method, FunctionType) and callee(getattr(owner, func.attr)).does is Does.RUN:
        given, named = matched(node, effect_calls.arguments(walk, node))
        return run(walk, method, node, [base, *given], named)
    bound = getattr(owner, func.attr, UNRESOLVED)
    if bound is UNRESOLVED:
        return effect_calls.not_resolved(walk, node, "which it does not have")
    return effect_calls.apply(walk, node, callee(bound), bound)


def _record_method(walk, node, func: ast.Attribute, base: Value, owner: RecordOf) -> Value:
    method = getattr(owner.cls, func.attr, None)
    given = effect_calls.arguments(walk, node)
    if func.attr in ("replace", "_replace") and is_plain_record(owner.cls):
        return Value.holding([base.part(), *given])
    if isinstance(method, FunctionType) and callee(method).does is Does.RUN:
        positional, named = matched(node, given)
        types = [owner, *map(walk.type, node.args)]
        return run(walk, method, node, [base, *positional], named, types)
    if callable(method):
        return Value.holding([base.part(), *given])
    return effect_calls.not_resolved(walk, node, f"which {owner} does not have")
