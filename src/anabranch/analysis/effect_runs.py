"""Walks the Python functions that a function calls: their effects are its own too."""

from __future__ import annotations

import ast
from types import FunctionType

from anabranch.analysis import shared
from anabranch.analysis.roots import UNKNOWN, Value, union
from anabranch.analysis.statements import typed
from anabranch.analysis.syntax import FunctionSyntax, Missing, shown_name, syntax_of
from anabranch.ir.types import RecordOf, Type, without_none

DEEPEST_CALL = 20
MANY = 30


def run(walk, function: object, node: ast.AST, given: list[Value],
        named: dict[str, Value] | None = None, types: list[Type] | None = None) -> Value:
    """What a called function returns when it is given these arguments."""
    syntax, context = syntax_of(function), walk.context
    if isinstance(syntax, Missing):
        name = shown_name(function)
        context.unresolved(name, f"calls `{name}`: {syntax.reason}", walk.syntax.at(node))
        return UNKNOWN
    values = arguments_of(syntax, given, named or {})
    key = (syntax.function, tuple(sorted(values.items(), key=lambda item: item[0])),
           tuple(types or ()))
    if key not in context.done and syntax.code in context.active:
        return union(values.values()) | UNKNOWN
    if len(context.active) >= DEEPEST_CALL:
        context.unresolved(shown_name(function), "calls too deeply to be followed",
                           walk.syntax.at(node))
        return UNKNOWN
    if key not in context.done:
        context.done[key] = _walked(walk, syntax, values, types or [])
    return context.done[key]


def _walked(walk, syntax: FunctionSyntax, values: dict[str, Value], types: list[Type]) -> Value:
    walk.context.active.append(syntax.code)
    inner = type(walk)(syntax, values, typed(syntax, types).types, walk.context).run()
    walk.context.active.pop()
    emitted = Value.holding(v for _, v in inner.emitted)
    return emitted if syntax.is_generator else inner.returned


def arguments_of(syntax: FunctionSyntax, given: list[Value],
                 named: dict[str, Value]) -> dict[str, Value]:
    """The value of every parameter: given, bound before, or its default."""
    values = {n: shared.default(n, v) for n, v in syntax.defaults.items()}
    values |= {n: shared.bound(n, v) for n, v in syntax.bound.items()}
    extra = [n for n in syntax.argument_names if n not in values]
    values |= dict.fromkeys(extra, union([*given, *named.values()]))
    return values | dict(zip(syntax.parameters, given)) | {
        n: v for n, v in named.items() if n in values}


def matched(node: ast.Call, given: list[Value]) -> tuple[list[Value], dict[str, Value]]:
    """The positional values and the named ones; with stars, every parameter may be any of them."""
    names = [k.arg for k in node.keywords]
    if None in names or any(isinstance(a, ast.Starred) for a in node.args):
        return [union(given)] * MANY, {}
    return given[:len(node.args)], dict(zip(names, given[len(node.args):]))


def property_of(owner: Type, name: str) -> FunctionType | None:
    """The getter, when an attribute of a record or state is a property."""
    owner = without_none(owner)
    member = getattr(owner.cls, name, None) if isinstance(owner, RecordOf) else None
    return member.fget if isinstance(member, property) else None
