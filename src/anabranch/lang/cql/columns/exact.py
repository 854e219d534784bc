"""Sums and averages of floats that are rounded once, as `running.folds` rounds them.

A float is a whole multiple of 2 to the power of -80, held in limbs of 32 bits, which are summed one
by one as whole numbers are. A float too large or too fine for that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anabranch.ir.whole import Unfinished

LIMBS, BITS, UNIT = 4, 32, 80
MASK = (1 << BITS) - 1
DIGITS = 53
FINER = 3
"""So many limbs more a quotient has, which is then never too short to be rounded."""

MOST = 1 << 31
Limbs = Sequence[np.ndarray]
"""From the lowest to the highest."""


def limbs(column: np.ndarray) -> list[np.ndarray]:
    """The limbs of floats, with the signs of the floats.

    >>> [limb.tolist() for limb in limbs(np.array([-1.5]))]
    [[0], [0], [-98304], [0]]
    """
    digits, shift = _scaled(column)
    sign, size = np.sign(digits), np.abs(digits)
    at, bits = shift // BITS, shift % BITS
    low, high = (size & MASK) << bits, (size >> BITS) << bits
    parts = low & MASK, (low >> BITS) + (high & MASK), high >> BITS
    return [sign * sum(np.where(at == number - place, part, 0) for place, part in enumerate(parts))
            for number in range(LIMBS)]


def _scaled(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and by how many bits each has to be shifted to count the unit."""
    fraction, exponent = np.frexp(column)
    if not np.isfinite(column).all():
        raise Unfinished
    digits = np.ldexp(fraction, DIGITS).astype(np.int64)
    shift = np.where(digits == 0, 0, exponent.astype(np.int64) - DIGITS + UNIT)
    fine = np.clip(-shift, 0, DIGITS + 1)
    if (digits & ((np.int64(1) << fine) - 1)).any() or (shift + DIGITS > LIMBS * BITS).any():
        raise Unfinished
    return digits >> fine, np.maximum(shift, 0)


def quotients(totals: Limbs, counts: np.ndarray) -> np.ndarray:
    """The floats nearest to totals divided by counts, which are not 0.

    >>> quotients(limbs(np.array([1.0, -0.1])), np.array([3, 1])).tolist()
    [0.3333333333333333, -0.1]
    """
    if len(counts) and counts.max() >= MOST:
        raise Unfinished
    negative = _carried(totals)[-1] < 0
    digits = _carried([np.where(negative, -limb, limb) for limb in totals])
    nothing = np.zeros(len(counts), np.int64)
    quotient, rest = _divided([*[nothing] * FINER, *digits], counts)
    size = _rounded(quotient, rest != 0, -UNIT - FINER * BITS)
    return np.where(negative, -size, size)


def _carried(totals: Limbs) -> list[np.ndarray]:
    """The same number, whose limbs but for the highest are below the base."""
    found, carry = [], np.zeros_like(totals[0])
    for limb in (*totals, np.zeros_like(totals[0])):
        found.append((limb + carry) & MASK)
        carry = (limb + carry) >> BITS
    return [*found, carry]


def _divided(digits: Limbs, counts: np.ndarray) -> tuple[list[np.ndarray], np.ndarray]:
    found, rest = [], np.zeros(len(counts), np.int64)
    for limb in reversed(digits):
        whole = (rest << BITS) | limb
        found.append(whole // counts)
        rest = whole % counts
    return found[::-1], rest


def _rounded(digits: Limbs, more: np.ndarray, exponent: int) -> np.ndarray:
    """The floats nearest to numbers, a bit more than which there is where `more` says so; of two
    that are as near, the even one."""
    stacked = np.stack(digits).astype(np.uint64)
    rows = np.arange(stacked.shape[1])
    top = np.maximum(len(digits) - 1 - np.argmax(stacked[::-1] != 0, 0), 2)
    first, second, third = (stacked[top - down, rows] for down in range(3))
    width = np.frexp(first.astype(np.float64))[1].astype(np.uint64)
    word = (first << (64 - width)) | (second << (BITS - width)) | (third >> width)
    lower = np.cumsum(stacked, 0)[top - 2, rows] - third
    inexact = more | (lower != 0) | ((third & ((np.uint64(1) << width) - 1)) != 0)
    half, rest, kept = np.uint64(1 << 10), word & np.uint64((1 << 11) - 1), word >> np.uint64(11)
    up = (rest > half) | ((rest == half) & (inexact | ((kept & np.uint64(1)) != 0)))
    scale = top * BITS + width.astype(np.int64) - 64 + 11 + exponent
    return np.ldexp((kept + up).astype(np.float64), scale)
