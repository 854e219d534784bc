"""The functions that every program has: of `math`, and those that choose.

Those of `math` compute in double precision. The result of all of them is a float; where an integer
is wanted, that of `abs`, `min` and `max` of integers is one.
"""

from __future__ import annotations

from anabranch.errors import ProgramError
from anabranch.lang.streamit.coding.operations import Value, converted
from anabranch.lang.streamit.types import BIT, CHAR, COMPLEX, FLOAT, INT, LARGE, widest
from anabranch.source import Span

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
