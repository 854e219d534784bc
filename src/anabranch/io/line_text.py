"""Lines of text made of columns by a compiled loop: in each, cell after cell, with text between.

>>> columns = [pa.array([1, -2]), pa.array([0.5, None]), pa.array(["a", "bc"])]
>>> bytes(lines(columns, [b"", b",", b",'", b"'\\n"], b"?"))
b"1,0.5,'a'\\n-2,?,'bc'\\n"
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numba import njit

from anabranch.io import large_pages
from anabranch.io.eight_bytes import copied
from anabranch.io.number_text import DECIMAL_ROOM, put_decimal, put_whole

WHOLE, DECIMAL, TEXT = range(3)
KINDS = {pa.int64(): WHOLE, pa.float64(): DECIMAL, pa.string(): TEXT}
MORE = 8
"""So many bytes more there are of every text, as eight are copied at a time."""


def lines(columns: Sequence[pa.Array], between: Sequence[bytes], nothing: bytes = b""
          ) -> memoryview | None:
    """The lines of all rows of columns of ints, floats and texts, or None where a float is not
    short; `nothing` stands for null. The texts `between` cells begin with that before the first
    one and end with that behind the last one."""
    rows, kinds = len(columns[0]), np.array([KINDS[c.type] for c in columns], np.int8)
    words, missing = _words(columns, rows)
    data, ends = _texts(columns, rows)
    fixed, places = _joined([*between, nothing])
    of_a_row = int(places[-1]) + len(columns) * len(nothing) + sum(map(_room, kinds, words))
    out = large_pages.array(rows * of_a_row + len(data) + MORE, np.uint8)
    end = _write(kinds, words, words.view(np.float64), missing, data, ends, fixed, places, out)
    return None if end < 0 else memoryview(out)[:end]


def _words(columns: Sequence[pa.Array], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers as words of 64 bits, and which cells are null."""
    words = large_pages.array(len(columns) * rows, np.int64).reshape(len(columns), rows)
    missing = np.zeros((len(columns), rows), np.bool_)
    for number, column in enumerate(columns):
        if column.null_count:
            missing[number] = column.is_null().to_numpy(zero_copy_only=False)
            column = column.fill_null(0) if column.type != pa.string() else column
        if column.type != pa.string():
            words[number] = column.to_numpy().view(np.int64)
    return words, missing


def _room(kind: int, words: np.ndarray) -> int:
    """How many bytes a number of a column takes at most. Less than any could take, as memory that
    was never touched before costs more time than a look at the numbers."""
    if kind != WHOLE:
        return DECIMAL_ROOM if kind == DECIMAL else 0
    return max(len(str(words.min())), len(str(words.max()))) if len(words) else 0


def _texts(columns: Sequence[pa.Array], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of all texts, and where those of each row begin and end."""
    parts, ends, size = [], np.empty((len(columns), rows + 1), np.int64), 0
    for number, column in enumerate(columns):
        if column.type == pa.string():
            _, offsets, data = column.buffers()
            own = np.frombuffer(offsets, np.int32)[column.offset:column.offset + rows + 1]
            given = np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8)
            parts.append(given[own[0]:own[-1]])
            ends[number] = own.astype(np.int64) - own[0] + size
            size += len(parts[-1])
    return np.concatenate([*parts, np.zeros(MORE, np.uint8)]), ends


def _joined(texts: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    places = np.cumsum([0, *map(len, texts)])
    return np.frombuffer(b"".join(texts) + bytes(MORE), np.uint8), places


@njit(nogil=True, _nrt=False, cache=True)
def _write(kinds, words, floats, missing, data, ends, fixed, places, out):
    """Where the text ends; -1 at a float that is not short."""
    at, width = 0, len(kinds)
    # Numbers without a sign are never counted from the end.
    for row in range(np.uint64(words.shape[1])):
        for column in range(np.uint64(width)):
            at = copied(out, at, fixed, places[column], places[column + 1])
            if missing[column, row]:
                at = copied(out, at, fixed, places[width + 1], places[width + 2])
            elif kinds[column] == WHOLE:
                at = put_whole(out, at, words[column, row])
            elif kinds[column] == DECIMAL:
                at = put_decimal(out, at, floats[column, row])
                if at < 0:
                    return at
            else:
                at = copied(out, at, data, ends[column, row], ends[column, row + 1])
        at = copied(out, at, fixed, places[width], places[width + 1])
    return at
