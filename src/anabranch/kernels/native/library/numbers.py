"""Arithmetic of generated code: Python's results to the last bit, or `Bail`.

Integers are of 64 bits; what leaves that range, or a float's exact integers where that matters,
is left to Python itself. So is everything that raises.

>>> add(2, 3), floordiv(-7, 2), mod(-7, 2), truediv(1, 3)
(5, -4, 1, 0.3333333333333333)
>>> int_pow(3, 4), left_shift(3, 2), right_shift(-5, 1), bit_length(-8), round_to(2.675, 2)
(81, 12, -3, 4, 2.67)
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

EXACT = 2**53
LOWEST = -2**63
WHOLE = float(2**63)


class Bail(Exception):
    """This row is for Python: it raises, or its result is beyond the native types."""


def _with_overflow(instruction: str):
    @intrinsic
    def operation(context, left, right):
        def generate(target, builder, signature, arguments):
            pair = getattr(builder, instruction)(*arguments)
            parts = [builder.extract_value(pair, 0), builder.extract_value(pair, 1)]
            return target.make_tuple(builder, signature.return_type, parts)
        result = types.Tuple((types.int64, types.boolean))
        return result(types.int64, types.int64), generate
    return operation


_add, _sub, _mul = map(_with_overflow, (
    "sadd_with_overflow", "ssub_with_overflow", "smul_with_overflow"))


@intrinsic
def fused(context, left, right, added):
    """`left * right + added`, rounded once."""
    def generate(target, builder, signature, arguments):
        return builder.fma(*arguments)
    return types.float64(types.float64, types.float64, types.float64), generate


@njit(nogil=True, _nrt=False)
def remainder(left, right):
    """What C's fmod gives. A quotient that a float holds is at most one off, and the remainder of
    a whole quotient is exact, so it needs no division bit by bit."""
    size, divisor = abs(left), abs(right)
    quotient = np.floor(size / divisor)
    if not quotient < EXACT / 4 or math.isinf(divisor):
        return np.fmod(left, right)
    rest = fused(-quotient, divisor, size)
    if rest < 0.0:
        rest = fused(1.0 - quotient, divisor, size)
    elif rest >= divisor:
        rest = fused(-1.0 - quotient, divisor, size)
    return math.copysign(rest, left)


@njit(nogil=True, _nrt=False)
def add(left, right):
    result, overflow = _add(left, right)
    if overflow:
        raise Bail
    return result


@njit(nogil=True, _nrt=False)
def sub(left, right):
    result, overflow = _sub(left, right)
    if overflow:
        raise Bail
    return result


@njit(nogil=True, _nrt=False)
def mul(left, right):
    result, overflow = _mul(left, right)
    if overflow:
        raise Bail
    return result


@njit(nogil=True, _nrt=False)
def neg(value):
    if value == LOWEST:
        raise Bail
    return -value


@njit(nogil=True, _nrt=False)
def absolute(value):
    return neg(value) if value < 0 else value


@njit(nogil=True, _nrt=False)
def floordiv(left, right):
    if right == 0 or (left == LOWEST and right == -1):
        raise Bail
    return left // right


@njit(nogil=True, _nrt=False)
def mod(left, right):
    if right == 0:
        raise Bail
    return left % right if right != -1 else 0


@njit(nogil=True, _nrt=False)
def exact(value):
    """An integer as the float that equals it."""
    if value > EXACT or value < -EXACT:
        raise Bail
    return float(value)


@njit(nogil=True, _nrt=False)
def truediv(left, right):
    if right == 0:
        raise Bail
    return exact(left) / exact(right)


@njit(nogil=True, _nrt=False)
def float_div(left, right):
    if right == 0.0:
        raise Bail
    return left / right


@njit(nogil=True, _nrt=False)
def float_mod(left, right):
    """The remainder with the divisor's sign, by the steps that CPython takes."""
    if right == 0.0:
        raise Bail
    rest = remainder(left, right)
    if rest == 0.0:
        return math.copysign(0.0, right)
    return rest + right if (right < 0.0) != (rest < 0.0) else rest


