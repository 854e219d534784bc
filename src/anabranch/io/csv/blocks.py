"""Large CSV files in columns, by compiled loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap

import numpy as np
import pyarrow as pa

from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.columns import columns_of
from anabranch.io.csv import scan as csv_lines
from anabranch.io.csv import scan as csv_scan
from anabranch.io.csv.cells import CsvCells
from anabranch.io.csv.dialect import USUAL, Dialect
from anabranch.io.text.blocks import ROWS_OF_A_BLOCK, Cells, TextRows, mapped
from anabranch.io.text.columns import Unusual, unread
from anabranch.io.text.scan import DECIMAL, DOUBTFUL, NOWHERE, SKIPPED, TEXT, UNFINISHED, WHOLE
from anabranch.io.text.stretches import PartsOfText, ReadRows, Stretch, unpacked_parts
from anabranch.io.values.scalars import BadValue
from anabranch.ir.types import FLOAT, INT, Type, without_none

KINDS = {INT: WHOLE, FLOAT: DECIMAL}


def extracts(file: str, item: Type, wanted: Names | None = None, threads: int = 1,
             block: int = ROWS_OF_A_BLOCK, dialect: Dialect = USUAL) -> Iterator[Extract]:
    """The rows of a file that begins with its header, in blocks of about so many rows; `Unusual`
    for a row that only the reading of rows can judge."""
    rows, begin = _rows(mapped(file), CsvCells(item, dialect), wanted)
    return rows.extracts(begin, threads, block)


def parts(file: str, item: Type, wanted: Names | None, threads: int, read: ReadRows,
          skip: int = 0, dialect: Dialect = USUAL) -> Iterator[Extract | Stretch]:
    """The same of a file but for so many lines behind its header, which have been read; rows that
    only the reading of rows can judge are in stretches."""
    rows, begin = _rows(mapped(file), CsvCells(item, dialect), wanted)
    for _ in range(skip):
        begin = rows.line_end(begin + 1)
    return PartsOfText(rows, begin, read).parts(threads)


def unpacked(file: str, item: Type, wanted: Names | None, threads: int, read: ReadRows,
             where: Span | None, dialect: Dialect = USUAL) -> Iterator[Extract | Stretch]:
    """The same of a file that is compressed, or in another encoding."""
    names, cells = None, CsvCells(item, dialect)
    parts = unpacked_parts(file, where, dialect.quote.encode(),
                           read=lambda stream, size: dialect.parts(stream, file, size))
    for text, lines in parts:
        rows, begin = _rows(text, cells, wanted, names)
        names = rows.names
        yield from PartsOfText(rows, begin, read, lines).parts(threads)


def _rows(text: mmap | bytes, cells: CsvCells, wanted: Names | None,
          names: tuple[str, ...] | None = None) -> tuple[CsvRows, int]:
    """The rows of a text, which begins with its header if the names are not known, and where they
    begin."""
    begin = cells.begin(text) if names is None else 0
    names = names or cells.names(text[:begin])
    return CsvRows(text, cells.item, unread(cells.item, wanted), names=names, meaning=cells), begin


@dataclass(frozen=True, eq=False)
class CsvRows(TextRows):
    """The rows of a text that has columns of these names, and what its cells mean."""

    names: tuple[str, ...] = ()
    meaning: CsvCells | None = None

    @property
    def shortest(self):
        # A cell takes at least the delimiter or the line end behind it.
        return len(self.names)

    @once
    def mark(self):
        return np.uint8(ord(self.csv.dialect.delimiter))

    @once
    def csv(self):
        return self.meaning or CsvCells(self.item)

    @once
    def kinds(self):
        return np.array(list(map(self._kind, self.names)), np.int8)

    def _kind(self, name: str) -> int:
        columns = columns_of(self.item)
        if name not in columns or name in self.unread:
            return SKIPPED
        return TEXT if name in self.csv.in_texts else KINDS.get(without_none(columns[name]), TEXT)

    def _text(self, begin, end):
        text = super()._text(begin, end)
        if self.csv.swapped is None:
            return text
        return np.frombuffer(text.tobytes().translate(self.csv.swapped), np.uint8)

    def scanned(self, cells: Cells, size: int, is_last: bool) -> int:
        return size if self._is_simple(cells, size) else self._cell_by_cell(cells, size, is_last)

    def _is_simple(self, cells: Cells, size: int) -> bool:
        """Takes a block apart in which line ends and delimiters are nothing else."""
        room = cells.room
        # The last line of a file need not have an end; there is one behind it.
        stop = size if cells.text[size - 1] == csv_scan.LINE_FEED else size + 1
        cells.rows = csv_lines.cell_ends(cells.text, stop, self.mark, len(cells.kinds), room.places)
        if cells.rows == NOWHERE:
            return False
        csv_lines.take(cells.text, self.mark, cells.kinds, cells.rows, room.places, room.words,
                       room.states, room.starts, room.ends)
        return True

    def _cell_by_cell(self, cells: Cells, size: int, is_last: bool) -> int:
        room = cells.room
        cells.rows, at, ended = csv_scan.scan(cells.text, size, self.mark, cells.kinds,
                                              room.words, room.states, room.starts, room.ends)
        if ended == DOUBTFUL or (ended == UNFINISHED and is_last):
            raise Unusual("a row that is not plain")
        return at

    def column(self, cells: Cells, name: str) -> pa.Array | None:
        if name in self.unread:
            return None
        try:
            found = cells.column(self.names.index(name), self.csv.decoder(name))
        except BadValue as bad:
            raise Unusual("a cell that is none of its type") from bad
        return self.csv.column(name, found, by_arrow=False)
