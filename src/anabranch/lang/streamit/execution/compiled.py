"""What generated text calls in compiled loops: operations on machine numbers.

`_f` is NumPy's own float32. A failure has a short word for its message, which `FAILURES` explains.
"""

from __future__ import annotations

import cmath
import math

import numpy as np
from numba import njit

from anabranch.lang.streamit.execution.arithmetic import functions, length, random_number
from anabranch.lang.streamit.execution.machine.firing import put

FAILURES = {
    "division": "an integer is divided by zero",
    "index": "an index is out of its range",
    "length": "an array cannot have this length",
    "rates": "a firing did not keep to its rates",
    "far": "a firing reads or writes more items than its rates say",
    "value": "a function ended without giving a value",
    "size": "the initialiser has another number of items than the array",
}
compiled = njit(cache=True, nogil=True, error_model="numpy")
uncached = njit(nogil=True, error_model="numpy")


@compiled
def wrap(value):
    return np.int32(value)


@compiled
def truncated(value):
    if value != value:
        return np.int32(0)
    return np.int32(max(-2147483648.0, min(2147483647.0, np.float64(value))))


@compiled
def quotient(a, b):
    if b == 0:
        raise ZeroDivisionError("division")
    whole = abs(np.int64(a)) // abs(np.int64(b))
    return np.int32(whole if (a < 0) == (b < 0) else -whole)


@compiled
def remainder(a, b):
    if b == 0:
        raise ZeroDivisionError("division")
    rest = abs(np.int64(a)) % abs(np.int64(b))
    return np.int32(-rest if a < 0 else rest)


@compiled
def float_quotient(a, b):
    return np.float32(a) / np.float32(b)


@compiled
def float_remainder(a, b):
    return np.float32(np.fmod(np.float64(a), np.float64(b)))


@compiled
def shifted_left(a, by):
    return np.int32(np.int64(a) << (by & 31))


@compiled
def shifted_right(a, by):
    return np.int32(np.int64(a) >> (by & 31))


@compiled
def within(index, length):
    if index < 0 or index >= length:
        raise IndexError("index")
    return index


@compiled
def count(length):
    if length < 0 or length > 268435456:
        raise ValueError("length")
    return length


@compiled
def wrong_rates(popped, pushed):
    raise ValueError("rates")


@compiled
def too_far():
    raise ValueError("far")


@compiled
def never_returned():
    raise ValueError("value")


@compiled
def same_size(given, length):
    if given != length:
        raise ValueError("size")


@compiled
def filled(array, items):
    if items.shape != array.shape:
        raise ValueError("size")
    array[...] = items
    return array


@compiled
def element(value):
    return value


@compiled
def same(record):
    # Who is given a record copies what is in it.
    return record


@compiled
def copied(records):
    return records.copy()


@compiled
def held(array):
    """An array that is named here has not been let go before."""


@compiled
def least(a, b):
    return a if a < b else b


@compiled
def most(a, b):
    return a if a > b else b


@compiled
def half_away(x):
    return math.copysign(np.floor(abs(np.float64(x)) + 0.5), np.float64(x))


@compiled
def down(x):
    # The function of `math` gives an integer, which cannot be infinite.
    return np.floor(np.float64(x))


@compiled
def up(x):
    return np.ceil(np.float64(x))


@compiled
def half_to_even(x):
    return np.rint(np.float64(x))


@compiled
def cube_root(x):
    return np.cbrt(np.float64(x))


@compiled
def sign(x):
    return x if x == 0 or x != x else math.copysign(1, x)


@compiled
def zeros_int(shape):
    return np.zeros(shape, np.int32)


@compiled
def zeros_float(shape):
    return np.zeros(shape, np.float32)


@compiled
def zeros_boolean(shape):
    return np.zeros(shape, np.bool_)


@compiled
def zeros_complex(shape):
    return np.zeros(shape, np.complex64)


@compiled
def complex_of(real, imaginary):
    return np.complex64(complex(np.float32(real), np.float32(imaginary)))


@compiled
def complex_sum(a, b):
    return complex_of(a.real + b.real, a.imag + b.imag)


@compiled
def complex_difference(a, b):
    return complex_of(a.real - b.real, a.imag - b.imag)


@compiled
def complex_product(a, b):
    return complex_of(np.float32(a.real * b.real) - np.float32(a.imag * b.imag),
                      np.float32(a.real * b.imag) + np.float32(a.imag * b.real))


@compiled
def complex_quotient(a, b):
    scale = np.float32(b.real * b.real) + np.float32(b.imag * b.imag)
    top = complex_product(a, complex_of(b.real, -b.imag))
    return complex_of(top.real / scale, top.imag / scale)


compiled_length = compiled(length)


@compiled
def hypotenuse(x, y):
    return compiled_length(np.float64(x), np.float64(y))


@compiled
def absolute(z):
    return compiled_length(np.float64(z.real), np.float64(z.imag))


@compiled
def power(x, y):
    return math.pow(np.float64(x), np.float64(y))


def _in_double(name: str):
    """A function of `math` in double precision, whatever the width of its argument."""
    scope = {"math": math, "np": np}
    two = name == "atan2"
    exec(f"def of_one(x): return math.{name}(np.float64(x))\n"
         f"def of_two(x, y): return math.{name}(np.float64(x), np.float64(y))", scope)
    return uncached(scope["of_two" if two else "of_one"])


@compiled
def phase(z):
    return cmath.phase(np.complex128(z))


@compiled
def complex_root(z):
    return np.complex64(cmath.sqrt(np.complex128(z)))


def _in_single(function):
    @uncached
    def single(z):
        real, imaginary = function(np.complex128(z))
        return complex_of(real, imaginary)
    return single


MATH = {name: _in_double(name) for name in (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "exp", "log", "log10", "log2", "sqrt", "atan2", "radians", "degrees", "expm1",
    "log1p")}
SCOPE = {
    "_i": wrap, "_f": np.float32, "_int": truncated, "_idiv": quotient, "_imod": remainder,
    "_fdiv": float_quotient, "_fmod": float_remainder, "_shl": shifted_left,
    "_shr": shifted_right, "_at": within, "_count": count, "_rates": wrong_rates,
    "_far": too_far, "_no_value": never_returned, "_size": same_size, "_filled": filled,
    "_min": least, "_max": most, "_round": half_away, "_rint": half_to_even, "_cbrt": cube_root,
    "_pow": power, "_floor": down, "_ceil": up, "_e": element, "_abs": abs, "_signum": sign,
    "_random": compiled(random_number), "_same": same, "_copied": copied,
    "_hold": held,
    "_zeros_int": zeros_int, "_zeros_bit": zeros_int, "_zeros_float": zeros_float,
    "_zeros_boolean": zeros_boolean, "_zeros_complex": zeros_complex, "_put": put,
    "_c": complex_of, "_cadd": complex_sum, "_csub": complex_difference, "_cmul": complex_product,
    "_cdiv": complex_quotient, "_carg": phase, "_cabs": absolute, "_csqrt": complex_root,
    "_hypot": hypotenuse,
    **{f"_c{name}": _in_single(function) for name, function in functions(MATH, uncached).items()},
    **{f"_{name}": function for name, function in MATH.items()},
}
