"""What the compiled loops call: reading numbers, comparing and gathering texts."""

from __future__ import annotations

import numba
import numpy as np

LONGEST = 18


@numba.njit(cache=True, nogil=True, inline="always")
def is_space(c):
    return c == 32 or (c >= 9 and c <= 13)


@numba.njit(cache=True, nogil=True)
def stripped(data, start, end):
    """Where a field begins and ends without the space around it."""
    while start < end and is_space(data[start]):
        start += 1
    while end > start and is_space(data[end - 1]):
        end -= 1
    return start, end


@numba.njit(cache=True, nogil=True)
def parsed(data, start, end):
    """A decimal number, and whether it is one that is surely read right."""
    negative = start < end and data[start] == 45
    if start < end and (data[start] == 45 or data[start] == 43):
        start += 1
    if start >= end or end - start > LONGEST:
        return 0, False
    value = 0
    for place in range(start, end):
        digit = np.int64(data[place]) - 48
        if digit < 0 or digit > 9:
            return 0, False
        value = value * 10 + digit
    return -value if negative else value, True


@numba.njit(cache=True, nogil=True)
def same_text(data, start, end, text):
    if end - start != len(text):
        return False
    place = 0
    while place < len(text) and data[start + place] == text[place]:
        place += 1
    return place == len(text)


@numba.njit(cache=True, nogil=True)
def divided(a, b):
    """Towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


@numba.njit(cache=True, nogil=True)
def modulo(a, b):
    return a - divided(a, b) * b


@numba.njit(cache=True, nogil=True)
def gathered(data, starts, ends, offsets, out):
    """Copies texts one behind the other; False when one is not plain ASCII."""
    place = 0
    for i in range(len(starts)):
        for j in range(starts[i], ends[i]):
            if data[j] == 0 or data[j] > 127:
                return False
            out[place] = data[j]
            place += 1
        offsets[i + 1] = place
    return True
