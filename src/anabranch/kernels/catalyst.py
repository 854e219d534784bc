"""Operators without state as columns of a Spark DataFrame, exactly as in Python.

What Python may refuse at some row (a division by what may be zero, None) has no translation:
Spark's optimiser may leave that row out. Nor have operations whose results differ (the case of
letters, an int compared with a float): their functions here give None. Integers that outgrow 64
bits end the job. Where that is the value of a column, no engine could keep it; who has no other way
to run the program asks for steps that are `exact`, and is refused all others.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from anabranch.analysis.constants import rebound
from anabranch.analysis.syntax import UNRESOLVED, FunctionSyntax, syntax_of
from anabranch.core.errors import DataError
from anabranch.io.columns import columns_of
from anabranch.ir.graph import Operator
from anabranch.ir.operators import Filter, Map
from anabranch.ir.types import BOOL, FLOAT, INT, STR, RecordOf, Type
from anabranch.kernels.construction import constructed
from anabranch.kernels.native.translate.values import Unsupported, unsupported

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


EXACT = 2**53
"""Integers up to this size are the same as floats."""

PLAIN = {bool: "bool", int: "int", float: "float", str: "str"}
NONE = object()


Bounds = tuple[int, int]

BITS = (-2**63, 2**63 - 1)


class ColumnsByName(Protocol):
    """A DataFrame, or what else has columns by their quoted names."""

    def __getitem__(self, name: str) -> Column: ...


@dataclass(frozen=True)
class Expression:
    """A column to be: its kind, how it is made from a frame, and its value if that is known.

    `bounds` are those of an int. One that may leave 64 bits ends the job where it does; what is
    made of such a one is not `exact`, since Python goes on with it.
    """

    kind: str
    make: Callable[[ColumnsByName], Column]
    type: Type | None = None
    value: object = NONE
    bounds: Bounds = BITS
    exact: bool = True

    @staticmethod
    def column(name: str, kind: str, declared: Type | None = None, bounds: Bounds = BITS,
               exact: bool = True) -> Expression:
        return Expression(kind, lambda frame: frame[f"`{name}`"], declared, bounds=bounds,
                          exact=exact)

    def with_(self, kind: str, function: Callable, *others: Expression, bounds: Bounds = BITS
              ) -> Expression:
        """What a function of columns makes of this one and others."""
        parts = (self, *others)
        return Expression(kind, lambda frame: function(*(p.make(frame) for p in parts)),
                          bounds=bounds, exact=all(p.exact and not p.outgrows for p in parts))

    @property
    def outgrows(self) -> bool:
        """Whether it may leave 64 bits."""
        return self.kind == "int" and not (BITS[0] <= self.bounds[0] and self.bounds[1] <= BITS[1])

    def widened(self) -> Expression:
        """The same number as a float."""
        if self.kind != "int":
            return self
        return self.with_("float", lambda column: column.cast("double"))

    @property
    def is_known(self) -> bool:
        return self.value is not NONE


def constant(value: object) -> Expression | None:
    kind = PLAIN.get(type(value))
    if kind is None or not _fits(value):
        return None

    def make(frame: DataFrame) -> Column:
        from pyspark.sql import functions as F

        return F.lit(value).cast("bigint") if kind == "int" else F.lit(value)
    return Expression(kind, make, None, value, (value, value) if kind == "int" else BITS)


def _fits(value: object) -> bool:
    """Whether Spark can hold it: 64 bits, and no half of a character."""
    if type(value) is int:
        return -2**63 <= value < 2**63
    return type(value) is not str or not any("\ud800" <= c <= "\udfff" for c in value)


_OPERATIONS: dict[type[ast.operator], Callable] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b}

_TRIED = {ast.Add: "try_add", ast.Sub: "try_subtract", ast.Mult: "try_multiply"}


def arithmetic(operation: ast.operator, left: Expression, right: Expression,
               outgrown: str = "a number outgrows 64 bits") -> Expression | None:
    """Sums, differences, products; quotients by a known number that is not zero."""
    kinds = {left.kind, right.kind}
    if kinds == {"str"} and isinstance(operation, ast.Add):
        return together([left, right])
    if kinds == {"int"} and type(operation) in _OPERATIONS:
        return _whole(type(operation), left, right, outgrown)
    if kinds <= {"int", "float"} and type(operation) in _OPERATIONS:
        return left.widened().with_("float", _OPERATIONS[type(operation)], right.widened())
    if not (right.is_known and kinds <= {"int", "float"} and right.value):
        return None
    if isinstance(operation, ast.Div) and left.kind == "float":
        return left.with_("float", lambda a, b: a / b, right.widened())
    return _floored(operation, left, right) if kinds == {"int"} and right.value > 0 else None


def _whole(operation: type[ast.operator], left: Expression, right: Expression, outgrown: str
           ) -> Expression:
    """A whole number; where it may leave 64 bits it is looked at, in whatever mode Spark is."""
    from pyspark.sql import functions as F

    calculated = _OPERATIONS[operation]
    corners = [calculated(a, b) for a in left.bounds for b in right.bounds]
    made = left.with_("int", calculated, right, bounds=(min(corners), max(corners)))
    if not made.outgrows:
        return made

    def tried(a: Column, b: Column) -> Column:
        failed = F.raise_error(F.lit(outgrown)).cast("bigint")
        return F.coalesce(F.call_function(_TRIED[operation], a, b), failed)
    return left.with_("int", tried, right, bounds=made.bounds)


def _floored(operation: ast.operator, left: Expression, right: Expression) -> Expression | None:
    """Python rounds quotients down, Spark towards zero."""
    from pyspark.sql import functions as F

    if isinstance(operation, ast.Mod):
        return left.with_("int", F.pmod, right, bounds=(0, right.value - 1))
    if isinstance(operation, ast.FloorDiv):
        def rounded(a: Column, b: Column) -> Column:
            below = F.when((a < 0) & (a % b != 0), F.lit(1)).otherwise(F.lit(0))
            return F.call_function("div", a, b) - below.cast("bigint")
        return left.with_("int", rounded, right,
                          bounds=(left.bounds[0] // right.value, left.bounds[1] // right.value))
    return None


_ORDER = {ast.Eq: lambda a, b: a == b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
          ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b}


def comparison(operation: ast.cmpop, left: Expression, right: Expression) -> Expression | None:
    if isinstance(operation, ast.NotEq):
        return not_(comparison(ast.Eq(), left, right))
    left, right = _alike(left, right), _alike(right, left)
    if left is None or right is None or type(operation) not in _ORDER:
        return None
    order = _ORDER[type(operation)]
    if left.kind != "float":
        return left.with_("bool", order, right)
    return left.with_("bool", lambda a, b: _without_nan(operation, a, b) & order(a, b), right)


def _alike(one: Expression, other: Expression) -> Expression | None:
    """The one as a value that Spark compares with the other as Python does."""
    if one.kind == other.kind and one.kind in PLAIN.values():
        return one
    exact = one.is_known and one.kind == "int" and abs(one.value) <= EXACT
    if exact and other.kind == "float":
        return constant(float(one.value))
    known = other.is_known and other.kind == "int" and abs(other.value) <= EXACT
    return one if one.kind == "float" and known else None


def _without_nan(operation: ast.cmpop, left: Column, right: Column) -> Column:
    """Spark takes NaN for the largest number, and equal to itself."""
    from pyspark.sql import functions as F

    larger = right if isinstance(operation, (ast.Lt, ast.LtE)) else left
    return ~F.isnan(larger)


def membership(item: Expression, members: Sequence[Expression]) -> Expression | None:
    """Whether an int or a text is one of some that are known."""
    if item.kind not in ("int", "str") or not members or not all(
            m.is_known and m.kind == item.kind for m in members):
        return None
    values = [m.value for m in members]
    return item.with_("bool", lambda column: column.isin(values))


def not_(operand: Expression | None) -> Expression | None:
    if operand is None or operand.kind != "bool":
        return None
    return operand.with_("bool", lambda column: ~column)


def negated(operand: Expression) -> Expression | None:
    if operand.is_known and operand.kind in ("int", "float"):
        return constant(-operand.value)
    if operand.kind == "int":
        return arithmetic(ast.Sub(), constant(0), operand)
    return operand.with_("float", lambda column: -column) if operand.kind == "float" else None


def conditional(test: Expression, yes: Expression, no: Expression) -> Expression | None:
    if test.kind != "bool" or yes.kind != no.kind or yes.kind not in PLAIN.values():
        return None
    from pyspark.sql import functions as F

    bounds = min(yes.bounds[0], no.bounds[0]), max(yes.bounds[1], no.bounds[1])
    return test.with_(yes.kind, lambda c, a, b: F.when(c, a).otherwise(b), yes, no, bounds=bounds)


def together(texts: Sequence[Expression]) -> Expression:
    from pyspark.sql import functions as F

    return texts[0].with_("str", lambda *columns: F.concat(*columns), *texts[1:])


def as_text(given: Expression) -> Expression | None:
    if given.kind == "str":
        return given
    return given.with_("str", lambda column: column.cast("string")) if given.kind == "int" else None


def function_call(called: object, given: Sequence[Expression]) -> Expression | None:
    """`len`, `str` and `abs`."""
    from pyspark.sql import functions as F

    if len(given) != 1:
        return None
    one = given[0]
    if called is len and one.kind == "str":
        return one.with_("int", lambda column: F.length(column).cast("bigint"),
                         bounds=(0, 2**31 - 1))
    if called is abs and one.kind == "float":
        return one.with_("float", F.abs)
    if called is abs and one.kind == "int":
        return conditional(comparison(ast.Lt(), one, constant(0)), negated(one), one)
    return as_text(one) if called is str else None


def method_call(name: str, owner: Expression, given: Sequence[Expression]) -> Expression | None:
    """Methods of a text whose arguments are texts."""
    from pyspark.sql import functions as F

    if owner.kind != "str" or any(g.kind != "str" for g in given):
        return None
    tests = {"startswith": F.startswith, "endswith": F.endswith, "__contains__": F.contains}
    if name in tests and len(given) == 1:
        return owner.with_("bool", tests[name], given[0])
    if name == "replace" and len(given) == 2 and given[0].is_known and given[0].value:
        return owner.with_("str", F.replace, *given)
    return None


KINDS = {BOOL: "bool", INT: "int", FLOAT: "float", STR: "str"}


@dataclass(frozen=True)
class CatalystItem:
    """What an item is made of; `cls` is None for a single value, which is called `value`."""

    cls: type | None
    fields: dict[str, Expression]


@dataclass(frozen=True)
class CatalystStep:
    """One operator: the columns of its output, or the condition of a filter."""

    columns: dict[str, Expression] | None = None
    condition: Expression | None = None

    def applied(self, frame: DataFrame) -> DataFrame:
        if self.condition is not None:
            return frame.filter(self.condition.make(frame))
        return frame.select(*self.selected(frame))

    def selected(self, columns: ColumnsByName, prefix: str = "") -> list[Column]:
        """The columns of the output, whose names begin with the prefix."""
        return [e.make(columns).alias(prefix + name) for name, e in self.columns.items()]

    @property
    def is_exact(self) -> bool:
        """Whether it gives what Python does also where a number before has left 64 bits."""
        if self.condition is not None:
            return self.condition.exact
        return all(e.exact for e in self.columns.values())

    @property
    def outgrows(self) -> bool:
        """Whether a value that it gives may leave 64 bits."""
        return self.condition is None and any(e.outgrows for e in self.columns.values())


def translated(operators: tuple[Operator, ...], given: Type, made: Type) -> list[CatalystStep]:
    """The steps of a line of operators, from columns of one type to columns of the other;
    `Unsupported` when some part of it has no translation."""
    item, steps = _stored(given), []
    for op in operators:
        if not isinstance(op.kind, (Map, Filter)):
            raise Unsupported(f"{op.name} is a {op.kind.label}", op.span)
        syntax, result = _result(op)
        scope = _Scope(syntax, {syntax.parameters[0]: item})
        if isinstance(op.kind, Filter):
            steps.append(CatalystStep(condition=_condition(scope, result)))
        else:
            item = _item(scope, result)
            steps.append(CatalystStep(columns=item.fields))
            item = CatalystItem(item.cls, {
                name: Expression.column(name, e.kind, e.type, e.bounds, e.exact)
                for name, e in item.fields.items()})
    return [*steps, CatalystStep(columns=_checked(item, made, operators[-1]))]


def _stored(item: Type) -> CatalystItem:
    fields = {name: Expression.column(name, KINDS.get(kind, "other"), kind)
              for name, kind in columns_of(item).items()}
    return CatalystItem(item.cls if isinstance(item, RecordOf) else None, fields)


def _result(op: Operator) -> tuple[FunctionSyntax, ast.expr]:
    """The one expression that a function returns."""
    syntax = syntax_of(op.kind.function.call)
    if isinstance(syntax, FunctionSyntax) and len(syntax.parameters) == 1:
        match syntax.body:
            case [ast.Return(ast.expr() as value)]:
                return syntax, value
    raise Unsupported(f"{op.name} is more than one expression", op.span)


def _checked(item: CatalystItem, declared: Type, last: Operator) -> dict[str, Expression]:
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
    items: dict[str, CatalystItem]

    def refuse(self, node: ast.AST) -> Unsupported:
        return unsupported(self.syntax, node, f"Spark has no equal of {ast.unparse(node)}")

    def outgrown(self, node: ast.AST) -> str:
        """What Spark says where the number leaves 64 bits."""
        return str(DataError("a number outgrows the 64 bits of a column", self.syntax.at(node),
                             help="make it a float, or a str"))


def _condition(scope: _Scope, node: ast.expr) -> Expression:
    condition = _expression(scope, node)
    if condition.kind != "bool":
        raise scope.refuse(node)
    return condition


def _item(scope: _Scope, node: ast.expr) -> CatalystItem:
    return CatalystItem(*constructed(scope.syntax, node, scope.items, partial(_expression, scope),
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
    ast.BinOp: lambda scope, node: arithmetic(
        node.op, *_several(scope, [node.left, node.right]), scope.outgrown(node)),
    ast.IfExp: lambda scope, node: conditional(
        *_several(scope, [node.test, node.body, node.orelse])),
}
