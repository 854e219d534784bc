"""What is computed from texts: Python itself does it, once for each distinct text.

Native code sees a text as its code. Two texts are equal when their codes are; everything else is
looked up by the code in a table, which is filled by evaluating the user's expression.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from anabranch.analysis.typing.calls import METHODS
from anabranch.ir.types import BOOL, INT, STR
from anabranch.kernels.native.arithmetic import ORDER
from anabranch.kernels.native.body import Body
from anabranch.kernels.native.values import TEXT, VARIABLE, Value

RESULTS = {BOOL: "bool", INT: "int", STR: "str"}
SWAPPED = {ast.Lt: ">", ast.LtE: ">=", ast.Gt: "<", ast.GtE: "<=", ast.Eq: "==", ast.NotEq: "!="}


def lookup(body: Body, text: Value, form: str, kind: str) -> Value:
    """A value made of a text; `form` is Python with {x} for the text."""
    made = form.format(x=f"({text.made})" if text.made else TEXT)
    if kind == "str":
        return made_of(text, made)
    return Value(kind, body.looked_up(text, made, kind))


def made_of(text: Value, made: str) -> Value:
    """A text that Python makes of another by the expression. What it makes of None is for rows: it
    may be a text, or an error."""
    there = text if text.none is None else replace(
        text, code=f"present({text.code}, {text.none})", none=None)
    return replace(there, made=made, constant=VARIABLE)


def method(body: Body, node: ast.Call, text: Value, name: str, arguments: list[Value]) -> Value:
    kind = RESULTS.get(METHODS[STR].get(name))
    if kind is None or not all(a.is_constant for a in arguments):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    given = ", ".join(repr(a.constant).replace("{", "{{").replace("}", "}}") for a in arguments)
    return lookup(body, text, f"{{x}}.{name}({given})", kind)


def binary(body: Body, node: ast.BinOp, left: Value, right: Value) -> Value:
    """Concatenation with a constant."""
    if isinstance(node.op, ast.Add) and left.kind == right.kind == "str":
        if right.is_constant:
            return lookup(body, left, f"{{x}} + {_quoted(right)}", "str")
        if left.is_constant:
            return lookup(body, right, f"{_quoted(left)} + {{x}}", "str")
    raise body.refuse(node, f"uses {ast.unparse(node)}")


def compare(body: Body, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> str:
    equality = isinstance(op, (ast.Eq, ast.NotEq))
    if equality and left.kind == right.kind == "str" and not (left.made or right.made):
        return f"({body.code(left)} {ORDER[type(op)]} {body.code(right)})"
    optional = left.none or right.none
    if left.kind != right.kind or optional or type(op) not in ORDER:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    if right.is_constant:
        return lookup(body, left, f"{{x}} {ORDER[type(op)]} {_quoted(right)}", "bool").code
    if left.is_constant:
        return lookup(body, right, f"{{x}} {SWAPPED[type(op)]} {_quoted(left)}", "bool").code
    return f"({order_of(body.code(left), body.code(right))} {ORDER[type(op)]} 0)"


def order_of(left: str, right: str) -> str:
    """The code that compares two texts: below, at or above zero."""
    return f"text_order(starts, texts, {left}, {right})"


def one_of(body: Body, node: ast.Compare, text: Value, members: list[Value]) -> str:
    if text.none or not all(m.is_constant for m in members):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    listed = "".join(f"{_quoted(m)}, " for m in members)
    return lookup(body, text, f"{{x}} in ({listed})", "bool").code


def contains(body: Body, node: ast.Compare, text: Value, part: Value) -> str:
    if text.kind != "str" or part.kind != "str" or not part.is_constant:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return lookup(body, text, f"{_quoted(part)} in {{x}}", "bool").code


def subscript(body: Body, node: ast.Subscript, text: Value) -> Value:
    try:
        ast.literal_eval(_indices(node.slice))
    except ValueError:
        raise body.refuse(node, f"uses {ast.unparse(node)}") from None
    if text.kind != "str":
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return lookup(body, text, f"{{x}}[{ast.unparse(node.slice)}]", "str")


def _indices(node: ast.expr) -> ast.expr:
    """The bounds of a slice as a tuple, so that they can be tested for being constants."""
    if not isinstance(node, ast.Slice):
        return node
    parts = [p for p in (node.lower, node.upper, node.step) if p is not None]
    return ast.Tuple(parts, ast.Load())


def _quoted(value: Value) -> str:
    return repr(value.constant).replace("{", "{{").replace("}", "}}")
