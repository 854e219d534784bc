"""Arithmetic of times and of what lies between them, a number of microseconds."""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.kernels.native.translate import arithmetic
from anabranch.kernels.native.translate.values import Value

Code = Callable[[Value], str]
INT = "int"
# For each operation and kinds of operands: the kind of the result, and of what both are taken for.
RESULTS: dict[tuple[type, str, str], str] = {
    (ast.Sub, "time", "time"): "span", (ast.Add, "time", "span"): "time",
    (ast.Add, "span", "time"): "time", (ast.Sub, "time", "span"): "time",
    (ast.Add, "span", "span"): "span", (ast.Sub, "span", "span"): "span",
    (ast.Mult, "span", "int"): "span", (ast.Mult, "int", "span"): "span",
    (ast.FloorDiv, "span", "int"): "span", (ast.FloorDiv, "span", "span"): "int",
    (ast.Mod, "span", "span"): "span", (ast.Div, "span", "span"): "float",
}
PARTS = {"days": "floordiv({}, DAY)", "seconds": "({} % DAY // SECOND)",
         "microseconds": "({} % SECOND)"}


def binary(op: ast.operator, left: Value, right: Value, code: Code) -> Value | None:
    """The result of an operation on times or spans.

    >>> a, b = Value("time", "a"), Value("time", "b")
    >>> found = binary(ast.Sub(), a, b, lambda v: v.code)
    >>> found.kind, found.code
    ('span', 'sub(a, b)')
    """
    kind = RESULTS.get((type(op), left.kind, right.kind))
    if kind is None:
        return None
    found = arithmetic.binary(op, Value(INT, code(left)), Value(INT, code(right)),
                              lambda value: value.code)
    return Value(kind, f"within_calendar({found.code})" if kind == "time" else found.code)


def unary(op: ast.unaryop, value: Value, code: Code) -> Value | None:
    forms = {ast.USub: "neg({})", ast.UAdd: "{}"}
    if value.kind != "span" or type(op) not in forms:
        return None
    return Value("span", forms[type(op)].format(code(value)))


def part(value: Value, name: str, code: Code) -> Value | None:
    """`days`, `seconds` or `microseconds` of a span."""
    if value.kind != "span" or name not in PARTS:
        return None
    return Value("int", PARTS[name].format(code(value)))
