"""Numbers as text, in compiled loops: what Python's `str` and `repr` write.

A decimal number of at most fifteen digits belongs to one float only, and no other one of so few
digits does: where it gives the float again, it is what `repr` writes. Other floats are not `short`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

DECIMAL_ROOM = 24
"""So many bytes a float takes at most."""

TENS = 10 ** np.arange(19)
POWERS = TENS.astype(np.float64)
SMALLEST, LARGEST = 1e-4, 1e15
MINUS, ZERO, POINT = map(ord, "-0.")
PAIRS = np.frombuffer("".join(f"{n:02}" for n in range(100)).encode(), np.uint8)


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_digits(out, end, value):
    """Writes the digits of a number, so that they end at a place."""
    while value >= 100:
        pair = 2 * (value % 100)
        value //= 100
        end -= 2
        out[end], out[end + 1] = PAIRS[pair], PAIRS[pair + 1]
    if value >= 10:
        out[end - 2], out[end - 1] = PAIRS[2 * value], PAIRS[2 * value + 1]
    else:
        out[end - 1] = ZERO + value


@njit(nogil=True, _nrt=False, forceinline=True)
def _digits_of(value):
    count = 1
    while count < 19 and value >= TENS[count]:
        count += 1
    return count


@njit(nogil=True, _nrt=False, forceinline=True)
def put_whole(out, at, value):
    """Writes an int at a place; the place behind it."""
    if value < 0:
        out[at] = MINUS
        at += 1
    # The least of all has no positive counterpart, but as an unsigned number it has.
    size = np.uint64(-value if value < 0 else value)
    if size > np.uint64(TENS[18]):
        top = size // np.uint64(TENS[18])
        out[at] = ZERO + np.int64(top)
        _put_padded(out, at + 19, np.int64(size % np.uint64(TENS[18])), 18)
        return at + 19
    end = at + _digits_of(np.int64(size))
    _put_digits(out, end, np.int64(size))
    return end


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_padded(out, end, value, count):
    """Writes so many digits of a number, so that they end at a place."""
    for place in range(count):
        out[end - 1 - place] = ZERO + value % 10
        value //= 10


@njit(nogil=True, _nrt=False, forceinline=True)
def _decimals(size):
    """The digits of a short float as one number, and how many of them are behind the point; -1 for
    one that is not short."""
    if size == 0.0:
        return np.int64(0), 0
    if not SMALLEST <= size < LARGEST:
        return np.int64(0), -1
    for count in range(len(POWERS)):
        digits = np.rint(size * POWERS[count])
        if digits >= LARGEST:
            break
        if digits / POWERS[count] == size:
            return np.int64(digits), count
    return np.int64(0), -1


@njit(nogil=True, _nrt=False, forceinline=True)
def put_decimal(out, at, value):
    """Writes a short float at a place; the place behind it, or -1 if it is not short."""
    digits, count = _decimals(abs(value))
    if count < 0:
        return -1
    if np.signbit(value):
        out[at] = MINUS
        at += 1
    at = put_whole(out, at, digits // TENS[count])
    out[at] = POINT
    if count == 0:
        out[at + 1] = ZERO
        return at + 2
    _put_padded(out, at + 1 + count, digits % TENS[count], count)
    return at + 1 + count


@njit(nogil=True, _nrt=False, cache=True)
def are_short(values):
    """Whether all floats are short."""
    found = True
    for value in values:
        found &= _decimals(abs(value))[1] >= 0
    return found
