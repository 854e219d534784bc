"""Memory for columns: large pages, used again when nobody holds what lies there.

To touch memory for the first time costs more than the loops that fill it, most of all in threads
that begin with a run and end with it.

>>> first = array(200_000, "int64")
>>> where = first.ctypes.data
>>> del first; array(262_144, "float64").ctypes.data == where
True
"""

from __future__ import annotations

import mmap
from collections import deque
from contextlib import suppress
from weakref import finalize

import numpy as np

PAGE = 1 << 21
"""A large page has so many bytes: a number for each row of a slice of 262,144."""

SIZES = (PAGE // 8, PAGE // 4, PAGE // 2, PAGE, 2 * PAGE, 4 * PAGE)
WORTH_A_PIECE = SIZES[0] // 2
MOST_IDLE = {size: 64 if size <= PAGE else 16 for size in SIZES}
"""So many pieces of a size wait to be used again; others go back to the system."""

ARE_POSSIBLE = hasattr(mmap, "MADV_HUGEPAGE")

_idle: dict[int, deque[memoryview]] = {size: deque(maxlen=most) for size, most in MOST_IDLE.items()}


def array(length: int, dtype: str | np.dtype) -> np.ndarray:
    """An array of anything, as `np.empty` makes it; in a piece if one is about as large."""
    size = length * np.dtype(dtype).itemsize
    if not (ARE_POSSIBLE and WORTH_A_PIECE <= size <= SIZES[-1]):
        return np.empty(length, dtype)
    enough = next(one for one in SIZES if one >= size)
    piece = _piece(enough)
    memory = np.frombuffer(piece, np.uint8)
    # All views of it, Arrow's columns too, keep this array alive.
    finalize(memory, _idle[enough].append, piece).atexit = False
    return memory[:size].view(dtype)


def copy(given: np.ndarray) -> np.ndarray:
    """An array with the same numbers in it."""
    made = array(len(given), given.dtype)
    made[:] = given
    return made


def kept(given: np.ndarray, length: int) -> np.ndarray:
    """The beginning of an array, for long; a copy where it would keep much that is not used."""
    return given[:length] if 2 * length >= len(given) else given[:length].copy()


def _piece(size: int) -> memoryview:
    try:
        return _idle[size].pop()
    except IndexError:
        first, *others = _cut(size)
        _idle[size].extend(others)
        return first


def _cut(size: int) -> list[memoryview]:
    """A new page in pieces of a size, or some pages as one."""
    pages = mmap.mmap(-1, max(PAGE, size), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    # A system without large pages refuses them; small ones do as well.
    with suppress(OSError):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return [memoryview(pages)[start:start + size] for start in range(0, len(pages), size)]