@njit(nogil=True, _nrt=False)
def float_floordiv(left, right):
    if right == 0.0:
        raise Bail
    rest = remainder(left, right)
    quotient = (left - rest) / right
    if rest != 0.0 and (right < 0.0) != (rest < 0.0):
        quotient -= 1.0
    if quotient == 0.0:
        return math.copysign(0.0, left / right)
    below = np.floor(quotient)
    return below + 1.0 if quotient - below > 0.5 else below


@njit(nogil=True, _nrt=False)
def whole(value):
    """`int(value)` of a float: towards zero."""
    if not -WHOLE <= value < WHOLE:
        raise Bail
    return np.int64(value)


@njit(nogil=True, _nrt=False)
def floor(value):
    return whole(np.floor(value))


@njit(nogil=True, _nrt=False)
def ceil(value):
    return whole(np.ceil(value))


@njit(nogil=True, _nrt=False)
def rounded(value):
    """`round(value)`: halves to the even neighbour."""
    return whole(np.rint(value))


@njit(nogil=True, _nrt=False)
def sqrt(value):
    if value < 0.0:
        raise Bail
    return math.sqrt(value)


@njit(nogil=True, _nrt=False)
def smaller(left, right):
    return right if right < left else left


@njit(nogil=True, _nrt=False)
def larger(left, right):
    return right if right > left else left


@njit(nogil=True, _nrt=False)
def never(left, right):
    """Whether values of different types are equal."""
    return False


@njit(nogil=True, _nrt=False)
def always(left, right):
    return True


@njit(nogil=True, _nrt=False)
def stepping(step):
    """The step of a range, which is not zero."""
    if step == 0:
        raise Bail
    return step


@njit(nogil=True, _nrt=False)
def present(value, none):
    """A value that is not None; an operation on None is Python's to refuse."""
    if none:
        raise Bail
    return value


MOST_DIGITS = 22
HALVES = float(2**51)
POWERS = np.array([10.0**n for n in range(MOST_DIGITS + 1)])


@njit(nogil=True, _nrt=False)
def int_pow(base, exponent):
    if exponent < 0:
        raise Bail
    result = 1
    while True:
        if exponent & 1:
            result = mul(result, base)
        exponent >>= 1
        if exponent == 0:
            return result
        base = mul(base, base)


@njit(nogil=True, _nrt=False)
def left_shift(value, bits):
    if bits < 0 or bits > 62:
        raise Bail
    result = value << bits
    if result >> bits != value:
        raise Bail
    return result


@njit(nogil=True, _nrt=False)
def right_shift(value, bits):
    if bits < 0:
        raise Bail
    return value >> min(bits, 63)


@njit(nogil=True, _nrt=False)
def bit_length(value):
    size, bits = np.uint64(abs(value)), 0
    while size:
        size >>= np.uint64(1)
        bits += 1
    return bits


@njit(nogil=True, _nrt=False)
def is_integer(value):
    return math.isfinite(value) and np.floor(value) == value


@njit(nogil=True, _nrt=False)
def round_to(value, digits):
    """`round(value, digits)` of a float. The product with a power of ten and its rounding error
    together are exact, so the nearest integer to it is known, also for halves."""
    if not math.isfinite(value):
        return value
    if digits < 0 or digits > MOST_DIGITS:
        raise Bail
    power = POWERS[digits]
    scaled = value * power
    if not abs(scaled) < HALVES:
        raise Bail
    error, below = fused(value, power, -scaled), np.floor(scaled)
    whole = np.rint(scaled)
    if scaled - below == 0.5 and error != 0.0:
        whole = below + 1.0 if error > 0.0 else below
    return math.copysign(whole / power, value)
