"""Expressions as text again: what is read from it is the same syntax.

>>> from anabranch.ir.types import INT
>>> shown(Operation(None, "+", (Name(None, ("a", "b")), Literal(None, 1, INT))))
'(a.b + 1)'
"""

from __future__ import annotations

from datetime import datetime
from functools import singledispatch

from anabranch.lang.common.syntax import Call, Choice, Literal, Name, Node, Operation, TypeName


@singledispatch
def shown(node: Node) -> str:
    """The text of a piece of syntax; every operation in parentheses."""
    raise TypeError(f"no rule shows a {type(node).__name__}")


@shown.register
def _literal(node: Literal) -> str:
    if isinstance(node.value, str):
        return "'" + node.value.replace("'", "''") + "'"
    if isinstance(node.value, datetime):
        return f"time '{node.value.isoformat()}'"
    if node.value is None:
        return "null"
    return repr(node.value).lower()


@shown.register
def _name(node: Name) -> str:
    return str(node)


@shown.register
def _operation(node: Operation) -> str:
    operands = [shown(operand) for operand in node.operands]
    if len(operands) == 2:
        return f"({operands[0]} {node.operator} {operands[1]})"
    return f"({operands[0]} is null)" if node.operator == "is null" else \
        f"({node.operator} {operands[0]})"


@shown.register
def _call(node: Call) -> str:
    return f"{node.function}({listed(node.arguments)})"


@shown.register
def _choice(node: Choice) -> str:
    branches = " ".join(f"when {shown(c)} then {shown(v)}" for c, v in node.branches)
    otherwise = "" if node.otherwise is None else f" else {shown(node.otherwise)}"
    return f"case {branches}{otherwise} end"


@shown.register
def _type(node: TypeName) -> str:
    return node.name if node.length is None else f"{node.name}({node.length})"


def listed(nodes: tuple[Node, ...]) -> str:
    return ", ".join(map(shown, nodes))
