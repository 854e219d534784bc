"""Texts as numbers: equal texts have one code, from 0 in order of appearance.

>>> codes = Interner()
>>> codes.of(pa.array(["a", "", "a", None])).tolist()
[0, 1, 0, -1]
>>> codes.texts(np.array([1, -1, 0])).to_pylist(), codes.text(0)
(['', None, 'a'], 'a')
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numba import njit

from anabranch.kernels.native.library.numbers import Bail

MULTIPLIER = np.uint64(0x100000001B3)
BASIS = np.uint64(0xCBF29CE484222325)
FIRST_TEXTS, FIRST_BYTES = 256, 4096


class Interner:
    """All texts that a stage has seen in columns it computes with, each once, as UTF-8 bytes.

    The text of a code lies in `data` from `starts[code]` to `starts[code + 1]`.
    """

    def __init__(self, texts: Iterable[str] | pa.Array = ()):
        self.count = 0
        self.data = np.zeros(FIRST_BYTES, np.uint8)
        self.starts = np.zeros(FIRST_TEXTS + 1, np.int64)
        self.index = np.full(2 * FIRST_TEXTS, -1, np.int32)
        self.of(texts if isinstance(texts, pa.Array) else pa.array(texts, pa.string()))

    def __len__(self) -> int:
        return self.count

    @property
    def size(self) -> int:
        """How many bytes all texts have together."""
        return int(self.starts[self.count])

    def code(self, text: str) -> int:
        return int(self.of(pa.array([text], pa.string()))[0])

    def text(self, code: int) -> str:
        return self.data[self.starts[code]:self.starts[code + 1]].tobytes().decode()

    def of(self, column: pa.Array) -> np.ndarray:
        """The codes of a column's texts; -1 for None. The column may have a dictionary, with None
        in it if need be."""
        if pa.types.is_dictionary(column.type):
            return self.of(column.dictionary).take(column.indices.to_numpy())
        missing = column.is_null().to_numpy(zero_copy_only=False)
        offsets, given = _buffers(column)
        codes, row = np.empty(len(column), np.int64), 0
        while True:
            row, self.count = _intern(offsets, given, missing, codes, row, self.index, self.starts,
                                      self.data, self.count)
            if row == len(column):
                return codes
            self._grow(int(offsets[row + 1] - offsets[row]))

    def texts(self, codes: np.ndarray) -> pa.Array:
        """The texts of codes, as a column."""
        return self.all().take(pa.array(codes, mask=codes < 0)).cast(pa.string())

    def all(self) -> pa.Array:
        """Every text, in the order of the codes."""
        buffers = [None, pa.py_buffer(self.starts), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_string(), self.count, buffers)

    def _grow(self, size: int) -> None:
        """Room for twice as much, and for a text of this size. The old arrays stay as they are:
        columns that were given out still lie in them."""
        data = np.zeros(2 * len(self.data) + size, np.uint8)
        starts = np.zeros(2 * len(self.starts), np.int64)
        data[:len(self.data)] = self.data
        starts[:len(self.starts)] = self.starts
        self.data, self.starts = data, starts
        self.index = np.full(2 * len(self.index), -1, np.int32)
        _enter(self.index, starts, data, self.count)


def _buffers(column: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """The offsets of a text column's rows, and the bytes that they point into."""
    _, offsets, data = column.buffers()
    if offsets is None or not len(column):
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    first, last = column.offset, column.offset + len(column) + 1
    given = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    return np.frombuffer(offsets, np.int32)[first:last], _frozen(given)


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


@njit(nogil=True, _nrt=False)
def _place(index, starts, data, given, first, last):
    """Where a text stands in the hash table, or the free place where it belongs."""
    mask, code = np.uint64(len(index) - 1), BASIS
    for at in range(first, last):
        code = (code ^ np.uint64(given[at])) * MULTIPLIER
    place = (code ^ (code >> np.uint64(32))) & mask
    while index[place] >= 0 and not _same(starts, data, index[place], given, first, last):
        place = (place + np.uint64(1)) & mask
    return place


@njit(nogil=True, _nrt=False)
def _same(starts, data, code, given, first, last):
    start, size, at = starts[code], last - first, 0
    if starts[code + 1] - start != size:
        return False
    while at < size and data[start + at] == given[first + at]:
        at += 1
    return at == size


@njit(nogil=True, _nrt=False)
def text_order(starts, data, left, right):
    """Below, at or above zero, as a text is less than, equal to or greater than another one.

    The order of UTF-8 bytes is that of code points, which is Python's.
    """
    if left == right:
        return 0
    if left < 0 or right < 0:
        raise Bail
    one, other = starts[left], starts[right]
    size, limit = starts[left + 1] - one, starts[right + 1] - other
    for at in range(min(size, limit)):
        if data[one + at] != data[other + at]:
            return -1 if data[one + at] < data[other + at] else 1
    return -1 if size < limit else 1


@njit(nogil=True, _nrt=False)
def smaller_text(starts, data, left, right):
    return right if text_order(starts, data, right, left) < 0 else left


@njit(nogil=True, _nrt=False)
def larger_text(starts, data, left, right):
    return right if text_order(starts, data, right, left) > 0 else left


@njit(nogil=True, _nrt=False, cache=True)
def _intern(offsets, given, missing, codes, row, index, starts, data, count):
    """Fills in codes from a row on; stops at a row for whose text there is no room."""
    while row < len(codes):
        first, last = offsets[row], offsets[row + 1]
        if missing[row]:
            codes[row] = -1
        else:
            place = _place(index, starts, data, given, first, last)
            if index[place] < 0:
                end = starts[count] + last - first
                if 2 * (count + 1) > len(index) or count + 2 > len(starts) or end > len(data):
                    return row, count
                for at in range(last - first):
                    data[starts[count] + at] = given[first + at]
                count += 1
                starts[count] = end
                index[place] = count - 1
            codes[row] = index[place]
        row += 1
    return row, count


@njit(nogil=True, _nrt=False, cache=True)
def _enter(index, starts, data, count):
    """Enters all texts into an empty hash table."""
    for code in range(count):
        index[_place(index, starts, data, data, starts[code], starts[code + 1])] = code
