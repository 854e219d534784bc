"""The cells of a block of text, in arrays that are used again for the next one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.io import large_pages
from anabranch.io.cell_kinds import DECIMAL, LATER, NOTHING, NOWHERE, TEXT, TRUTH
from anabranch.io.text_copy import copy, copy_undoubled, sizes

MORE = np.full(65, ord("\n"), np.uint8)
"""What has to stand behind a text: its last line end, and what loops look at that take 64 bytes at
a time."""


@dataclass(frozen=True)
class Room:
    """Arrays for the cells of a block, with a row for each column of its text; and for places in
    the text, one for each cell and some more."""

    words: np.ndarray
    states: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    places: np.ndarray

    @staticmethod
    def of(width: int, rows: int) -> Room:
        return Room(*(np.empty((width, rows), dtype)
                      for dtype in (np.int64, np.uint8, np.int32, np.int32)),
                    np.empty(width * rows + len(MORE), np.int32))

    @property
    def rows(self) -> int:
        return self.words.shape[1]


@dataclass
class Cells:
    """The cells of a block."""

    text: np.ndarray
    kinds: np.ndarray
    room: Room
    rows: int = 0

    def column(self, number: int) -> pa.Array:
        """A column's values; null for a cell with nothing in it."""
        if self.kinds[number] == TEXT:
            return self.texts(number)
        states = self.room.states[number, :self.rows]
        missing = states == NOTHING if states.any() else None
        return pa.array(self._values(number, states), mask=missing)

    def texts(self, number: int) -> pa.Array:
        return self._texts(self.room.starts[number, :self.rows], self.room.ends[number, :self.rows])

    def _values(self, number: int, states: np.ndarray) -> np.ndarray:
        values = self.room.words[number, :self.rows]
        if self.kinds[number] == TRUTH:
            return values.astype(np.bool_)
        # The room is used again for the next block.
        values = large_pages.copy(values)
        if self.kinds[number] != DECIMAL:
            return values
        values = values.view(np.float64)
        late = np.flatnonzero(states == LATER)
        if len(late):
            values[late] = self._texts(self.room.starts[number, late],
                                       self.room.ends[number, late]).cast(pa.float64())
        return values

    def _texts(self, starts: np.ndarray, ends: np.ndarray) -> pa.Array:
        offsets = np.zeros(len(starts) + 1, np.int32)
        doubled = sizes(starts, ends, offsets)
        data = large_pages.array(offsets[-1] + len(MORE), np.uint8)
        if doubled:
            copy_undoubled(self.text, starts, ends, offsets, data)
        else:
            copy(self.text, starts, offsets, data)
        there = starts != NOWHERE
        mask = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
        return pa.Array.from_buffers(pa.string(), len(starts), [
            mask, pa.py_buffer(offsets), pa.py_buffer(data)])
