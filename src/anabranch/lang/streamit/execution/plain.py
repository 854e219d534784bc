"""What generated text calls in plain Python: this is what StreamIt means.

Also its values: portals, structures, which are compared and copied by what they hold, and arrays in
files of text, one number in each line.

Integers have 32 bits and wrap around. Floats have single precision: an operation on two of them in
double precision, rounded once, is the exact result rounded to single precision.

>>> wrap(2**31), single(0.1), quotient(-7, 2), remainder(-7, 2)
(-2147483648, 0.10000000149011612, -3, -1)
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable
from ctypes import c_float
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from anabranch.core.errors import RunError
from anabranch.lang.streamit.execution.arithmetic import functions, length, random_number, seed


@dataclass(eq=False)
class Portal:
    """The filters that were added to a portal, in this order."""

    receivers: list = field(default_factory=list)

    def send(self, handler: str, arguments: tuple, low: int | None, high: int | None) -> None:
        """Messages are sent by work functions, which have a portal that knows the sender."""
        raise RunError("a message is sent before the program runs")


LARGEST, SMALLEST = 2**31 - 1, -2**31
TOO_LONG = 1 << 28


def wrap(value: int) -> int:
    """An integer as 32 bits hold it."""
    value = int(value)
    return value if SMALLEST <= value <= LARGEST else (value - SMALLEST) % 2**32 + SMALLEST


def single(value: float) -> float:
    """A number rounded to single precision."""
    return c_float(value).value


def truncated(value: float) -> int:
    """A float as an integer, towards zero; what is too large is the largest there is."""
    if value != value:
        return 0
    return int(max(SMALLEST, min(LARGEST, value)))


def quotient(a: int, b: int) -> int:
    """Division towards zero, as C divides."""
    if b == 0:
        raise RunError("an integer is divided by zero")
    return wrap(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def remainder(a: int, b: int) -> int:
    """The remainder with the sign of the dividend."""
    if b == 0:
        raise RunError("an integer is divided by zero")
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def float_quotient(a: float, b: float) -> float:
    if b != 0:
        return single(a / b)
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def float_remainder(a: float, b: float) -> float:
    return math.nan if b == 0 or math.isinf(a) else single(math.fmod(a, b))


def shifted_left(a: int, by: int) -> int:
    return wrap(a << (by & 31))


def shifted_right(a: int, by: int) -> int:
    return a >> (by & 31)


def within(index: int, length: int) -> int:
    """The index itself, when it is one of so many places."""
    if not 0 <= index < length:
        raise RunError("an index is out of its range", expected=f"0 to {length - 1}",
                       got=str(index))
    return index


def element(value: object) -> object:
    """What an array holds at a place, as Python's own number: it never warns."""
    return value.item() if isinstance(value, np.generic) else value


def count(length: int) -> int:
    """The length of an array, when there can be one so long."""
    if not 0 <= length <= TOO_LONG:
        raise RunError("an array cannot have this length", got=str(length))
    return length


def wrong_rates(popped: int, pushed: int) -> None:
    raise RunError("a firing did not keep to its rates",
                   got=f"it popped {popped} and pushed {pushed} items")


def too_far() -> None:
    raise RunError("a firing reads or writes more items than its rates say")


def never_returned() -> None:
    raise RunError("a function ended without giving a value")


def complex_of(real: float, imaginary: float) -> complex:
    return complex(single(real), single(imaginary))


def complex_product(a: complex, b: complex) -> complex:
    return complex_of(single(a.real * b.real) - single(a.imag * b.imag),
                      single(a.real * b.imag) + single(a.imag * b.real))


def complex_quotient(a: complex, b: complex) -> complex:
    scale = single(single(b.real * b.real) + single(b.imag * b.imag))
    top = complex_product(a, complex(b.real, -b.imag))
    return complex(float_quotient(top.real, scale), float_quotient(top.imag, scale))


def shown(value: object) -> str:
    """A value as `println` shows it where it is no plain number.

    >>> shown(True), shown(1 + 2j)
    ('true', '1.000000+2.000000i')
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, complex):
        return f"{value.real:f}{value.imag:+f}i"
    return str(value)


def filled(array: np.ndarray, items: np.ndarray) -> np.ndarray:
    """The array with the items of an initialiser, which must be as many as it has."""
    if items.shape != array.shape:
        raise RunError("the initialiser has another number of items than the array",
                       expected=" by ".join(map(str, array.shape)),
                       got=" by ".join(map(str, items.shape)))
    array[...] = items
    return array


def same_size(given: int, length: int) -> None:
    if given != length:
        raise RunError("the initialiser has another number of items than the array",
                       expected=str(length), got=str(given))


def copied(value: object) -> object:
    """A copy of an array or a structure, with copies of the structures inside."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        copy = np.empty(value.shape, object)
        copy.flat = [each.copy() for each in value.flat]
        return copy
    return value.copy()


def structures(shape: tuple[int, ...], new: Callable) -> np.ndarray:
    array = np.empty(shape, object)
    array.flat = [new() for _ in range(array.size)]
    return array


def _or(function: Callable, bad: Callable) -> Callable:
    """The function, giving what C gives where Python raises."""
    def safe(*arguments: float) -> float:
        try:
            return function(*arguments)
        except (ValueError, OverflowError):
            return bad(*arguments)
    return safe


def _nan(*_: float) -> float:
    return math.nan


def _log_of_zero(x: float) -> float:
    return -math.inf if x == 0 else math.nan


