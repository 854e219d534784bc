"""Powers, shifts and rounding of generated code: Python's results to the last bit, or `Bail`.

>>> int_pow(3, 4), left_shift(3, 2), right_shift(-5, 1), bit_length(-8), round_to(2.675, 2)
(81, 12, -3, 4, 2.67)
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from anabranch.kernels.native.numeric import Bail, fused, mul

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
