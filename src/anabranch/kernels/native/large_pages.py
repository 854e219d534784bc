"""Memory for the outputs of large slices: pieces of one large page, used again as soon as nobody
holds what lies in them.

To touch memory for the first time costs more than the loops that fill it, most of all in threads
that begin with a run and end with it.

>>> first = array(200_000, "int64")
>>> where = first.ctypes.data
>>> del first
>>> array(262_144, "float64").ctypes.data == where
True
"""

from __future__ import annotations

import mmap
from collections import deque
from weakref import finalize

import numpy as np

PIECE = 1 << 21
"""A large page has so many bytes: a number for each row of a slice of 262,144."""

WORTH_A_PIECE = PIECE // 2
MOST_IDLE = 64
"""So many pieces wait to be used again; others go back to the system."""

ARE_POSSIBLE = hasattr(mmap, "MADV_HUGEPAGE")

_idle: deque[mmap.mmap] = deque(maxlen=MOST_IDLE)


def array(length: int, dtype: str | np.dtype) -> np.ndarray:
    """An array of anything, as `np.empty` makes it; in a piece if that is of about its size."""
    size = length * np.dtype(dtype).itemsize
    if not (ARE_POSSIBLE and WORTH_A_PIECE <= size <= PIECE):
        return np.empty(length, dtype)
    piece = _piece()
    memory = np.frombuffer(piece, np.uint8)
    # All views of it, Arrow's columns too, keep this array alive.
    finalize(memory, _idle.append, piece).atexit = False
    return memory[:size].view(dtype)


def kept(given: np.ndarray, length: int) -> np.ndarray:
    """The beginning of an array, for long; a copy where it would keep much that is not used."""
    return given[:length] if 2 * length >= len(given) else given[:length].copy()


def _piece() -> mmap.mmap:
    try:
        return _idle.pop()
    except IndexError:
        made = mmap.mmap(-1, PIECE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        made.madvise(mmap.MADV_HUGEPAGE)
        return made
