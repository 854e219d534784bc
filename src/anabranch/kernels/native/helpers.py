"""Functions of the user that an operator calls, as native functions of their own."""

from __future__ import annotations

import ast
from types import FunctionType

from anabranch.analysis.syntax import FunctionSyntax, syntax_of
from anabranch.kernels.native.body import Body, Helper
from anabranch.kernels.native.statements import Giving, translate
from anabranch.kernels.native.values import CONTEXT, DTYPES, Unsupported, Value, is_of_library
from anabranch.kernels.native.walk import scalar


def call_helper(body: Body, node: ast.Call, called: FunctionType, given: list[Value]) -> Value:
    """The call of a function that takes and returns scalars."""
    if is_of_library(called):
        raise body.refuse(node, f"uses {ast.unparse(node.func)}")
    if any(v.kind not in DTYPES or v.none for v in given):
        raise body.refuse(node, f"gives {ast.unparse(node.func)} what is no plain value")
    helper = _helper(body, node, called, tuple(v.kind for v in given))
    codes = [body.code(v) for v in given]
    return Value(helper.kind, f"{helper.name}({', '.join([CONTEXT, *codes])})")


def _helper(body: Body, node: ast.Call, called: FunctionType, kinds: tuple[str, ...]) -> Helper:
    known, key = body.registry.helpers, (called, kinds)
    if key not in known:
        known[key] = None
        try:
            known[key] = _translated(body, node, called, kinds, f"help{len(known)}")
        except Unsupported:
            del known[key]
            raise
    if known[key] is None:
        raise body.refuse(node, f"calls {ast.unparse(node.func)}, which calls itself,")
    return known[key]


def _translated(body: Body, node: ast.Call, called: FunctionType, kinds: tuple[str, ...],
                name: str) -> Helper:
    syntax = syntax_of(called)
    if not isinstance(syntax, FunctionSyntax) or syntax.is_generator or (
            len(syntax.parameters) != len(kinds)):
        raise body.refuse(node, f"calls {ast.unparse(node.func)}")
    names = [f"a{len(p)}{p}" for p in syntax.parameters]
    inner = Body(syntax, {p: Value(kind, n) for p, n, kind in zip(syntax.parameters, names, kinds)},
                 body.registry)
    found: list[Value] = []

    def returned(inner: Body, expression: ast.expr) -> None:
        value = scalar(inner, expression)
        found.append(value)
        if value.kind not in DTYPES or value.none or value.kind != found[0].kind:
            raise inner.refuse(expression, f"returns {value.shown}")
        inner.write(f"return {inner.code(value)}")
    translate(inner, Giving(None, returned))
    return Helper(name, tuple(names), inner.lines, found[0].kind)
