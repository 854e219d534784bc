"""The types of arithmetic and comparison; None where Python refuses the operands.

>>> str(arithmetic(ast.Div(), INT, INT)), arithmetic(ast.Add(), INT, STR)
('float', None)
>>> str(comparison(ast.Lt(), STR, STR)), comparison(ast.Lt(), STR, INT)
('bool', None)
"""

from __future__ import annotations

import ast

from anabranch.analysis.typing.types import NUMBERS, SPAN, joined
from anabranch.ir.types import ANY, BOOL, BYTES, FLOAT, INT, STR, TIMESTAMP, ListOf, Type

SYMBOLS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
           ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
           ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@", ast.Lt: "<", ast.LtE: "<=",
           ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in", ast.Eq: "==",
           ast.NotEq: "!=", ast.Is: "is", ast.IsNot: "is not", ast.USub: "-", ast.UAdd: "+",
           ast.Invert: "~"}


def is_known(found: Type) -> bool:
    """A value whose operations are those of a built-in type."""
    return found in (*NUMBERS, STR, BYTES, TIMESTAMP) or isinstance(found, ListOf)


def arithmetic(op: ast.operator, left: Type, right: Type) -> Type | None:
    """The type of `left op right`."""
    if isinstance(op, ast.Mod) and left in (STR, BYTES):
        return left
    if SPAN in (left, right):
        return _of_spans(op, left, right)
    if not (is_known(left) and is_known(right)):
        return ANY
    if left in NUMBERS and right in NUMBERS:
        return _numeric(op, left, right)
    if TIMESTAMP in (left, right):
        return SPAN if left == right and isinstance(op, ast.Sub) else None
    return _sequence(op, left, right)


SPANS = {(ast.Add, TIMESTAMP, SPAN): TIMESTAMP, (ast.Add, SPAN, TIMESTAMP): TIMESTAMP,
         (ast.Sub, TIMESTAMP, SPAN): TIMESTAMP, (ast.Add, SPAN, SPAN): SPAN,
         (ast.Sub, SPAN, SPAN): SPAN, (ast.Mult, SPAN, INT): SPAN, (ast.Mult, INT, SPAN): SPAN,
         (ast.FloorDiv, SPAN, SPAN): INT, (ast.Div, SPAN, SPAN): FLOAT, (ast.Mod, SPAN, SPAN): SPAN}


def _of_spans(op: ast.operator, left: Type, right: Type) -> Type:
    return SPANS.get((type(op), left, right), ANY)


def _numeric(op: ast.operator, left: Type, right: Type) -> Type | None:
    real = FLOAT in (left, right)
    match op:
        case ast.Div():
            return FLOAT
        case ast.Pow():
            # A negative exponent makes a float of an int, a broken one a complex number.
            return FLOAT if left == FLOAT and right != FLOAT else ANY
        case ast.BitAnd() | ast.BitOr() | ast.BitXor() if not real:
            return left if left == right else INT
        case ast.LShift() | ast.RShift() if not real:
            return INT
        case ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod():
            return FLOAT if real else INT
    return None


def _sequence(op: ast.operator, left: Type, right: Type) -> Type | None:
    lists = isinstance(left, ListOf) and isinstance(right, ListOf)
    if isinstance(op, ast.Add) and (lists or left == right):
        return joined(left, right)
    if isinstance(op, ast.Mult) and (left in (INT, BOOL) or right in (INT, BOOL)):
        return right if left in (INT, BOOL) else left
    return None


def negated(op: ast.unaryop, operand: Type) -> Type | None:
    """The type of `-x`, `+x` and `~x`."""
    if not is_known(operand):
        return ANY
    if operand in (BOOL, INT):
        return INT
    return FLOAT if operand == FLOAT and not isinstance(op, ast.Invert) else None


def comparison(op: ast.cmpop, left: Type, right: Type) -> Type | None:
    """The type of `left op right`."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        return BOOL
    if isinstance(op, (ast.In, ast.NotIn)):
        return _membership(left, right)
    if left == right == SPAN:
        return BOOL
    if not (is_known(left) and is_known(right)):
        return ANY
    if isinstance(op, (ast.Eq, ast.NotEq)) or left == right:
        return BOOL
    comparable = (left in NUMBERS and right in NUMBERS) or (
        isinstance(left, ListOf) and isinstance(right, ListOf))
    return BOOL if comparable else None


def _membership(left: Type, right: Type) -> Type | None:
    if right in (*NUMBERS, TIMESTAMP) or (right == STR and is_known(left) and left != STR):
        return None
    return BOOL
