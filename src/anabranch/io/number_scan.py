"""Numbers out of a text, by compiled loops; behind each there must be eight bytes more."""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.io.cell_kinds import NOWHERE
from anabranch.io.eight_bytes import byte, leading_digits

MINUS, PLUS, POINT = map(ord, "-+.")
DIGITS_OF_INT, DIGITS_OF_EXACT, LARGEST_POWER = 18, 15, 22
POWERS = np.array([float(10**power) for power in range(LARGEST_POWER + 1)])
TENS = 10 ** np.arange(8)


@njit(nogil=True, _nrt=False, forceinline=True)
def _digits(text, at, value):
    """The digits behind those of a value, and where they end; too many of them make no sense."""
    number, count = leading_digits(text, at)
    while count == 8:
        value = value * 100_000_000 + number
        at += 8
        number, count = leading_digits(text, at)
    return value * TENS[count] + number, at + count


@njit(nogil=True, _nrt=False, forceinline=True)
def whole(text, at):
    """An int of few enough digits: its value, and where it ends, which is `NOWHERE` for others."""
    negative = byte(text, at) == MINUS
    first = at + negative
    value, at = _digits(text, first, np.int64(0))
    if not 0 < at - first <= DIGITS_OF_INT:
        return np.int64(0), NOWHERE
    return -value if negative else value, at


@njit(nogil=True, _nrt=False, forceinline=True)
def _exponent(text, at):
    """The power of ten behind an `e`; `NOWHERE` when there is none."""
    sign = byte(text, at)
    at += sign in (MINUS, PLUS)
    value, count = leading_digits(text, at)
    if not 0 < count < 3:
        return 0, NOWHERE
    return -value if sign == MINUS else value, at + count


@njit(nogil=True, _nrt=False, forceinline=True)
def decimal(text, at):
    """A float, where it ends (`NOWHERE` for what is none), and whether that is all: its digits and
    its power of ten are both exact, so that one operation rounds it as Python does."""
    negative = byte(text, at) == MINUS
    first, power = at + negative, 0
    value, at = _digits(text, first, np.int64(0))
    digits = at - first
    if digits and byte(text, at) == POINT:
        first = at + 1
        value, at = _digits(text, first, value)
        power = first - at
        digits = digits - power if power else 0
    if digits and (byte(text, at) | 32) == ord("e"):
        shift, at = _exponent(text, at + 1)
        power += shift
    if not digits:
        return 0.0, NOWHERE, False
    if digits > DIGITS_OF_EXACT or abs(power) > LARGEST_POWER:
        return 0.0, at, False
    number = value / POWERS[-power] if power < 0 else value * POWERS[power]
    return -number if negative else number, at, True
