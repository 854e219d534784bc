"""Large CSV files as record batches: blocks of rows, which compiled loops take apart.

Where a block ends is guessed: at a line end. Whoever reads it knows where its last row really ends:
a cell in quotes may go on behind it.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from anabranch.io import csv_scan
from anabranch.io.arrow import schema_of
from anabranch.io.columns import columns_of
from anabranch.io.csv_cells import Unusual, converted, plain_names
from anabranch.ir.types import FLOAT, INT, Type, without_none

BLOCK = 1 << 22
MORE = np.full(9, ord("\n"), np.uint8)
KINDS = {INT: csv_scan.WHOLE, FLOAT: csv_scan.DECIMAL}


def batches(file: str, item: Type, size: int = BLOCK) -> Iterator[pa.RecordBatch]:
    """The rows of a file that begins with its header, in blocks of about so many bytes; `Unusual`
    for a row that only the reading of rows can judge."""
    with open(file, "rb") as opened:
        text = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    header = text.readline()
    rows = Rows(text, plain_names(header, item), item)
    begin, bytes_ = len(header), size
    while begin < len(text):
        block = rows.block(begin, _line_end(text, begin + bytes_))
        # A row that is longer than a block needs a larger one.
        begin, bytes_ = block.end, size if len(block.batch) else 2 * bytes_
        yield block.batch


def _line_end(text: mmap.mmap, place: int) -> int:
    """Behind the first line end from a place on."""
    found = text.find(b"\n", place - 1)
    return len(text) if found < 0 else found + 1


@dataclass(frozen=True)
class Block:
    """The rows of a block, and where the row behind them begins."""

    batch: pa.RecordBatch
    end: int


@dataclass(eq=False)
class Rows:
    """The rows of a text that has columns of these names, for items of a type; `room` is what was
    needed for the block before."""

    text: mmap.mmap
    names: list[str]
    item: Type
    room: Room | None = None

    @cached_property
    def bytes(self) -> np.ndarray:
        return np.frombuffer(self.text, np.uint8)

    @cached_property
    def kinds(self) -> np.ndarray:
        """What is to be made of each column of the text."""
        columns = columns_of(self.item)
        return np.array([KINDS.get(without_none(columns[name]), csv_scan.TEXT) if name in columns
                         else csv_scan.SKIPPED for name in self.names], np.int8)

    def block(self, begin: int, end: int) -> Block:
        """The rows from one place up to another one, as far as they are whole."""
        cells = Cells(self._text(begin, end), self.kinds, self._room(end - begin))
        at, ended = cells.scanned(end - begin)
        if ended == csv_scan.DOUBTFUL or (ended == csv_scan.UNFINISHED and end == len(self.text)):
            raise Unusual("a row that is not plain")
        _check_encoding(cells.text[:at])
        columns = columns_of(self.item)
        arrays = [converted(cells.column(self.names.index(name)), kind)
                  for name, kind in columns.items()]
        return Block(pa.RecordBatch.from_arrays(arrays, schema=schema_of(columns)), begin + at)

    def _room(self, size: int) -> Room:
        # A cell takes at least the comma or the line end behind it.
        rows = size // len(self.names) + 2
        if self.room is None or self.room.rows < rows:
            self.room = Room.of(len(self.names), rows)
        return self.room

    def _text(self, begin: int, end: int) -> np.ndarray:
        """A part of the text, and the few bytes more that it takes to look at eight at a time; the
        last line need not have an end."""
        if end + len(MORE) <= len(self.bytes):
            return self.bytes[begin:end + len(MORE)]
        text = np.concatenate([self.bytes[begin:end], MORE])
        # Like the text itself, for which the loops are compiled.
        text.flags.writeable = False
        return text


def _check_encoding(text: np.ndarray) -> None:
    """All of a row has to be UTF-8, also what nobody asks for."""
    if len(text) and text.max() >= 128:
        str(memoryview(text), "utf-8")


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
