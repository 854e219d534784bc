"""Texts that lie apart in a larger one, copied one behind the other by compiled loops."""

from __future__ import annotations

import numpy as np
from numba import njit

from anabranch.io.cell_kinds import NOWHERE
from anabranch.io.eight_bytes import copied

QUOTE = ord('"')


@njit(nogil=True, _nrt=False, cache=True)
def sizes(starts, ends, offsets):
    """Fills in where each text begins in the bytes of all; whether some have doubled quotes."""
    doubled = False
    for row in range(len(starts)):
        doubled |= ends[row] < 0
        size = abs(ends[row]) - starts[row] if starts[row] != NOWHERE else 0
        offsets[row + 1] = offsets[row] + size
    return doubled


@njit(nogil=True, _nrt=False, cache=True)
def copy(text, starts, offsets, data):
    """Copies the texts to their places; there must be room for eight bytes more."""
    for row in range(len(starts)):
        first = np.int64(starts[row])
        copied(data, np.int64(offsets[row]), text, first, first + offsets[row + 1] - offsets[row])


@njit(nogil=True, _nrt=False, cache=True)
def copy_undoubled(text, starts, ends, offsets, data):
    """Copies the texts, each doubled quote as one; `offsets` becomes where they begin then."""
    at = 0
    for row in range(len(starts)):
        offsets[row], place, last = at, starts[row], abs(ends[row])
        while place != NOWHERE and place < last:
            data[at] = text[place]
            place += 2 if ends[row] < 0 and text[place] == QUOTE else 1
            at += 1
    offsets[len(starts)] = at
