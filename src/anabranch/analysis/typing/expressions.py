"""The type of every expression of a function, from the types of its variables."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anabranch.analysis.constants import plain_constant
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax
from anabranch.analysis.typing import diagnostics, operations
from anabranch.analysis.typing.calls import call_type
from anabranch.analysis.typing.types import (
    NUMBERS,
    PYTHON_TYPES,
    SPAN,
    DictOf,
    ItemsOf,
    SetOf,
    TupleOf,
    annotated,
    element,
    fields_of_class,
    joined,
    joined_all,
    of_field,
    returned,
)
from anabranch.ir.types import (
    ANY,
    BOOL,
    BYTES,
    INT,
    NONE,
    STR,
    TIMESTAMP,
    ListOf,
    RecordOf,
    Scalar,
    Type,
    without_none,
)

SPAN_PARTS = ("days", "seconds", "microseconds")
TIME_PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")


class ExpressionTyper:
    """Types expressions under `variables`, and notes every assignment in `assigned`.

    `loose_lists` is set when the function changes lists, so that a list may come to hold other
    things than its display shows.
    """

    def __init__(self, syntax: FunctionSyntax, variables: dict[str, Type],
                 report: diagnostics.Report, loose_lists: bool = False):
        self.syntax, self.variables, self.report = syntax, variables, report
        self.loose_lists = loose_lists
        self.types: dict[ast.AST, Type] = {}
        self.assigned: dict[str, Type] = {}
        self.returned: list[Type] = []
        self.yielded: list[Type] = []

    def type(self, node: ast.expr) -> Type:
        found = HANDLERS.get(type(node), _unknown)(self, node)
        self.types[node] = found
        return found

    def variable(self, name: str) -> Type:
        return self.variables.get(name) or self.assigned.get(name, ANY)

    def assign(self, name: str, found: Type) -> None:
        known = self.assigned.get(name)
        self.assigned[name] = found if known is None else joined(known, found)

    def element(self, node: ast.expr) -> Type:
        """The type of the items that iterating over an expression gives."""
        found = self.type(node)
        item = element(found)
        if item is None:
            self.report(diagnostics.not_iterable(self.syntax, node, found))
        return ANY if item is None else item

    @contextmanager
    def scope(self, names: dict[str, Type]) -> Iterator[None]:
        outer = self.variables
        self.variables = {**outer, **names}
        yield
        self.variables = outer


def targets(target: ast.expr, found: Type) -> dict[str, Type]:
    """The types of the names that a target binds."""
    match target, found:
        case (ast.Name(id=name), _):
            return {name: found}
        case (ast.Tuple(elts=parts), TupleOf(items)) if len(parts) == len(items):
            pairs = zip(parts, items)
            return {n: t for part, item in pairs for n, t in targets(part, item).items()}
    return {n.id: ANY for n in ast.walk(target) if isinstance(n, ast.Name)}


def _unknown(typer: ExpressionTyper, node: ast.AST) -> Type:
    """Nothing is known of it, but its parts are looked at."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            typer.type(child)
        elif isinstance(child, ast.keyword):
            typer.type(child.value)
    return ANY


def _constant(typer, node: ast.Constant) -> Type:
    return annotated(type(node.value))


def _name(typer, node: ast.Name) -> Type:
    if node.id in typer.variables or node.id in typer.assigned:
        return typer.variable(node.id)
    value = plain_constant(typer.syntax, node.id)
    return ANY if value is UNRESOLVED else annotated(type(value))


def _attribute(typer, node: ast.Attribute) -> Type:
    return attribute(typer, node, without_none(typer.type(node.value)))


def attribute(typer, node: ast.Attribute, owner: Type) -> Type:
    """The type of an attribute of a value; what no such value can have is reported."""
    if isinstance(owner, RecordOf):
        return _field(typer, node, owner)
    if owner == TIMESTAMP and node.attr in TIME_PARTS:
        return INT
    if owner == SPAN:
        return INT if node.attr in SPAN_PARTS else ANY
    python = list if isinstance(owner, ListOf) else PYTHON_TYPES.get(owner)
    # After a test with isinstance it may be a value of another built-in type.
    if python and not any(hasattr(t, node.attr) for t in (list, *PYTHON_TYPES.values())):
        names = [n for n in dir(python) if not n.startswith("_")]
        typer.report(diagnostics.no_attribute(typer.syntax, node, owner, names))
    return ANY


def _field(typer, node: ast.Attribute, owner: RecordOf) -> Type:
    fields = fields_of_class(owner.cls)
    if node.attr in fields:
        return of_field(fields[node.attr])
    member = getattr(owner.cls, node.attr, None)
    if isinstance(member, property):
        return returned(member.fget) or ANY
    if member is None and not hasattr(owner.cls, "__getattr__"):
        typer.report(diagnostics.no_attribute(typer.syntax, node, owner, fields))
    return ANY


def _binary(typer, node: ast.BinOp) -> Type:
    left, right = typer.type(node.left), typer.type(node.right)
    if isinstance(node.op, ast.Pow) and left in (INT, BOOL) and _is_natural(typer, node.right):
        return INT
    if isinstance(left, SetOf) and isinstance(right, SetOf):
        return joined(left, right)
    return binary(typer, node, node.op, left, right)


def _is_natural(typer, node: ast.expr) -> bool:
    """Whether it is a constant from 0 on, so that an int to that power is an int."""
    value = node.value if isinstance(node, ast.Constant) else (
        plain_constant(typer.syntax, node.id) if isinstance(node, ast.Name) else None)
    return type(value) in (int, bool) and value >= 0


