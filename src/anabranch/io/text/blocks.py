"""Large texts in columns: blocks of rows, which compiled loops take apart.

Where a block ends is guessed: at a line end. Whoever reads it knows where its last row really ends:
a cell of CSV in quotes may go on behind it. Several threads read ahead; what they read of a block
that does not begin where the one before it ends is dropped. The cells of a block are in arrays that
are used again for the next one; texts are copied one behind the other.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pyarrow as pa
from numba import njit

from anabranch.core.once import once
from anabranch.io.ahead import WorkAhead
from anabranch.io.arrow import large_pages
from anabranch.io.arrow.arrays import numbers
from anabranch.io.arrow.extract import Extract, Names, with_nulls
from anabranch.io.columns import columns_of
from anabranch.io.text.columns import check_encoding
from anabranch.io.text.scan import DECIMAL, LATER, NOTHING, NOWHERE, ODD, TEXT, TRUTH, copied
from anabranch.ir.types import Type

ROWS_OF_A_BLOCK = 60_000
"""About one slice of a kernel, whose columns fit into a core's memory."""

BYTES_OF_A_BLOCK = 1 << 22
"""A block has no more bytes than this, unless it is a single row."""

SAMPLE = 1 << 16


def mapped(file: str) -> mmap.mmap:
    """The text of a file, which must not be empty."""
    with open(file, "rb") as opened:
        return mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)


@dataclass(frozen=True)
class TextBlock:
    """The rows of a block, and where the row behind them begins."""

    batch: pa.RecordBatch
    end: int


