"""The cells of a block of CSV, in arrays that are used again for the next one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.io import csv_scan

MORE = np.full(9, ord("\n"), np.uint8)
"""What has to stand behind a text, so that loops can look at eight bytes at a time."""


@dataclass(frozen=True)
class Room:
    """Arrays for the cells of a block, with a row for each column of its text."""

    words: np.ndarray
    states: np.ndarray
    starts: np.ndarray
    ends: np.ndarray

    @staticmethod
    def of(width: int, rows: int) -> Room:
        return Room(*(np.empty((width, rows), dtype)
                      for dtype in (np.int64, np.uint8, np.int32, np.int32)))

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

    def scanned(self, stop: int) -> tuple[int, int]:
        """Takes the text apart up to a place; where it ended, and why there."""
        room = self.room
        self.rows, at, ended = csv_scan.scan(self.text, stop, self.kinds, room.words, room.states,
                                             room.starts, room.ends)
        return at, ended

    def column(self, number: int) -> pa.Array:
        """A column's values; null for a cell with nothing in it."""
        starts, ends = self.room.starts[number, :self.rows], self.room.ends[number, :self.rows]
        if self.kinds[number] == csv_scan.TEXT:
            return self._texts(starts, ends)
        # The room is used again for the next block.
        values = self.room.words[number, :self.rows].copy()
        states = self.room.states[number, :self.rows]
        if self.kinds[number] == csv_scan.DECIMAL:
            values = values.view(np.float64)
        if not states.any():
            return pa.array(values)
        late = np.flatnonzero(states == csv_scan.LATER)
        values[late] = self._texts(starts[late], ends[late]).cast(pa.float64())
        return pa.array(values, mask=states == csv_scan.NOTHING)

    def _texts(self, starts: np.ndarray, ends: np.ndarray) -> pa.Array:
        offsets = np.zeros(len(starts) + 1, np.int32)
        doubled = csv_scan.sizes(starts, ends, offsets)
        data = np.empty(offsets[-1] + len(MORE), np.uint8)
        if doubled:
            csv_scan.copy_undoubled(self.text, starts, ends, offsets, data)
        else:
            csv_scan.copy(self.text, starts, offsets, data)
        there = starts != csv_scan.NOWHERE
        mask = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
        return pa.Array.from_buffers(pa.string(), len(starts), [
            mask, pa.py_buffer(offsets), pa.py_buffer(data)])
