"""Random numbers and functions of complex numbers: every tier has the same bits.

The random numbers are a linear congruential generator of 48 bits, with a fixed beginning.

Functions of complex numbers by those of real ones, so that every tier has the same bits.

Parts of single precision have squares that a double holds: no sum of two of them overflows.

>>> from anabranch.lang.streamit.execution.plain import MATH
>>> functions(MATH, lambda function: function)["log"](1j)
(0.0, 1.5707963267948966)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

FIRST = 1182736490827


def seed() -> np.ndarray:
    """The state before the first number."""
    return np.array([FIRST], np.int64)


def random_number(state: np.ndarray) -> float:
    """The next number between 0 and 1; it changes the state. It is compiled as it stands.

    >>> f"{random_number(seed()):.6f}"
    '0.684482'
    """
    first = (int(state[0]) * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    second = (first * 0x5DEECE66D + 0xB) & 0xFFFFFFFFFFFF
    state[0] = second
    return ((first >> 22) * 134217728 + (second >> 21)) / 9007199254740992.0


NEAR_ONE = (0.71, 1.73)
"""Where the logarithm of a length is taken from how far the length is from one."""


def length(x: float, y: float) -> float:
    """How far a point is from zero. It is compiled as it stands."""
    if math.isinf(x) or math.isinf(y):
        return math.inf
    return math.sqrt(x * x + y * y)


def functions(real: Mapping[str, Callable], made: Callable[[Callable], Callable]) -> dict:
    """The functions of `real` for complex numbers, each giving two parts; `made` compiles one."""
    exp_of, log_of, log1p_of, atan2_of = (real[n] for n in ("exp", "log", "log1p", "atan2"))
    sin_of, cos_of, sinh_of, cosh_of = (real[n] for n in ("sin", "cos", "sinh", "cosh"))
    size_of, low, high = made(length), *NEAR_ONE

    @made
    def times(a, b):
        # Zero times what is too large for a double is zero: the product itself is not too large.
        return a if a == 0.0 else b if b == 0.0 else a * b

    @made
    def exp(z):
        size = exp_of(z.real)
        return times(cos_of(z.imag), size), times(sin_of(z.imag), size)

    @made
    def log(z):
        x, y = abs(z.real), abs(z.imag)
        most, least, size = max(x, y), min(x, y), size_of(x, y)
        near = low <= size <= high
        apart = (most - 1.0) * (most + 1.0) + least * least if near else 0.0
        whole = log1p_of(apart) / 2.0 if near else log_of(size)
        return whole, atan2_of(z.imag, z.real)

    @made
    def sin(z):
        return times(sin_of(z.real), cosh_of(z.imag)), times(cos_of(z.real), sinh_of(z.imag))

    @made
    def cos(z):
        return times(cos_of(z.real), cosh_of(z.imag)), times(-sin_of(z.real), sinh_of(z.imag))

    return {"exp": exp, "log": log, "sin": sin, "cos": cos}
