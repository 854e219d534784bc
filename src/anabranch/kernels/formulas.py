"""Expressions as functions from columns to a column, exactly as in Python.

A text function is Python's own, called once for each distinct text. Values that may be None, and
operations whose Arrow form differs from Python's (division, an int compared with a float), have no
formula.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.analysis.typing.calls import METHODS
from anabranch.ir.types import BOOL, INT, STR, Type
from anabranch.kernels.construction import constructed
from anabranch.kernels.native.translate.values import unsupported

ARROW = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string()}
RESULTS = {BOOL: "bool", INT: "int", STR: "str"}
CHECKED = {ast.Add: pc.add_checked, ast.Sub: pc.subtract_checked, ast.Mult: pc.multiply_checked}
FLOATING = {ast.Add: pc.add, ast.Sub: pc.subtract, ast.Mult: pc.multiply}
ORDER = {ast.Eq: pc.equal, ast.NotEq: pc.not_equal, ast.Lt: pc.less, ast.LtE: pc.less_equal,
         ast.Gt: pc.greater, ast.GtE: pc.greater_equal}
PARTS = {"year": pc.year, "month": pc.month, "day": pc.day, "hour": pc.hour, "minute": pc.minute,
         "second": pc.second}
PLAIN = {bool: "bool", int: "int", float: "float", str: "str"}


@dataclass(frozen=True)
class Formula:
    """A column to be: its kind, and how it is computed from the columns that came in."""

    kind: str
    get: Callable[[list], pa.Array | pa.Scalar]
    type: Type | None = None

    @staticmethod
    def column(kind: str, number: int, declared: Type | None = None) -> Formula:
        return Formula(kind, lambda columns: columns[number], declared)


@dataclass(frozen=True)
class FormulaItem:
    """What an item is made of; `cls` is None for a single value, which is called `value`."""

    cls: type | None
    fields: dict[str, Formula]

    def columns(self) -> list[Formula]:
        return list(self.fields.values())

    def stored(self) -> FormulaItem:
        """The same item when its formulas have been computed into columns."""
        return replace(self, fields={
            name: Formula.column(f.kind, n, f.type) for n, (name, f) in
            enumerate(self.fields.items())})


@dataclass(frozen=True)
class _Scope:
    syntax: FunctionSyntax
    items: dict[str, FormulaItem]

    def refuse(self, node: ast.AST):
        return unsupported(self.syntax, node, f"uses {ast.unparse(node)}")


def formula(syntax: FunctionSyntax, node: ast.expr, items: dict[str, FormulaItem]) -> Formula:
    return _formula(_Scope(syntax, items), node)


def formulas(syntax: FunctionSyntax, node: ast.expr, items: dict[str, FormulaItem]) -> FormulaItem:
    """The formulas of an item: a record made by its class or by `replace`, or a single value."""
    scope = _Scope(syntax, items)
    return FormulaItem(*constructed(syntax, node, items, partial(_formula, scope), scope.refuse))


def _formula(scope: _Scope, node: ast.expr) -> Formula:
    handler = HANDLERS.get(type(node))
    found = handler(scope, node) if handler else None
    if found is None:
        raise scope.refuse(node)
    return found


def _constant(value: object) -> Formula | None:
    kind = PLAIN.get(type(value))
    if kind is None or (kind == "int" and not -2**63 <= value < 2**63):
        return None
    scalar = pa.scalar(value, ARROW[kind])
    return Formula(kind, lambda columns: scalar)


def _name(scope: _Scope, node: ast.Name) -> Formula | None:
    item = scope.items.get(node.id)
    if item is not None:
        return item.fields["value"] if item.cls is None else None
    found = scope.syntax.resolve(node.id)
    changes = node.id in rebound(scope.syntax.file)
    return None if found is UNRESOLVED or changes else _constant(found)


def _attribute(scope: _Scope, node: ast.Attribute) -> Formula | None:
    if isinstance(node.value, ast.Name) and (item := scope.items.get(node.value.id)):
        return item.fields.get(node.attr) if item.cls is not None else None
    owner = _formula(scope, node.value)
    if owner.kind == "time" and node.attr in PARTS:
        return _of("int", PARTS[node.attr], owner)
    return None


def _of(kind: str, function: Callable, *parts: Formula) -> Formula:
    return Formula(kind, lambda columns: function(*(p.get(columns) for p in parts)))


def _binary(scope: _Scope, node: ast.BinOp) -> Formula | None:
    left, right = _formula(scope, node.left), _formula(scope, node.right)
    kind = left.kind if left.kind == right.kind else None
    if kind == "str" and isinstance(node.op, ast.Add):
        return _of("str", _concatenated, left, right)
    operations = {"int": CHECKED, "float": FLOATING}.get(kind, {})
    function = operations.get(type(node.op))
    return _of(kind, function, left, right) if function else None


def _concatenated(*parts) -> pa.Array:
    return pc.binary_join_element_wise(*parts, pa.scalar(""))


def _compare(scope: _Scope, node: ast.Compare) -> Formula | None:
    if len(node.ops) != 1 or type(node.ops[0]) not in ORDER:
        return None
    left, right = _formula(scope, node.left), _formula(scope, node.comparators[0])
    comparable = left.kind == right.kind and left.kind in (*ARROW, "time")
    return _of("bool", ORDER[type(node.ops[0])], left, right) if comparable else None


def _bool_op(scope: _Scope, node: ast.BoolOp) -> Formula | None:
    parts = [_formula(scope, v) for v in node.values]
    if any(p.kind != "bool" for p in parts):
        return None
    function, result = pc.and_ if isinstance(node.op, ast.And) else pc.or_, parts[0]
    for part in parts[1:]:
        result = _of("bool", function, result, part)
    return result


def _not(scope: _Scope, node: ast.UnaryOp) -> Formula | None:
    operand = _formula(scope, node.operand)
    if operand.kind != "bool" or not isinstance(node.op, ast.Not):
        return None
    return _of("bool", pc.invert, operand)


def _conditional(scope: _Scope, node: ast.IfExp) -> Formula | None:
    test, yes, no = (_formula(scope, n) for n in (node.test, node.body, node.orelse))
    if test.kind != "bool" or yes.kind != no.kind or yes.kind == "other":
        return None
    return _of(yes.kind, pc.if_else, test, yes, no)


def _text(scope: _Scope, node: ast.JoinedStr) -> Formula | None:
    parts = [_part(scope, part) for part in node.values]
    return None if None in parts else _of("str", _concatenated, *parts)


def _part(scope: _Scope, node: ast.expr) -> Formula | None:
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if node.format_spec is not None or node.conversion != -1:
        return None
    return _as_text(_formula(scope, node.value))


def _as_text(given: Formula) -> Formula | None:
    if given.kind == "str":
        return given
    return _of("str", lambda c: pc.cast(c, pa.string()), given) if given.kind == "int" else None


def _call(scope: _Scope, node: ast.Call) -> Formula | None:
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    if isinstance(node.func, ast.Attribute):
        return _method(scope, node, node.func.attr)
    called = scope.syntax.resolve(node.func.id) if isinstance(node.func, ast.Name) else None
    if called not in (str, len) or len(node.args) != 1:
        return None
    given = _formula(scope, node.args[0])
    if called is str:
        return _as_text(given)
    return _of("int", lambda c: pc.cast(pc.utf8_length(c), pa.int64()), given) if (
        given.kind == "str") else None


def _method(scope: _Scope, node: ast.Call, name: str) -> Formula | None:
    owner, kind = _formula(scope, node.func.value), RESULTS.get(METHODS[STR].get(name))
    if owner.kind != "str" or kind is None:
        return None
    try:
        arguments = [ast.literal_eval(a) for a in node.args]
    except ValueError:
        return None
    return _of(kind, lambda c: _each_distinct(c, name, arguments, ARROW[kind]), owner)


def _each_distinct(column: pa.Array, name: str, arguments: list, kind: pa.DataType) -> pa.Array:
    if isinstance(column, pa.Scalar):
        return pa.scalar(getattr(column.as_py(), name)(*arguments), kind)
    encoded = column.dictionary_encode()
    made = [getattr(text, name)(*arguments) for text in encoded.dictionary.to_pylist()]
    return pa.array(made, kind).take(encoded.indices)


HANDLERS: dict[type[ast.AST], Callable[[_Scope, ast.AST], Formula | None]] = {
    ast.Constant: lambda scope, node: _constant(node.value), ast.Name: _name,
    ast.Attribute: _attribute, ast.BinOp: _binary, ast.Compare: _compare, ast.BoolOp: _bool_op,
    ast.UnaryOp: _not, ast.IfExp: _conditional, ast.JoinedStr: _text, ast.Call: _call,
}