def binary(typer, node: ast.AST, op: ast.operator, left: Type, right: Type) -> Type:
    found = operations.arithmetic(op, left, right)
    if found is None:
        typer.report(diagnostics.clash(typer.syntax, node, op, left, right))
    return ANY if found is None else found


def _unary(typer, node: ast.UnaryOp) -> Type:
    operand = typer.type(node.operand)
    if isinstance(node.op, ast.Not):
        return BOOL
    found = operations.negated(node.op, operand)
    if found is None:
        typer.report(diagnostics.unary_clash(typer.syntax, node, operand))
    return ANY if found is None else found


def _compare(typer, node: ast.Compare) -> Type:
    operands = [typer.type(o) for o in (node.left, *node.comparators)]
    results = []
    for op, left, right in zip(node.ops, operands, operands[1:]):
        found = operations.comparison(op, left, right)
        if found is None:
            typer.report(diagnostics.clash(typer.syntax, node, op, left, right))
        results.append(ANY if found is None else found)
    return joined_all(results)


def _bool_op(typer, node: ast.BoolOp) -> Type:
    *first, last = (typer.type(v) for v in node.values)
    if isinstance(node.op, ast.Or):
        first = [without_none(t) for t in first]
    return joined_all([*first, last])


def _conditional(typer, node: ast.IfExp) -> Type:
    typer.type(node.test)
    return joined(typer.type(node.body), typer.type(node.orelse))


def _walrus(typer, node: ast.NamedExpr) -> Type:
    found = typer.type(node.value)
    typer.assign(node.target.id, found)
    return found


def _text(typer, node: ast.JoinedStr) -> Type:
    _unknown(typer, node)
    return STR


def _list(typer, node: ast.List) -> Type:
    return ListOf(_held(typer, _items(typer, node)))


def _set(typer, node: ast.Set) -> Type:
    return SetOf(_held(typer, _items(typer, node)))


def _held(typer, found: Type) -> Type:
    """What a new list may come to hold, when its display shows items of this type."""
    return ANY if typer.loose_lists else found


def _items(typer, node: ast.List | ast.Set) -> Type:
    return joined_all([typer.element(e.value) if isinstance(e, ast.Starred) else typer.type(e)
                       for e in node.elts])


def _tuple(typer, node: ast.Tuple) -> Type:
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _unknown(typer, node)
    return TupleOf(tuple(typer.type(e) for e in node.elts))


def _comprehension(typer, node: ast.ListComp) -> Type:
    item = _in_comprehension(typer, node.generators, [node.elt])
    if isinstance(node, ast.ListComp):
        return ListOf(_held(typer, item))
    return SetOf(item) if isinstance(node, ast.SetComp) else ItemsOf(item)


def _dict_comprehension(typer, node: ast.DictComp) -> Type:
    _in_comprehension(typer, node.generators, [node.key, node.value])
    return ANY


def _in_comprehension(typer, generators: list[ast.comprehension], parts: list[ast.expr]) -> Type:
    if not generators:
        return joined_all([typer.type(part) for part in parts])
    first, *rest = generators
    with typer.scope(targets(first.target, typer.element(first.iter))):
        for condition in first.ifs:
            typer.type(condition)
        return _in_comprehension(typer, rest, parts)


def _lambda(typer, node: ast.Lambda) -> Type:
    _unknown(typer, node.args)
    own = len(typer.yielded)
    with typer.scope({a.arg: ANY for a in ast.walk(node.args) if isinstance(a, ast.arg)}):
        typer.type(node.body)
    del typer.yielded[own:]
    return ANY


def _subscript(typer, node: ast.Subscript) -> Type:
    owner, index = without_none(typer.type(node.value)), typer.type(node.slice)
    if owner in NUMBERS or owner == TIMESTAMP:
        typer.report(diagnostics.not_indexed(typer.syntax, node.value, owner))
        return ANY
    if isinstance(owner, DictOf):
        return owner.value
    if isinstance(node.slice, ast.Slice):
        return owner if isinstance(owner, ListOf) or owner in (STR, BYTES) else ANY
    if isinstance(owner, Scalar) and owner != NONE:
        return element(owner) or ANY
    if isinstance(owner, TupleOf) and isinstance(node.slice, ast.Constant):
        return _item(owner.items, node.slice.value)
    return owner.item if isinstance(owner, ListOf) and index in (INT, BOOL, ANY) else ANY


def _item(items: tuple[Type, ...], index: object) -> Type:
    return items[index] if isinstance(index, int) and -len(items) <= index < len(items) else ANY


def _yield(typer, node: ast.Yield) -> Type:
    typer.yielded.append(typer.type(node.value) if node.value else NONE)
    return ANY


def _yield_from(typer, node: ast.YieldFrom) -> Type:
    typer.yielded.append(typer.element(node.value))
    return ANY


HANDLERS: dict[type[ast.AST], Callable[[ExpressionTyper, ast.AST], Type]] = {
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.Compare: _compare, ast.BoolOp: _bool_op, ast.IfExp: _conditional,
    ast.NamedExpr: _walrus, ast.JoinedStr: _text, ast.List: _list, ast.Set: _set,
    ast.Tuple: _tuple, ast.ListComp: _comprehension, ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.DictComp: _dict_comprehension, ast.Lambda: _lambda,
    ast.Subscript: _subscript, ast.Yield: _yield, ast.YieldFrom: _yield_from, ast.Call: call_type,
}
