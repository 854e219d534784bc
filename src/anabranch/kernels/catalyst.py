"""Operators without state as columns of a Spark DataFrame, with exactly Python's results.

What Python may refuse at some row (a division by what may be zero, None) has no translation:
Spark's optimiser may leave that row out. Nor have operations whose results differ (the case of
letters, an int compared with a float). Integers that outgrow 64 bits make Spark raise, in its ANSI
mode, and the program is then run in another way.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, syntax_of
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Filter, Map
from anabranch.ir.types import BOOL, FLOAT, INT, STR, RecordOf, Type
from anabranch.kernels.catalyst_functions import (
    Expression,
    arithmetic,
    as_text,
    comparison,
    conditional,
    constant,
    function_call,
    membership,
    method_call,
    negated,
    not_,
    together,
)
from anabranch.kernels.constructed import constructed
from anabranch.kernels.native.values import Unsupported, unsupported

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

KINDS = {BOOL: "bool", INT: "int", FLOAT: "float", STR: "str"}


@dataclass(frozen=True)
class Item:
    """What an item is made of; `cls` is None for a single value, which is called `value`."""

    cls: type | None
    fields: dict[str, Expression]


@dataclass(frozen=True)
class Step:
    """One operator: the columns of its output, or the condition of a filter."""

    columns: dict[str, Expression] | None = None
    condition: Expression | None = None

    def applied(self, frame: DataFrame) -> DataFrame:
        if self.condition is not None:
            return frame.filter(self.condition.make(frame))
        return frame.select(*(e.make(frame).alias(name) for name, e in self.columns.items()))


def translated(operators: tuple[Operator, ...], given: Type, made: Type) -> list[Step]:
    """The steps of a line of operators, from columns of one type to columns of the other;
    `Unsupported` when some part of it has no translation."""
    item, steps = _stored(given), []
    for op in operators:
        if not isinstance(op.kind, (Map, Filter)):
            raise Unsupported(f"{op.name} is a {op.kind.label}", op.span)
        syntax, result = _result(op)
        scope = _Scope(syntax, {syntax.parameters[0]: item})
        if isinstance(op.kind, Filter):
            steps.append(Step(condition=_condition(scope, result)))
        else:
            item = _item(scope, result)
            steps.append(Step(columns=item.fields))
            item = Item(item.cls, {name: Expression.column(name, e.kind, e.type)
                                   for name, e in item.fields.items()})
    return [*steps, Step(columns=_checked(item, made, operators[-1]))]


def _stored(item: Type) -> Item:
    fields = {name: Expression.column(name, KINDS.get(kind, "other"), kind)
              for name, kind in columns_of(item).items()}
    return Item(item.cls if isinstance(item, RecordOf) else None, fields)


def _result(op: Operator) -> tuple[FunctionSyntax, ast.expr]:
    """The one expression that a function returns."""
    syntax = syntax_of(op.kind.function.call)
    if isinstance(syntax, FunctionSyntax) and len(syntax.parameters) == 1:
        match syntax.body:
            case [ast.Return(ast.expr() as value)]:
                return syntax, value
    raise Unsupported(f"{op.name} is more than one expression", op.span)


def _checked(item: Item, declared: Type, last: Operator) -> dict[str, Expression]:
    """The columns as the declared type has them: a file holds an int as a float where it says so.
    """
    columns = columns_of(declared)
    if list(item.fields) != list(columns) or (item.cls is None) == isinstance(declared, RecordOf):
        raise Unsupported(f"{last.name} does not give a {declared}", last.span)
    for name, kind in columns.items():
        found = item.fields[name]
        wanted = KINDS.get(kind, "other")
        known = found.type == kind if wanted == "other" else found.kind == wanted
        if not known and (found.kind, kind) != ("int", FLOAT):
            raise Unsupported(f"{last.name} gives {found.kind} in {name}", last.span)
    return {name: item.fields[name].widened() if kind == FLOAT else item.fields[name]
            for name, kind in columns.items()}


@dataclass(frozen=True)
class _Scope:
    syntax: FunctionSyntax
    items: dict[str, Item]

    def refuse(self, node: ast.AST) -> Unsupported:
        return unsupported(self.syntax, node, f"Spark has no equal of {ast.unparse(node)}")


def _condition(scope: _Scope, node: ast.expr) -> Expression:
    condition = _expression(scope, node)
    if condition.kind != "bool":
        raise scope.refuse(node)
    return condition


def _item(scope: _Scope, node: ast.expr) -> Item:
    return Item(*constructed(scope.syntax, node, scope.items, partial(_expression, scope),
                             scope.refuse))


def _expression(scope: _Scope, node: ast.expr) -> Expression:
    handler = _HANDLERS.get(type(node))
    found = handler(scope, node) if handler else None
    if found is None:
        raise scope.refuse(node)
    return found


def _name(scope: _Scope, node: ast.Name) -> Expression | None:
    item = scope.items.get(node.id)
    if item is not None:
        return item.fields["value"] if item.cls is None else None
    found = scope.syntax.resolve(node.id)
    changes = node.id in rebound(scope.syntax.file)
    return None if found is UNRESOLVED or changes else constant(found)


def _attribute(scope: _Scope, node: ast.Attribute) -> Expression | None:
    item = scope.items.get(node.value.id) if isinstance(node.value, ast.Name) else None
    return item.fields.get(node.attr) if item is not None and item.cls is not None else None


def _compare(scope: _Scope, node: ast.Compare) -> Expression | None:
    if len(node.ops) != 1:
        return None
    left, (operation,), (right,) = node.left, node.ops, node.comparators
    if isinstance(operation, (ast.In, ast.NotIn)):
        found = _membership(scope, left, right)
        return not_(found) if isinstance(operation, ast.NotIn) else found
    return comparison(operation, _expression(scope, left), _expression(scope, right))


def _membership(scope: _Scope, left: ast.expr, right: ast.expr) -> Expression | None:
    if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return membership(_expression(scope, left), [_expression(scope, e) for e in right.elts])
    return method_call("__contains__", _expression(scope, right), [_expression(scope, left)])


def _call(scope: _Scope, node: ast.Call) -> Expression | None:
    if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    given = [_expression(scope, a) for a in node.args]
    if isinstance(node.func, ast.Attribute):
        return method_call(node.func.attr, _expression(scope, node.func.value), given)
    called = scope.syntax.resolve(node.func.id) if isinstance(node.func, ast.Name) else None
    return function_call(called, given)


def _text(scope: _Scope, node: ast.JoinedStr) -> Expression | None:
    parts = [_part(scope, part) for part in node.values]
    return None if None in parts else together(parts)


def _part(scope: _Scope, node: ast.expr) -> Expression | None:
    if isinstance(node, ast.Constant):
        return constant(node.value)
    plain = node.format_spec is None and node.conversion == -1
    return as_text(_expression(scope, node.value)) if plain else None


def _several(scope: _Scope, nodes: list[ast.expr]) -> list[Expression]:
    return [_expression(scope, node) for node in nodes]


def _unary(scope: _Scope, node: ast.UnaryOp) -> Expression | None:
    operation = {ast.Not: not_, ast.USub: negated}.get(type(node.op))
    return operation(_expression(scope, node.operand)) if operation else None


def _bool_op(scope: _Scope, node: ast.BoolOp) -> Expression | None:
    parts = _several(scope, node.values)
    if any(part.kind != "bool" for part in parts):
        return None
    both, result = isinstance(node.op, ast.And), parts[0]
    for part in parts[1:]:
        result = result.with_("bool", (lambda a, b: a & b) if both else (lambda a, b: a | b), part)
    return result


_HANDLERS: dict[type[ast.AST], Callable[[_Scope, ast.AST], Expression | None]] = {
    ast.Constant: lambda scope, node: constant(node.value), ast.Name: _name,
    ast.Attribute: _attribute, ast.Compare: _compare, ast.Call: _call, ast.JoinedStr: _text,
    ast.UnaryOp: _unary, ast.BoolOp: _bool_op,
    ast.BinOp: lambda scope, node: arithmetic(node.op, *_several(scope, [node.left, node.right])),
    ast.IfExp: lambda scope, node: conditional(
        *_several(scope, [node.test, node.body, node.orelse])),
}
