"""Large CSV files in columns: blocks of rows, which compiled loops take apart.

Where a block ends is guessed: at a line end. Whoever reads it knows where its last row really ends:
a cell in quotes may go on behind it. Several threads read ahead; what they read of a block that
does not begin where the one before it ends is dropped.
"""

from __future__ import annotations

import mmap
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
import pyarrow as pa

from anabranch.io import csv_scan
from anabranch.io.columns import columns_of
from anabranch.io.csv_cells import Unusual, check_encoding, converted, plain_names, unread
from anabranch.io.csv_room import MORE, Cells, Room
from anabranch.io.extracts import Extract, Names, with_nulls
from anabranch.ir.types import FLOAT, INT, Type, without_none

BLOCK = 60_000
"""A block has about so many rows: one slice of a kernel, whose columns fit into a core's memory."""

SAMPLE = 1 << 16
KINDS = {INT: csv_scan.WHOLE, FLOAT: csv_scan.DECIMAL}


def extracts(file: str, item: Type, wanted: Names | None = None, threads: int = 1,
             block: int = BLOCK) -> Iterator[Extract]:
    """The rows of a file that begins with its header, in blocks of about so many rows; `Unusual`
    for a row that only the reading of rows can judge."""
    with open(file, "rb") as opened:
        text = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    header = text.readline()
    rows = Rows(text, plain_names(header, item), item, unread(item, wanted))
    whole, size = replace(rows, unread=frozenset()), block * _row_size(text, len(header))
    for begin, found in blocks(rows, len(header), size, threads):
        yield Extract(found.batch, frozenset(columns_of(item)) - rows.unread,
                      partial(_again, whole, begin, found.end))


def _row_size(text: mmap.mmap, begin: int) -> int:
    """About how many bytes a row has, by the first ones."""
    sample = text[begin:begin + SAMPLE]
    return max(1, len(sample) // (sample.count(b"\n") + 1))


def _again(rows: Rows, begin: int, end: int) -> pa.RecordBatch:
    return rows.block(begin, end).batch


def blocks(rows: Rows, begin: int, size: int, threads: int) -> Iterator[tuple[int, Block]]:
    """All blocks from a place on, each with the place where it begins."""
    pool = ThreadPoolExecutor(threads, "anabranch reader")
    ahead: deque[tuple[int, Future]] = deque()
    bytes_, guessed = size, begin
    try:
        while begin < rows.end:
            while guessed < rows.end and len(ahead) <= threads:
                end = rows.line_end(guessed + bytes_)
                ahead.append((end, pool.submit(rows.block, guessed, end)))
                guessed = end
            guess, future = ahead.popleft()
            block = future.result()
            yield begin, block
            # A row that is longer than a block needs a larger one.
            begin, bytes_ = block.end, size if len(block.batch) else 2 * bytes_
            if begin != guess:
                _drop(ahead)
                guessed = begin
    finally:
        pool.shutdown(cancel_futures=True)


def _drop(ahead: deque[tuple[int, Future]]) -> None:
    while ahead:
        ahead.pop()[1].cancel()


@dataclass(frozen=True)
class Block:
    """The rows of a block, and where the row behind them begins."""

    batch: pa.RecordBatch
    end: int


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a text that has columns of these names, for items of a type, some columns of
    which stay unread; `rooms` are those that no thread uses now."""

    text: mmap.mmap
    names: list[str]
    item: Type
    unread: Names = frozenset()
    rooms: deque[Room] = field(default_factory=deque)

    @property
    def end(self) -> int:
        return len(self.text)

    @cached_property
    def bytes(self) -> np.ndarray:
        return np.frombuffer(self.text, np.uint8)

    @cached_property
    def kinds(self) -> np.ndarray:
        """What is to be made of each column of the text."""
        columns = columns_of(self.item)
        return np.array([KINDS.get(without_none(columns[name]), csv_scan.TEXT)
                         if name in columns and name not in self.unread else csv_scan.SKIPPED
                         for name in self.names], np.int8)

    def line_end(self, place: int) -> int:
        """Behind the first line end from a place on."""
        found = self.text.find(b"\n", place - 1)
        return self.end if found < 0 else found + 1

    def block(self, begin: int, end: int) -> Block:
        """The rows from one place up to another one, as far as they are whole; any thread may read
        them."""
        room = self._room(end - begin)
        try:
            cells = Cells(self._text(begin, end), self.kinds, room)
            at, ended = cells.scanned(end - begin)
            if ended == csv_scan.DOUBTFUL or (ended == csv_scan.UNFINISHED and end == self.end):
                raise Unusual("a row that is not plain")
            check_encoding(cells.text[:at])
            arrays = [None if name in self.unread else converted(
                cells.column(self.names.index(name)), kind)
                for name, kind in columns_of(self.item).items()]
            return Block(with_nulls(arrays, cells.rows, self.item), begin + at)
        finally:
            self.rooms.append(room)

    def _room(self, size: int) -> Room:
        """A room that is large enough, and that nobody else uses."""
        # A cell takes at least the comma or the line end behind it.
        rows = size // len(self.names) + 2
        try:
            room = self.rooms.pop()
        except IndexError:
            return Room.of(len(self.names), rows)
        return room if room.rows >= rows else Room.of(len(self.names), rows)

    def _text(self, begin: int, end: int) -> np.ndarray:
        """A part of the text, and the few bytes more that it takes to look at eight at a time; the
        last line need not have an end."""
        if end + len(MORE) <= len(self.bytes):
            return self.bytes[begin:end + len(MORE)]
        text = np.concatenate([self.bytes[begin:end], MORE])
        # Like the text itself, for which the loops are compiled.
        text.flags.writeable = False
        return text
