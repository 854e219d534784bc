"""The text of operations on typed values, with the widths that the language has.

>>> binary("+", Value("a", INT), Value("b", INT), None).text
'_i(a + b)'
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.errors import ProgramError
from anabranch.lang.streamit.types import (
    BIT,
    BOOLEAN,
    CHAR,
    COMPLEX,
    FLOAT,
    INT,
    LARGE,
    STRING,
    ArrayOf,
    StructOf,
    Type,
    promotes,
    widest,
)
from anabranch.source import Span


@dataclass(frozen=True)
class Value:
    """The text that computes a value; a stable one is the same whenever it is computed.

    `whole` is the same as an integer, where a float may stand for one: `abs` of an integer.
    `real` is the same as a float, where an integer has other bits: 0xFFFFFFFF is -1 or 4294967295.
    """

    text: str
    type: Type
    stable: bool = False
    whole: Value | None = None
    real: Value | None = None


ARITHMETIC = {
    INT: {"+": "_i({} + {})", "-": "_i({} - {})", "*": "_i({} * {})", "/": "_idiv({}, {})",
          "%": "_imod({}, {})"},
    FLOAT: {"+": "_f({} + {})", "-": "_f({} - {})", "*": "_f({} * {})", "/": "_fdiv({}, {})",
            "%": "_fmod({}, {})"},
    COMPLEX: {"+": "_cadd({}, {})", "-": "_csub({}, {})", "*": "_cmul({}, {})",
              "/": "_cdiv({}, {})"},
}
BITWISE = {"&": "({} & {})", "|": "({} | {})", "^": "({} ^ {})", "<<": "_shl({}, {})",
           ">>": "_shr({}, {})"}
COMPARISONS = ("<", ">", "<=", ">=", "==", "!=")
FORMATS = {INT: "%d", BIT: "%d", FLOAT: "%f", CHAR: "%c"}


def binary(operator: str, left: Value, right: Value, span: Span | None) -> Value:
    """The value of an infix operation; a `ProgramError` when the types have none."""
    if STRING in (left.type, right.type) and operator == "+":
        return Value(f"({shown(left, span)} + {shown(right, span)})", STRING)
    if operator in ("and", "or"):
        return Value(f"({truth(left, span)} {operator} {truth(right, span)})", BOOLEAN)
    common = widest(left.type, right.type)
    if common == LARGE:
        raise too_large(span)
    if common is None or isinstance(common, (ArrayOf, StructOf)):
        raise _mismatch(operator, (left, right), span)
    if operator in COMPARISONS:
        return _compared(operator, left, right, common, span)
    if operator in BITWISE:
        return _bitwise(operator, left, right, common, span)
    return _arithmetic(operator, left, right, common, span)


def _compared(operator: str, left: Value, right: Value, common: Type, span: Span) -> Value:
    if common == COMPLEX and operator not in ("==", "!="):
        raise _mismatch(operator, (left, right), span)
    a, b = converted(left, common, span), converted(right, common, span)
    return Value(f"({a.text} {operator} {b.text})", BOOLEAN)


def _bitwise(operator: str, left: Value, right: Value, common: Type, span: Span) -> Value:
    if common not in (BOOLEAN, BIT, CHAR, INT):
        raise _mismatch(operator, (left, right), span)
    if operator in ("<<", ">>"):
        common = INT
    a, b = converted(left, common, span), converted(right, common, span)
    return Value(BITWISE[operator].format(a.text, b.text), common)


def _arithmetic(operator: str, left: Value, right: Value, common: Type, span: Span) -> Value:
    common = INT if common in (BOOLEAN, BIT, CHAR) else common
    if operator not in ARITHMETIC.get(common, ()):
        raise _mismatch(operator, (left, right), span)
    a, b = converted(left, common, span), converted(right, common, span)
    return Value(ARITHMETIC[common][operator].format(a.text, b.text), common)


def unary(operator: str, value: Value, span: Span | None) -> Value:
    """The value of a prefix operation."""
    if operator == "!":
        return Value(f"(not {truth(value, span)})", BOOLEAN)
    if value.type == CHAR:
        value = cast(value, INT, span)
    if operator == "~" and value.type in (BIT, INT):
        return Value(f"({value.text} ^ 1)" if value.type == BIT else f"(~{value.text})", value.type)
    if operator == "~" and value.type == BOOLEAN:
        return Value(f"(not {value.text})", BOOLEAN)
    if operator == "+" and value.type in (BIT, INT, FLOAT, COMPLEX):
        return value
    if operator in ("+", "-") and value.type == LARGE:
        return replace(value, text=f"({operator}{value.text})")
    if operator == "-" and value.type in (FLOAT, COMPLEX):
        return Value(f"(-{value.text})", value.type, value.stable)
    if operator == "-" and value.type in (BIT, INT):
        return Value(f"_i(-{value.text})", INT, value.stable)
    raise _mismatch(operator, (value,), span)


def truth(value: Value, span: Span | None) -> str:
    """The text of a condition; a number counts as true unless it is zero."""
    if value.type == BOOLEAN:
        return value.text
    if value.type == LARGE:
        raise too_large(span)
    if value.type in (BIT, CHAR, INT, FLOAT):
        return f"({value.text} != 0)"
    raise ProgramError("this is not a condition", span, expected="boolean", got=str(value.type))


def converted(value: Value, wanted: Type, span: Span | None) -> Value:
    """The value as another type, where that needs no cast."""
    if value.whole is not None and wanted == INT:
        return value.whole
    if value.type == LARGE and wanted in (BOOLEAN, BIT, CHAR, INT):
        raise too_large(span)
    if not promotes(value.type, wanted):
        raise ProgramError("a value of another type is needed here", span, expected=str(wanted),
                           got=str(value.type), help=_advice(value.type, wanted))
    return cast(value, wanted, span)


def _advice(given: Type, wanted: Type) -> str | None:
    known = (BOOLEAN, BIT, INT, FLOAT)
    return f"write ({wanted}) in front of it" if given in known and wanted in known else None


CASTS = {
    (BOOLEAN, BIT): "int({})", (BOOLEAN, INT): "int({})", (BOOLEAN, FLOAT): "_f({})",
    (BIT, BOOLEAN): "({} != 0)", (INT, BOOLEAN): "({} != 0)", (FLOAT, BOOLEAN): "({} != 0)",
    (BIT, INT): "{}", (INT, BIT): "({} & 1)", (FLOAT, BIT): "(_int({}) & 1)",
    (BIT, FLOAT): "_f({})", (INT, FLOAT): "_f({})", (FLOAT, INT): "_int({})",
    (BIT, COMPLEX): "_c(_f({}), 0.0)", (INT, COMPLEX): "_c(_f({}), 0.0)",
    (FLOAT, COMPLEX): "_c({}, 0.0)",
}
CASTS |= {(CHAR, wanted): text for (given, wanted), text in CASTS.items() if given == INT}
CASTS |= {(INT, LARGE): "_f({})", (LARGE, FLOAT): "{}", (LARGE, COMPLEX): "_c({}, 0.0)"}
CASTS |= {(BIT, CHAR): "{}", (BOOLEAN, CHAR): "int({})", (CHAR, INT): "{}"}


def cast(value: Value, wanted: Type, span: Span | None) -> Value:
    """The value as another type, as the user asked for it."""
    if value.type == wanted:
        return value
    if value.whole is not None and wanted == INT:
        return value.whole
    if value.real is not None and wanted in (LARGE, FLOAT, COMPLEX):
        value = value.real
    if value.type == LARGE and wanted in (BOOLEAN, BIT, CHAR, INT):
        raise too_large(span)
    if value.type == wanted:
        return value
    if (value.type, wanted) not in CASTS:
        raise ProgramError(f"a {value.type} cannot become a {wanted}", span)
    return Value(CASTS[value.type, wanted].format(value.text), wanted, value.stable)


def shown(value: Value, span: Span | None) -> str:
    """The text of the text that prints a value."""
    if value.type == LARGE:
        raise too_large(span)
    if value.type == STRING:
        return value.text
    if value.type in FORMATS:
        return f"({FORMATS[value.type]!r} % {value.text})"
    return f"_shown({value.text})"


def too_large(span: Span | None) -> ProgramError:
    return ProgramError("an integer of more than 32 bits can only stand for a float", span,
                        expected="-2147483648 to 2147483647",
                        help="write a float, such as 3000000000.0, or a smaller number")


def _mismatch(operator: str, values: tuple[Value, ...], span: Span | None) -> ProgramError:
    given = " and ".join(str(v.type) for v in values)
    return ProgramError(f"'{operator}' is not defined for {given}", span)
