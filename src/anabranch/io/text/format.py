r"""Lines of text made of columns by compiled loops; numbers are as Python writes them.

>>> columns = [pa.array([1, -2]), pa.array([0.5, None]), pa.array(["a", "bc"])]
>>> bytes(lines(columns, [b"", b",", b",'", b"'\n"], b"?"))
b"1,0.5,'a'\n-2,?,'bc'\n"

Digits are made and written eight at a time, so up to seven bytes behind a number are written too,
which there must be room for.

>>> out = np.zeros(40, np.uint8)
>>> put_whole(out, 0, -12), put_decimal(out, 3, 0.5), bytes(out[:6])
(3, 6, b'-120.5')

A decimal number of at most fifteen digits belongs to one float only, and no other one of so few
digits does: where it gives the float again, it is what `repr` writes. Other floats are not `short`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numba import njit

from anabranch.io.arrow import large_pages
from anabranch.io.text.scan import ZEROS, copied, put_eight, trailing_zeros

DECIMAL_ROOM = 24
"""So many bytes a float takes at most."""

TENS = 10 ** np.arange(19, dtype=np.uint64)
POWERS = TENS.astype(np.float64)
SMALLEST, LARGEST = 1e-4, 1e15
MINUS, POINT = np.uint64(ord("-")), np.uint64(ord("0") << 8 | ord("."))
FOUR, EIGHT, SIXTEEN = TENS[4], TENS[8], TENS[16]
# A part of ten thousand, times these, shifted, is what a hundred is in it; so it is for ten in a
# part of a hundred.
HUNDREDTH, OF_HUNDREDS = np.uint64(10486), np.uint64(0x0000007F0000007F)
TENTH, OF_TENS = np.uint64(103), np.uint64(0x000F000F000F000F)
BYTE, MOST_SKIPPED = np.uint64(8), np.uint64(7)


@njit(nogil=True, _nrt=False, forceinline=True)
def _eight_digits(value):
    """The digits of a number below a hundred million, each in a byte, the first in the lowest."""
    high = value // FOUR
    fours = high | (value - high * FOUR) << np.uint64(32)
    hundreds = (fours * HUNDREDTH >> np.uint64(20)) & OF_HUNDREDS
    pairs = hundreds | (fours - hundreds * np.uint64(100)) << np.uint64(16)
    tens = (pairs * TENTH >> np.uint64(10)) & OF_TENS
    return tens | (pairs - tens * np.uint64(10)) << BYTE


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_all(out, at, value):
    """Writes eight digits; the place behind them."""
    put_eight(out, at, _eight_digits(value) | ZEROS)
    return at + 8


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_first(out, at, value):
    """Writes up to eight digits without zeros before them; the place behind them."""
    digits = _eight_digits(value)
    skipped = min(trailing_zeros(digits) // BYTE, MOST_SKIPPED)
    put_eight(out, at, (digits | ZEROS) >> skipped * BYTE)
    return at + 8 - np.int64(skipped)


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_size(out, at, size):
    if size < EIGHT:
        return _put_first(out, at, size)
    if size < SIXTEEN:
        at = _put_first(out, at, size // EIGHT)
    else:
        at = _put_first(out, at, size // SIXTEEN)
        at = _put_all(out, at, size // EIGHT % EIGHT)
    return _put_all(out, at, size % EIGHT)


@njit(nogil=True, _nrt=False, forceinline=True)
def put_whole(out, at, value):
    """Writes an int at a place; the place behind it."""
    if value < 0:
        put_eight(out, at, MINUS)
        at += 1
    # The least of all has no positive counterpart, but as an unsigned number it has.
    return _put_size(out, at, np.uint64(-value if value < 0 else value))


@njit(nogil=True, _nrt=False, forceinline=True)
def _decimals(size):
    """The digits of a short float as one number, and how many of them are behind the point; -1 for
    one that is not short."""
    if size == 0.0:
        return np.uint64(0), 0
    if not SMALLEST <= size < LARGEST:
        return np.uint64(0), -1
    for count in range(len(POWERS)):
        digits = np.rint(size * POWERS[count])
        if digits >= LARGEST:
            break
        if digits / POWERS[count] == size:
            return np.uint64(digits), count
    return np.uint64(0), -1


@njit(nogil=True, _nrt=False, forceinline=True)
def put_decimal(out, at, value):
    """Writes a short float at a place; the place behind it, or -1 if it is not short."""
    size = abs(value)
    digits, count = _decimals(size)
    if count < 0:
        return -1
    if np.signbit(value):
        put_eight(out, at, MINUS)
        at += 1
    # No whole number lies between a float and its decimal, or that would have been found first.
    whole = np.uint64(size)
    at = _put_size(out, at, whole)
    put_eight(out, at, POINT)
    return _put_behind(out, at + 1, digits - whole * TENS[count], count) if count else at + 2


@njit(nogil=True, _nrt=False, forceinline=True)
def _put_behind(out, at, value, count):
    """Writes so many digits, zeros before them; the place behind them."""
    if count <= 8:
        return _put_all(out, at, value * TENS[8 - count]) - 8 + count
    if count > 16:
        put_eight(out, at, ZEROS)
        at, count = at + count - 16, 16
    value *= TENS[16 - count]
    _put_all(out, _put_all(out, at, value // EIGHT), value % EIGHT)
    return at + count


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
