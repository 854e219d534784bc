"""Memory of which no other thread has a part in the same cache line: cores that write to one line
in turn wait for each other at every row, whoever owns which bytes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from anabranch.kernels.native.memory import Memory

LINE = 128
"""Bytes: cores fetch lines of 64 in pairs."""


def apart(memory: Memory) -> Memory:
    """A worker's memory in cache lines of its own."""
    return replace(memory, counters=in_own_lines(memory.counters),
                   arrays={name: in_own_lines(array) for name, array in memory.arrays.items()})


def in_own_lines(array: np.ndarray) -> np.ndarray:
    """A copy that begins with a cache line, in whose last one nothing else is.

    >>> own = in_own_lines(np.arange(6).reshape(3, 2))
    >>> own.tolist(), own.ctypes.data % LINE
    ([[0, 1], [2, 3], [4, 5]], 0)
    """
    room = np.empty(array.nbytes + 2 * LINE, np.uint8)
    begin = -room.ctypes.data % LINE
    own = room[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape)
    own[...] = array
    return own
