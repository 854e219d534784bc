"""The text of operations on typed values: widths, parts, built-in functions.

Parts are elements of arrays and fields of structures; there are copies of both.

The text of operations on typed values, with the widths that the language has.

>>> binary("+", Value("a", INT), Value("b", INT), None).text
'_i(a + b)'

The functions that every program has: of `math`, and those that choose.

Those of `math` compute in double precision. The result of all of them is a float; where an integer
is wanted, that of `abs`, `min` and `max` of integers is one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from anabranch.core.errors import ProgramError, did_you_mean
from anabranch.core.source import Span
from anabranch.lang.streamit import syntax
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
    base_of,
    promotes,
    widest,
)


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


def read(place: Value) -> Value:
    """The value at a place; that of an array's element becomes a number of its own."""
    if isinstance(place.type, (ArrayOf, StructOf)) or not place.text.endswith("]"):
        return place
    return Value(f"_e({place.text})", place.type, place.stable)


def part(base: Value, node: syntax.Member) -> Value:
    """The field of a structure, or the part of a complex number."""
    if base.type == COMPLEX and node.name in ("real", "imag"):
        return Value(f"{base.text}.{node.name}", FLOAT)
    if not isinstance(base.type, StructOf):
        raise ProgramError("this has no fields", node.span, got=str(base.type))
    if node.name not in base.type.fields:
        raise ProgramError(f"{base.type} has no field '{node.name}'", node.span,
                           help=did_you_mean(node.name, base.type.fields))
    return Value(f"{base.text}.{field_name(node.name)}", base.type.fields[node.name])


def last_indices(text: str) -> tuple[str, str]:
    """An element's text, and what stands in its last brackets.

    >>> last_indices("s[0].f_a[b[i], 1]")
    ('s[0].f_a', 'b[i], 1')
    """
    depth, place = 0, len(text)
    while depth or place == len(text):
        place -= 1
        depth += {"]": 1, "[": -1}.get(text[place], 0)
    return text[:place], text[place + 1:-1]


def field_name(name: str) -> str:
    """The name of a structure's field in Python text, where no keyword is in the way."""
    return f"f_{name}"


def copied(value: Value) -> str:
    """The text of a value of its own: arrays and structures are copied."""
    if isinstance(value.type, ArrayOf) and isinstance(base_of(value.type), StructOf):
        return f"_copied({value.text})"
    if isinstance(value.type, StructOf):
        return f"_same({value.text})"
    return f"{value.text}.copy()" if isinstance(value.type, ArrayOf) else value.text


OF_ONE = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
          "atanh", "exp", "log", "log10", "log2", "sqrt", "cbrt", "floor", "ceil", "ceiling",
          "round", "rint", "fabs", "toRadians", "toDegrees", "signum", "expm1", "log1p")
OF_TWO = ("atan2", "pow", "fmod", "hypot", "IEEEremainder")
OF_COMPLEX = {"exp": "_cexp", "sqrt": "_csqrt", "csqrt": "_csqrt", "log": "_clog", "sin": "_csin",
              "cos": "_ccos"}
SPELLED = {"ceiling": "ceil", "fabs": "abs", "toRadians": "radians", "toDegrees": "degrees",
           "IEEEremainder": "remainder"}
WHOLE = (BIT, CHAR, INT)
PRINTING = ("print", "println")
NAMES = frozenset((*OF_ONE, *OF_TWO, "abs", "arg", "min", "max", "csqrt", *PRINTING))


def builtin(name: str, values: list[Value], span: Span) -> Value:
    """The value of a call of a function that every program has."""
    if name in ("min", "max"):
        return _chosen(name, _exactly(2, name, values, span), span)
    if name in OF_TWO:
        a, b = (converted(v, FLOAT, span).text for v in _exactly(2, name, values, span))
        return Value(f"_f(_{SPELLED.get(name, name)}({a}, {b}))", FLOAT)
    value, = _exactly(1, name, values, span)
    if value.type == COMPLEX:
        return _of_complex(name, value, span)
    if name == "abs" and value.type in WHOLE:
        return _as_float(Value(f"_i(abs({value.text}))", INT))
    if name == "abs":
        return Value(f"abs({converted(value, FLOAT, span).text})", FLOAT)
    if name not in OF_ONE:
        raise ProgramError(f"'{name}' is for a complex number", span, got=str(value.type))
    return Value(f"_f(_{SPELLED.get(name, name)}({converted(value, FLOAT, span).text}))", FLOAT)


def _exactly(count: int, name: str, values: list[Value], span: Span) -> list[Value]:
    if len(values) != count:
        raise ProgramError(f"'{name}' takes another number of values", span, expected=str(count),
                           got=str(len(values)))
    return values


def _of_complex(name: str, value: Value, span: Span) -> Value:
    if name in ("abs", "arg"):
        return Value(f"_f(_c{name}({value.text}))", FLOAT)
    if name not in OF_COMPLEX:
        raise ProgramError(f"'{name}' is not defined for complex", span)
    return Value(f"{OF_COMPLEX[name]}({value.text})", COMPLEX)


def _chosen(name: str, values: list[Value], span: Span) -> Value:
    common = widest(values[0].type, values[1].type)
    if common not in (*WHOLE, LARGE, FLOAT):
        raise ProgramError(f"'{name}' is for numbers", span, got=str(values[0].type))
    if all(v.type in WHOLE or v.whole for v in values):
        a, b = (converted(v, INT, span).text for v in values)
        return _as_float(Value(f"_{name}({a}, {b})", INT))
    a, b = (converted(v, FLOAT, span).text for v in values)
    return Value(f"_{name}({a}, {b})", FLOAT)


def _as_float(whole: Value) -> Value:
    return Value(f"_f({whole.text})", FLOAT, whole=whole)
