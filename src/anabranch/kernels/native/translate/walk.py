"""From an expression to what it stands for: the walk over a function's tree.

`HANDLERS` has a function for each kind of expression; `expressions` fills it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anabranch.ir.records import State
from anabranch.kernels.native.stage.lists import is_list
from anabranch.kernels.native.translate import texts
from anabranch.kernels.native.translate.body import Body, Wider
from anabranch.kernels.native.translate.texts import of_one_text
from anabranch.kernels.native.translate.values import (
    OPAQUE,
    HeldCollection,
    Rec,
    Shape,
    Unsupported,
    Value,
    no_form,
)

HANDLERS: dict[type[ast.AST], Callable[[Body, ast.AST], Shape | object]] = {}


def shape_of(body: Body, node: ast.expr) -> Shape:
    """The value of an expression: a scalar or a record."""
    found = thing(body, node)
    # A state changes behind the back of whoever holds it; only its fields have values.
    is_state = isinstance(found, Rec) and issubclass(found.cls, (State, HeldCollection))
    if is_state or not isinstance(found, (Value, Rec)):
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    return found


def scalar(body: Body, node: ast.expr) -> Value:
    found = shape_of(body, node)
    if isinstance(found, Rec):
        what = "list" if is_list(found) else "record"
        raise body.refuse(node, f"uses the {what} {ast.unparse(node)} as a value")
    return found


def thing(body: Body, node: ast.expr) -> Shape | object:
    """What an expression stands for: a value, or a Python object such as a module or a class."""
    try:
        return _handled(body, node)
    except Unsupported:
        found = None if body.syntax is None else of_one_text(body, node)
        if found is None:
            raise
        return found


def _handled(body: Body, node: ast.expr) -> Shape | object:
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise body.refuse(node, f"uses {ast.unparse(node)}")
    try:
        return handler(body, node)
    except (Unsupported, Wider):
        raise
    except Exception as error:
        # What native code cannot be made of is for rows: it is never the user's mistake.
        raise body.refuse(node, no_form(ast.unparse(node), error)) from error


def truth(body: Body, node: ast.expr) -> str:
    """The code of a condition."""
    try:
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            return f"({word.join(truth(body, part) for part in node.values)})"
        return truth_of(body, node, shape_of(body, node))
    except Unsupported:
        asked = ast.Call(ast.Name("bool", ast.Load()), [node], [])
        found = of_one_text(body, ast.copy_location(asked, node))
        if not isinstance(found, Value) or found.kind != "bool":
            raise
        return found.code


def truth_of(body: Body, node: ast.expr, value: Shape) -> str:
    if isinstance(value, Rec):
        raise body.refuse(node, "uses a record as a condition")
    if value.kind == "str":
        held = texts.lookup(body, value, "bool({x})", "bool").code
    elif value.kind in ("none", *OPAQUE):
        raise body.refuse(node, f"uses {ast.unparse(node)} as a condition")
    else:
        held = {"bool": value.code, "time": "True"}.get(value.kind, f"({body.code(value)} != 0)")
        body.code(value)
    return f"(not {value.none} and {held})" if value.none else held


def number(body: Body, value: Value) -> str:
    """The code of a scalar that must not be None."""
    code = body.code(value)
    return f"present({code}, {value.none})" if value.none else code
