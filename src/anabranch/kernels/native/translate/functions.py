"""Functions of the user that an operator calls, as native functions of their own.

They take scalars and records of such, and return a scalar. One that is nothing but the making of a
record stands for that record where it is called.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType

from anabranch.analysis.syntax import FunctionSyntax, syntax_of
from anabranch.ir.function import Function
from anabranch.ir.records import Record
from anabranch.kernels.native.translate.body import Body, Helper
from anabranch.kernels.native.translate.formatting import is_late
from anabranch.kernels.native.translate.statements import Giving, translate
from anabranch.kernels.native.translate.values import (
    CONTEXT,
    DTYPES,
    Rec,
    Shape,
    Unsupported,
    Value,
    is_of_library,
    is_plain,
    leaves,
    parameters,
    received,
)
from anabranch.kernels.native.translate.walk import scalar, shape_of

Refused = Callable[[str], Unsupported]
"""Makes the refusal of a call, with more words about why."""


def call_helper(body: Body, node: ast.Call, called: FunctionType, given: list[Shape]) -> Shape:
    """The call of a function of the user's."""
    if is_of_library(called):
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    if (record := _record_made(body, called, given)) is not None:
        return record
    if not all(map(can_be_given, given)):
        raise body.refuse(node, f"gives {ast.unparse(node.func)} what is no plain value")
    return _called(body, called, given, lambda why: body.refuse(
        node, f"calls {ast.unparse(node.func)}{why}"))


def _record_made(body: Body, called: FunctionType, given: list[Shape]) -> Rec | None:
    """The record that a function makes in its one expression."""
    syntax = syntax_of(called)
    if not isinstance(syntax, FunctionSyntax) or len(syntax.parameters) != len(given):
        return None
    match syntax.body:
        case [ast.Return(ast.Call(func=ast.Name(name)) as value)]:
            made = syntax.resolve(name)
            if name in syntax.parameters or not isinstance(made, type) or (
                    not issubclass(made, Record)):
                return None
            inner = Body(syntax, dict(zip(syntax.parameters, given)), body.registry)
            found = shape_of(inner, value)
            return found if isinstance(found, Rec) and not inner.lines else None
    return None


def of_function(body: Body, function: Function, item: Shape) -> Value:
    """What a function gives for an item."""
    return _called(body, function.call, [item], lambda why: Unsupported(
        f"calls {function.name}{why}", function.span))


def can_be_given(shape: Shape) -> bool:
    """Whether native functions take it. A column of the input need not be given: all have it."""
    return not is_late(shape) and all(
        leaf.unchanged is not None or is_plain(leaf) for _, leaf in leaves(shape, ""))


def given_codes(body: Body, value: Shape) -> list[str]:
    """What is handed over for a value that is `received`."""
    places = leaves(received(value, ""), "")
    return [code for (_, place), (_, leaf) in zip(places, leaves(value, ""))
            for code in body.passed(place, leaf)]


def _called(body: Body, called: FunctionType, given: list[Shape], refused: Refused) -> Value:
    helper = _helper(body, called, [received(shape, "") for shape in given], refused)
    codes = [code for value in given for code in given_codes(body, value)]
    first, passed = _settled(body, codes)
    call = f"{helper.name}({', '.join([CONTEXT, *passed])})"
    return Value(helper.kind, f"({', '.join([*first, call])})[-1]" if first else call)


BRANCHES = (" if ", " and ", " or ")


def _settled(body: Body, codes: list[str]) -> tuple[list[str], list[str]]:
    """What is computed before a call, and what is passed then: Numba takes no call with many
    arguments some of which have branches of their own."""
    names = [body.registry.name() if any(word in code for word in BRANCHES) else None
             for code in codes]
    first = [f"({name} := {code})" for name, code in zip(names, codes) if name]
    return first, [name or code for name, code in zip(names, codes)]


def _helper(body: Body, called: FunctionType, shapes: list[Shape], refused: Refused) -> Helper:
    known, key = body.registry.helpers, (called, repr(shapes))
    if key not in known:
        known[key] = None
        try:
            known[key] = _translated(body, called, shapes, f"help{len(known)}", refused)
        except Unsupported:
            del known[key]
            raise
    if known[key] is None:
        raise refused(", which calls itself,")
    return known[key]


def _translated(body: Body, called: FunctionType, shapes: list[Shape], name: str,
                refused: Refused) -> Helper:
    syntax = syntax_of(called)
    if not isinstance(syntax, FunctionSyntax) or syntax.is_generator or (
            len(syntax.parameters) != len(shapes)):
        raise refused("")
    prefixes = {p: f"a{len(p)}{p}" for p in syntax.parameters}
    given = list(zip(syntax.parameters, shapes))
    inner = Body(syntax, {p: received(shape, prefixes[p]) for p, shape in given}, body.registry)
    names = [name for p, shape in given for name in parameters(shape, prefixes[p])]
    found: list[Value] = []

    def returned(inner: Body, expression: ast.expr) -> None:
        value = scalar(inner, expression)
        found.append(value)
        if value.kind not in DTYPES or value.none or value.kind != found[0].kind:
            raise inner.refuse(expression, f"returns {value.shown}")
        inner.write(f"return {inner.code(value)}")
    translate(inner, Giving(None, returned))
    return Helper(name, tuple(names), inner.lines, found[0].kind)
