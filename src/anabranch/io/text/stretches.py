"""Columns that go on behind rows which only the reading of rows can judge.

One odd row costs itself and few around it, wherever it stands, not all that come behind it. The
texts of compressed files come in parts of whole rows, which are read in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np

from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract
from anabranch.io.files.packing import opened_text
from anabranch.io.rows import BadRows
from anabranch.io.text.blocks import ROWS_OF_A_BLOCK, TextRows
from anabranch.io.text.columns import Unusual

ReadRows = Callable[[Iterable[bytes], int, BadRows], Iterator[object]]
"""The items of some lines, the first of which has this number."""

FEW, SOME = 256, 4096
"""Rows of the shortest stretch, and of the blocks by which it is found."""

MOST = 1 << 16
"""Where odd rows are frequent, stretches grow to so many."""


@dataclass(frozen=True)
class Stretch:
    """Rows that only the reading of rows can judge: `items` reads them."""

    items: Callable[[BadRows], Iterator[object]]


class PartsOfText:
    """All rows of a text from a place on: in columns, and in stretches where they must be. There
    are `lines` in front of the text."""

    def __init__(self, rows: TextRows, begin: int, read: ReadRows, lines: int = 0):
        self.rows, self.at, self.read = rows, begin, read
        self.few, self.columns, self.counted, self.lines = FEW, 0, 0, lines

    def parts(self, threads: int, size: int = ROWS_OF_A_BLOCK) -> Iterator[Extract | Stretch]:
        is_calm = True
        while self.at < self.rows.end:
            if is_calm and (yield from self._blocks(threads, size)):
                return
            went = yield from self._blocks(1, SOME, 2 * ROWS_OF_A_BLOCK)
            went = went or (yield from self._blocks(1, FEW, 2 * SOME))
            if not went:
                yield self._stretch()
            is_calm = went

    def _blocks(self, threads: int, size: int, most: int | None = None
                ) -> Generator[Extract, None, bool]:
        """Columns as far as they go, of about so many rows; whether no row stopped them."""
        came = 0
        with suppress(Exception):
            for extract, end in self.rows.placed(self.at, threads, size):
                came += len(extract.batch)
                self.columns += len(extract.batch)
                self.at = end
                yield extract
                if most is not None and came >= most:
                    break
            return True
        return False

    def _stretch(self) -> Stretch:
        self.few = min(2 * self.few, MOST) if self.columns < self.few else FEW
        self.columns = 0
        stop = self.at + self.few * self.rows.row_size(self.at)
        self.lines += int(np.count_nonzero(self.rows.bytes[self.counted:self.at] == ord("\n")))
        self.counted = self.at
        return Stretch(partial(self._items, stop, self.lines + 1))

    def _items(self, stop: int, number: int, bad: BadRows) -> Iterator[object]:
        for item in self.read(self._lines(), number, bad):
            # Rows are taken as they are asked for, so this is where the next one begins.
            is_over = self.at >= stop
            yield item
            if is_over:
                return

    def _lines(self) -> Iterator[bytes]:
        while self.at < self.rows.end:
            begin, self.at = self.at, self.rows.line_end(self.at + 1)
            yield self.rows.text[begin:self.at]


ReadParts = Callable[[BinaryIO, int], Iterator[bytes]]
"""What gives a stream in parts of about so many bytes."""


def bytes_of(stream: BinaryIO, size: int) -> Iterator[bytes]:
    return iter(partial(stream.read, size), b"")


PART = 1 << 24
"""So many bytes of a compressed file are unpacked at once."""

MOST_LINES = 1000
"""A row in quotes has no more lines than this, where parts of a compressed file meet."""


def complete(parts: Iterator[Extract | Stretch]) -> Iterator[Extract]:
    """Columns alone; `Unusual` where they cannot be."""
    for part in parts:
        if isinstance(part, Stretch):
            raise Unusual("a row that only the reading of rows can judge")
        yield part


def unpacked_parts(file: str, where: Span | None, quote: bytes | None, part: int = PART,
                   read: ReadParts = bytes_of) -> Iterator[tuple[bytes, int]]:
    """The text of a compressed file in parts of whole rows, each with the number of lines in front
    of it; `read` gives what is unpacked in parts of lines or of bytes."""
    lines, rest = 0, b""
    with opened_text(file, where) as stream:
        for chunk in read(stream, part):
            text = rest + chunk
            end = _row_end(text, quote)
            if end:
                yield text[:end], lines
                lines += text.count(b"\n", 0, end)
            rest = text[end:]
    if rest:
        yield rest, lines


def _row_end(text: bytes, quote: bytes | None) -> int:
    """Where the last whole row ends: behind a line end before which quotes are closed.

    >>> _row_end(b'a,b\\n1,"x\\ny', b'"'), _row_end(b'a,b\\n1', b'"'), _row_end(b"a", None)
    (4, 4, 0)
    """
    end = text.rfind(b"\n") + 1
    open_ = quote is not None and text.count(quote, 0, end) % 2
    for _ in range(MOST_LINES):
        if not open_ or not end:
            return end
        before = text.rfind(b"\n", 0, end - 1) + 1
        open_ = (open_ + text.count(quote, before, end)) % 2
        end = before
    raise Unusual("quotes that are not closed")