def _log_of_minus_one(x: float) -> float:
    return -math.inf if x == -1 else math.nan


def _atanh_of_one(x: float) -> float:
    return math.copysign(math.inf, x) if abs(x) == 1 else math.nan


def _power(x: float, y: float) -> float:
    if y != math.floor(y):
        return math.nan if x < 0 else math.inf
    return math.copysign(math.inf, x) if y % 2 else math.inf


def _huge(x: float) -> float:
    return math.inf if x > 0 else -math.inf


def _whole(rounding: Callable[[float], int]) -> Callable[[float], float]:
    """A rounding that keeps the sign of what it makes zero, and infinities, as C's do."""
    def rounded(x: float) -> float:
        return math.copysign(rounding(x), x) if math.isfinite(x) else x
    return rounded


def half_away(x: float) -> float:
    """The nearest whole number, halves away from zero, as C rounds."""
    return math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x


def sign(x: float) -> float:
    return x if x == 0 or x != x else math.copysign(1, x)


MATH = {
    **{name: _or(getattr(math, name), _nan) for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "tanh", "asinh", "acosh", "sqrt", "cbrt",
        "atan2", "fmod")},
    **{name: _or(getattr(math, name), _log_of_zero) for name in ("log", "log10", "log2")},
    "atanh": _or(math.atanh, _atanh_of_one), "hypot": length,
    "exp": _or(math.exp, lambda x: math.inf), "sinh": _or(math.sinh, _huge),
    "cosh": _or(math.cosh, lambda x: math.inf), "pow": _or(math.pow, _power),
    "floor": _whole(math.floor), "ceil": _whole(math.ceil), "rint": _whole(round),
    "round": half_away, "abs": abs,
    "radians": math.radians, "degrees": math.degrees, "signum": sign,
    "expm1": _or(math.expm1, lambda x: math.inf), "log1p": _or(math.log1p, _log_of_minus_one),
    "remainder": _or(math.remainder, _nan),
}


def _in_single(function: Callable) -> Callable:
    return lambda z: complex_of(*function(z))


def _root(z: complex) -> tuple[float, float]:
    result = cmath.sqrt(z)
    return result.real, result.imag


COMPLEX = {name: _in_single(function) for name, function in
           {**functions(MATH, lambda function: function), "sqrt": _root}.items()}


def zeros(dtype: type) -> Callable:
    return lambda shape: np.zeros(shape, dtype)


SCOPE = {
    "_i": wrap, "_f": single, "_int": truncated, "_idiv": quotient, "_imod": remainder,
    "_fdiv": float_quotient, "_fmod": float_remainder, "_shl": shifted_left,
    "_shr": shifted_right, "_at": within, "_count": count, "_rates": wrong_rates,
    "_far": too_far, "_no_value": never_returned, "_shown": shown, "_filled": filled,
    "_size": same_size, "_e": element, "_copied": copied, "_structures": structures,
    "_c": complex_of, "_seed": seed, "_random": random_number,
    "_portal": Portal, "_same": copied,
    "_cadd": lambda a, b: complex_of(a.real + b.real, a.imag + b.imag),
    "_csub": lambda a, b: complex_of(a.real - b.real, a.imag - b.imag),
    "_cmul": complex_product, "_cdiv": complex_quotient, "_carg": cmath.phase,
    "_cabs": lambda z: length(z.real, z.imag),
    "_min": lambda a, b: a if a < b else b, "_max": lambda a, b: a if a > b else b,
    "_zeros_int": zeros(np.int64), "_zeros_bit": zeros(np.int64), "_zeros_float": zeros(np.float64),
    "_zeros_boolean": zeros(np.bool_), "_zeros_complex": zeros(np.complex128), "np": np,
    **{f"_{name}": function for name, function in MATH.items() if name != "fmod"},
    **{f"_c{name}": function for name, function in COMPLEX.items()},
}


def struct_class(name: str, fields: tuple[str, ...]) -> type:
    """A class of structures with these fields.

    >>> point = struct_class("point", ("x", "y"))
    >>> a = point(1, 2); b = a.copy(); b.x = 5
    >>> a
    point(1, 2)
    """
    return type(name, (Structure,), {"__slots__": fields})


class Structure:
    """A value with fields."""

    __slots__ = ()

    def __init__(self, *values: object):
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)

    def values(self) -> list:
        return [getattr(self, name) for name in self.__slots__]

    def copy(self) -> Structure:
        held = (np.ndarray, Structure)
        return type(self)(*(copied(v) if isinstance(v, held) else v for v in self.values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.values()))})"


HOW = {"int": (int, wrap, np.int64), "float": (float, single, np.float64)}


def tables(folder: Path) -> dict[str, Callable]:
    """The functions that generated text calls, for files beside the program."""
    return {f"_table_{kind}": partial(table, folder, kind) for kind in HOW}


def table(folder: Path, kind: str, path: str, length: int) -> np.ndarray:
    """The first numbers of a file."""
    lines = _lines(folder / path)[:count(length)]
    if len(lines) < length:
        raise RunError(f"{path} has too few numbers", expected=str(length), got=str(len(lines)))
    read, rounded, dtype = HOW[kind]
    return np.array([rounded(_number(path, line, read)) for line in lines], dtype)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise RunError(f"{path} is not UTF-8 text: {error.reason}") from None
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from None


def _number(path: str, line: str, read: Callable) -> object:
    try:
        return read(line)
    except ValueError:
        raise RunError(f"{path} has a line that is no number", got=repr(line)) from None
