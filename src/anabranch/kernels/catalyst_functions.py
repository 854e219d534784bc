"""Python's operations on columns of Spark: each gives None where the two do not agree exactly."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anabranch.ir.types import Type

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

EXACT = 2**53
"""Integers up to this size are the same as floats."""

PLAIN = {bool: "bool", int: "int", float: "float", str: "str"}
NONE = object()


@dataclass(frozen=True)
class Expression:
    """A column to be: its kind, how it is made from a frame, and its value if that is known."""

    kind: str
    make: Callable[[DataFrame], Column]
    type: Type | None = None
    value: object = NONE

    @staticmethod
    def column(name: str, kind: str, declared: Type | None = None) -> Expression:
        return Expression(kind, lambda frame: frame[f"`{name}`"], declared)

    def with_(self, kind: str, function: Callable, *others: Expression) -> Expression:
        """What a function of columns makes of this one and others."""
        parts = (self, *others)
        return Expression(kind, lambda frame: function(*(p.make(frame) for p in parts)))

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
    return Expression(kind, make, None, value)


def _fits(value: object) -> bool:
    """Whether Spark can hold it: 64 bits, and no half of a character."""
    if type(value) is int:
        return -2**63 <= value < 2**63
    return type(value) is not str or not any("\ud800" <= c <= "\udfff" for c in value)


_OPERATIONS: dict[type[ast.operator], Callable] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b}


def arithmetic(operation: ast.operator, left: Expression, right: Expression) -> Expression | None:
    """Sums, differences, products; quotients by a known number that is not zero."""
    kinds = {left.kind, right.kind}
    if kinds == {"str"} and isinstance(operation, ast.Add):
        return together([left, right])
    if kinds <= {"int", "float"} and type(operation) in _OPERATIONS:
        kind = "int" if kinds == {"int"} else "float"
        parts = (left, right) if kind == "int" else (left.widened(), right.widened())
        return parts[0].with_(kind, _OPERATIONS[type(operation)], parts[1])
    if not (right.is_known and kinds <= {"int", "float"} and right.value):
        return None
    if isinstance(operation, ast.Div) and left.kind == "float":
        return left.with_("float", lambda a, b: a / b, right.widened())
    return _floored(operation, left, right) if kinds == {"int"} and right.value > 0 else None


def _floored(operation: ast.operator, left: Expression, right: Expression) -> Expression | None:
    """Python rounds quotients down, Spark towards zero."""
    from pyspark.sql import functions as F

    if isinstance(operation, ast.Mod):
        return left.with_("int", F.pmod, right)
    if isinstance(operation, ast.FloorDiv):
        return left.with_("int", lambda a, b: F.call_function("div", a - F.pmod(a, b), b), right)
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
    known = operand.kind in ("int", "float")
    return operand.with_(operand.kind, lambda column: -column) if known else None


def conditional(test: Expression, yes: Expression, no: Expression) -> Expression | None:
    if test.kind != "bool" or yes.kind != no.kind or yes.kind not in PLAIN.values():
        return None
    from pyspark.sql import functions as F

    return test.with_(yes.kind, lambda c, a, b: F.when(c, a).otherwise(b), yes, no)


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
        return one.with_("int", lambda column: F.length(column).cast("bigint"))
    if called is abs and one.kind in ("int", "float"):
        return one.with_(one.kind, F.abs)
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