@dataclass(frozen=True, eq=False)
class TextRows:
    """The rows of a text for items of a type, some columns of which stay unread; `rooms` are those
    that no thread uses now. Each format knows how its rows are taken apart."""

    text: mmap.mmap | bytes
    item: Type
    unread: Names = frozenset()
    rooms: deque[CellArrays] = field(default_factory=deque)

    @property
    def shortest(self) -> int:
        """So many bytes a row has at least."""
        raise NotImplementedError

    @property
    def kinds(self) -> np.ndarray:
        """What is to be made of each column of the text."""
        raise NotImplementedError

    def scanned(self, cells: Cells, size: int, is_last: bool) -> int:
        """Takes a block of so many bytes apart; where its last row ends. `Unusual` for a row that
        only the reading of rows can judge."""
        raise NotImplementedError

    def column(self, cells: Cells, name: str) -> pa.Array | None:
        """A column's values, None for one that is not read."""
        raise NotImplementedError

    @property
    def end(self) -> int:
        return len(self.text)

    @once
    def bytes(self) -> np.ndarray:
        return np.frombuffer(self.text, np.uint8)

    def line_end(self, place: int) -> int:
        """Behind the first line end from a place on."""
        found = self.text.find(b"\n", place - 1)
        return self.end if found < 0 else found + 1

    def block(self, begin: int, end: int) -> TextBlock:
        """The rows from one place up to another one, as far as they are whole; any thread may read
        them."""
        room = self._room(end - begin)
        try:
            cells = Cells(self._text(begin, end), self.kinds, room)
            at = self.scanned(cells, end - begin, end == self.end)
            check_encoding(cells.text[:at])
            arrays = [self.column(cells, name) for name in columns_of(self.item)]
            return TextBlock(with_nulls(arrays, cells.rows, self.item), begin + at)
        finally:
            self.rooms.append(room)
            self._let_go(begin, end)

    def extracts(self, begin: int, threads: int, rows: int) -> Iterator[Extract]:
        """All from a place on, in blocks of about so many rows."""
        return (extract for extract, _ in self.placed(begin, threads, rows))

    def placed(self, begin: int, threads: int, rows: int) -> Iterator[tuple[Extract, int]]:
        """The same, each with the place where the row behind it begins."""
        read = frozenset(columns_of(self.item)) - self.unread
        whole = replace(self, unread=frozenset())
        size = min(BYTES_OF_A_BLOCK, rows * self.row_size(begin))
        for start, found in _blocks(self, begin, size, threads):
            yield Extract(found.batch, read, partial(_again, whole, start, found.end)), found.end

    def row_size(self, begin: int) -> int:
        """About how many bytes a row has, by the first ones."""
        sample = self.text[begin:begin + SAMPLE]
        return max(1, len(sample) // (sample.count(b"\n") + 1))

    def _let_go(self, begin: int, end: int) -> None:
        """Gives a part's memory back at once, or the whole file would be resident, and given back
        by whoever is the last to know of it, while everybody waits. It can still be read again."""
        first, last = -(-begin // mmap.PAGESIZE), end // mmap.PAGESIZE
        if isinstance(self.text, mmap.mmap) and first < last:
            self.text.madvise(mmap.MADV_DONTNEED, first * mmap.PAGESIZE,
                              (last - first) * mmap.PAGESIZE)

    def _room(self, size: int) -> CellArrays:
        """A room that is large enough, and that nobody else uses."""
        rows = size // self.shortest + 2
        try:
            room = self.rooms.pop()
        except IndexError:
            return CellArrays.of(len(self.kinds), rows)
        return room if room.rows >= rows else CellArrays.of(len(self.kinds), rows)

    def _text(self, begin: int, end: int) -> np.ndarray:
        """A part of the text, and the few bytes more that it takes to look at eight at a time; the
        last line need not have an end."""
        if end + len(MORE) <= len(self.bytes):
            return self.bytes[begin:end + len(MORE)]
        text = np.concatenate([self.bytes[begin:end], MORE])
        # Like the text itself, for which the loops are compiled.
        text.flags.writeable = False
        return text


def _again(rows: TextRows, begin: int, end: int) -> pa.RecordBatch:
    return rows.block(begin, end).batch


def _blocks(rows: TextRows, begin: int, size: int, threads: int) -> Iterator[tuple[int, TextBlock]]:
    """All blocks from a place on, of about so many bytes, each with the place where it begins."""
    ahead: WorkAhead[TextBlock] = WorkAhead(threads, "reader")
    ends: deque[int] = deque()
    bytes_, guessed = size, begin
    try:
        while begin < rows.end:
            while guessed < rows.end and ahead.has_room:
                end = rows.line_end(guessed + bytes_)
                ahead.add(rows.block, guessed, end)
                ends.append(end)
                guessed = end
            guess, block = ends.popleft(), ahead.next()
            yield begin, block
            # A row that is longer than a block needs a larger one.
            begin, bytes_ = block.end, size if len(block.batch) else 2 * bytes_
            if begin != guess:
                ahead.drop()
                ends.clear()
                guessed = begin
    finally:
        ahead.close()


MORE = np.full(65, ord("\n"), np.uint8)
"""What has to stand behind a text: its last line end, and what loops look at that take 64 bytes at
a time."""


@dataclass(frozen=True)
class CellArrays:
    """Arrays for the cells of a block, with a row for each column of its text; and for places in
    the text, one for each cell and some more."""

    words: np.ndarray
    states: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    places: np.ndarray

    @staticmethod
    def of(width: int, rows: int) -> CellArrays:
        return CellArrays(*(np.empty((width, rows), dtype)
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
    room: CellArrays
    rows: int = 0

    def column(self, number: int, decoded: Callable[[str], object] = str) -> pa.Array:
        """A column's values; null for a cell with nothing in it. Numbers in another notation are
        `decoded` once for each text."""
        if self.kinds[number] == TEXT:
            return self.texts(number)
        states = self.room.states[number, :self.rows]
        missing = states == NOTHING if states.any() else None
        values = self._values(number, states)
        odd = np.flatnonzero(states == ODD) if missing is not None else ()
        if len(odd):
            cells = self._texts(self.room.starts[number, odd], self.room.ends[number, odd])
            coded = cells.dictionary_encode("encode")
            found = list(map(decoded, coded.dictionary.to_pylist()))
            places = numbers(coded.indices)
            missing[odd] = np.array([value is None for value in found])[places]
            values[odd] = np.array([0 if value is None else value for value in found],
                                   values.dtype)[places]
        return pa.array(values, mask=missing)

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
            copy_undoubled_texts(self.text, starts, ends, offsets, data)
        else:
            copy_texts(self.text, starts, offsets, data)
        there = starts != NOWHERE
        mask = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
        return pa.Array.from_buffers(pa.string(), len(starts), [
            mask, pa.py_buffer(offsets), pa.py_buffer(data)])


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
def copy_texts(text, starts, offsets, data):
    """Copies the texts to their places; there must be room for eight bytes more."""
    for row in range(len(starts)):
        first = np.int64(starts[row])
        copied(data, np.int64(offsets[row]), text, first, first + offsets[row + 1] - offsets[row])


@njit(nogil=True, _nrt=False, cache=True)
def copy_undoubled_texts(text, starts, ends, offsets, data):
    """Copies the texts, each doubled quote as one; `offsets` becomes where they begin then."""
    at = 0
    for row in range(len(starts)):
        offsets[row], place, last = at, starts[row], abs(ends[row])
        while place != NOWHERE and place < last:
            data[at] = text[place]
            place += 2 if ends[row] < 0 and text[place] == QUOTE else 1
            at += 1
    offsets[len(starts)] = at
