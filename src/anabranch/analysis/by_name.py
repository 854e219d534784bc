"""Records that are read by name: `order["amount"]` of a typed dict.

A function whose parameter is such a record is analysed as if it had written `order.amount`.
"""

from __future__ import annotations

import ast
import copy
import typing
from types import CodeType

from anabranch.ir.types import RecordOf, Type, without_none

_READ: dict[CodeType, frozenset[str]] = {}
_TREES: dict[tuple[CodeType, ast.AST], ast.AST] = {}


def is_read_by_name(item: Type) -> bool:
    """Whether items are records that stand for a typed dict."""
    item = without_none(item)
    return isinstance(item, RecordOf) and typing.is_typeddict(
        getattr(item.cls, "__stands_for__", None))


def read_by_name(code: CodeType, parameters: frozenset[str]) -> None:
    """These parameters of a function are records that give their fields by name."""
    _READ[code] = _READ.get(code, frozenset()) | parameters


def with_attributes(code: CodeType, node: ast.AST) -> ast.AST:
    """The tree of a function, the same one each time, with attributes for the names."""
    names = _READ.get(code)
    if not names:
        return node
    if (code, node) not in _TREES:
        names -= _bound_again(node)
        _TREES[code, node] = _Attributes(names).visit(copy.deepcopy(node)) if names else node
    return _TREES[code, node]


def _bound_again(node: ast.AST) -> set[str]:
    """Names that are given other values inside of the function."""
    inner = [n for n in ast.walk(node) if n is not node]
    arguments = (a for n in inner if isinstance(n, ast.Lambda | ast.FunctionDef)
                 for a in ast.walk(n.args) if isinstance(a, ast.arg))
    return {n.id for n in inner if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
            } | {a.arg for a in arguments}


class _Attributes(ast.NodeTransformer):
    def __init__(self, names: frozenset[str]):
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Subscript(ast.Name(name), ast.Constant(str(field)) as key, ast.Load()) if (
                    name in self.names and field.isidentifier()):
                found = ast.copy_location(ast.Attribute(node.value, field, ast.Load()), node)
                # What is wrong with it is underlined between the quotes.
                found.end_lineno, found.end_col_offset = key.end_lineno, key.end_col_offset - 1
                return found
        return node
