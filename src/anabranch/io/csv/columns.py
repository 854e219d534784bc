"""CSV as record batches, for files that need no second look.

Arrow and Python agree on what a row is in a text without quotes and carriage returns, and on
numbers, but for two: Arrow reads 0x10 as a number, and nan(1) as NaN. Where the first could be, and
for times, cells are read as text, and must be written in the usual way. For anything else it
raises, and the rows are read one by one. Large files are read by `blocks`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv

from anabranch.core.errors import AnabranchError
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names, with_nulls
from anabranch.io.columns import columns_of
from anabranch.io.csv.cells import CsvCells
from anabranch.io.csv.dialect import USUAL, Dialect
from anabranch.io.files.packing import RATIO, codec_of, opened_text
from anabranch.io.text.columns import MARKS, Unusual, check_encoding, unread
from anabranch.io.text.lines import BYTE_ORDER_MARK
from anabranch.ir.types import BOOL, FLOAT, INT, Type, without_none
from anabranch.plan.tuning import costs

if TYPE_CHECKING:
    from anabranch.io.text.stretches import ReadRows, Stretch

LOOPS = "anabranch.io.text.scan"

BLOCK, SMALL_BLOCK, FIRST_BLOCK = 4 << 20, 1 << 18, 1 << 15
"""So many bytes are read at once; of small files less, and at first even less, so that their first
rows are soon there."""

NUMBERS = {INT: pa.int64(), FLOAT: pa.float64(), BOOL: pa.bool_()}
SPACED = "{}", " {}", "{} ", " {} "
TRUE, FALSE = ([cell.format(text) for text in texts for cell in SPACED]
               for texts in (("1", "true", "True", "TRUE"), ("0", "false", "False", "FALSE")))
"""What Arrow is to take for bools: around numbers alone it reads over spaces."""

HEXADECIMAL = (b"x", b"X")
NOT_EMPTY = re.compile(rb"[^\n]")


def is_plain(file: str, item: Type, dialect: Dialect = USUAL) -> bool:
    """Whether the file can be read in columns, as far as that is known before it is read."""
    known, least = os.stat(file), costs().bytes_worth_loops
    if codec_of(file) is not None:
        return known.st_size >= least // RATIO and _has_names(file, item, dialect)
    is_large = _by_loops(known.st_size) or known.st_size >= least
    return _is_plain(file, item, dialect, known.st_size, is_large,
                     (known.st_ino, known.st_mtime_ns))


def _has_names(file: str, item: Type, dialect: Dialect) -> bool:
    with suppress(AnabranchError), opened_text(file) as opened:
        header = next(iter(dialect.lines(opened, file)), b"")
        return CsvCells(item, dialect).names(header) is not None
    return False


def _halves(file: str, cells: CsvCells) -> tuple[bytes, bytes]:
    """The header of a file, and its rows."""
    with open(file, "rb") as opened:
        text = b"".join(cells.dialect.parts(opened, file, -1))
    begin = cells.begin(text)
    return text[:begin], text[begin:]


@lru_cache(maxsize=4096)
def _is_plain(file: str, item: Type, dialect: Dialect, size: int, is_large: bool,
              version: tuple[int, int]) -> bool:
    """The same of a `version` of the file: it is asked several times before a run. A large one may
    have any marks; a pipe has no size, and is read only once."""
    if size == 0:
        return False
    if is_large:
        return _has_names(file, item, dialect)
    cells = CsvCells(item, dialect)
    with suppress(AnabranchError):
        header, text = _halves(file, cells)
        return cells.names(header) is not None and not _has_marks(cells.usual(text))
    return False


def _by_loops(size: int) -> bool:
    """Whether compiled loops take a file of so many bytes apart, if it is a plain text."""
    return size >= (costs().bytes_worth_loops if LOOPS in sys.modules else costs().csv_worth_numba)


def _has_marks(text: bytes) -> bool:
    return any(mark in text for mark in MARKS)


def part_batches(text: bytes, header: bytes, cells: CsvCells, wanted: Names | None = None,
                 first: int = BLOCK, block: int = BLOCK) -> Iterator[pa.RecordBatch]:
    """The rows of some lines of a file with this header, with nulls for texts that are not wanted;
    `Unusual` when they are not plain. Whatever is wanted, the batches have the same rows."""
    names, text = cells.names(header), cells.usual(text)
    if names is None or _has_marks(text):
        raise Unusual("quotes, line ends or names that are not plain")
    check_encoding(text)
    # A single letter is found much faster than two.
    numbers = not any(x in text and b"0" + x in text for x in HEXADECIMAL)
    end = text.find(b"\n", first) + 1 or len(text)
    if text.startswith(BYTE_ORDER_MARK) or text.startswith(BYTE_ORDER_MARK, end):
        raise Unusual("a mark in a row that Arrow would leave out")
    whole = pa.py_buffer(text)
    return chain.from_iterable(
        _read(whole[start:stop], cells, names, numbers, unread(cells.item, wanted), block)
        for start, stop in ((0, end), (end, len(text))) if NOT_EMPTY.search(text, start, stop))


def extracts(file: str, item: Type, wanted: Names | None, threads: int, dialect: Dialect = USUAL
             ) -> Iterator[Extract]:
    """The rows of a plain file, which begins with its header; of a large one only what is wanted.
    """
    size, cells = os.path.getsize(file), CsvCells(item, dialect)
    if not _by_loops(size):
        header, text = _halves(file, cells)
        if size < costs().bytes_worth_loops or not _has_marks(cells.usual(text)):
            return _by_arrow(file, cells, wanted, header, text)
    # Numba takes half a second to import.
    from anabranch.io.csv import blocks as csv_blocks

    return csv_blocks.extracts(file, item, wanted, threads, dialect=dialect)


def parts(file: str, item: Type, wanted: Names | None, threads: int, read: ReadRows,
          where: Span | None, dialect: Dialect = USUAL) -> Iterator[Extract | Stretch]:
    """The same, also of a file that is compressed or in another encoding; rows that only the
    reading of rows can judge are in stretches, or, of a small file, behind an error."""
    lines = 0
    if codec_of(file) is None and not _by_loops(os.path.getsize(file)):
        lines = yield from _before_odd(file, CsvCells(item, dialect), wanted)
        if lines is None:
            return
    # Numba takes half a second to import.
    from anabranch.io.csv import blocks as csv_blocks

    if is_in_parts(file, dialect):
        yield from csv_blocks.unpacked(file, item, wanted, threads, read, where, dialect)
    else:
        yield from csv_blocks.parts(file, item, wanted, threads, read, lines, dialect)


def is_in_parts(file: str, dialect: Dialect) -> bool:
    """Whether a file is unpacked, or decoded, part by part."""
    return codec_of(file) is not None or not dialect.is_utf8


def _before_odd(file: str, cells: CsvCells, wanted: Names | None
                ) -> Generator[Extract, None, int | None]:
    """What Arrow reads of a file without quotes; the lines behind its header that this is, None for
    all. An error is passed on where so little is left that it is better read one by one."""
    header, text = _halves(file, cells)
    if len(text) >= costs().bytes_worth_loops and _has_marks(cells.usual(text)):
        return 0
    done = 0
    try:
        for extract in _by_arrow(file, cells, wanted, header, text):
            done += len(extract.batch)
            yield extract
        return None
    except Exception:
        if is_in_parts(file, cells.dialect) or (
                len(text) * (1 - done / max(1, text.count(b"\n"))) < costs().bytes_worth_loops):
            raise
    return _lines_of(text, done)


def _lines_of(text: bytes, rows: int) -> int:
    r"""How many lines the first rows of a text without quotes take: blank ones are no rows.

    >>> _lines_of(b"1,2\n\n3,4\n5,6\n", 2)
    3
    """
    filled = np.flatnonzero(np.diff(np.flatnonzero(
        np.frombuffer(b"\n" + text, np.uint8) == ord("\n"))) > 1)
    return int(filled[rows - 1]) + 1 if rows else 0


def _by_arrow(file: str, cells: CsvCells, wanted: Names | None, header: bytes, text: bytes
              ) -> Iterator[Extract]:
    read = frozenset(columns_of(cells.item)) - unread(cells.item, wanted)
    for number, batch in enumerate(_batches(header, text, cells, wanted)):
        yield Extract(batch, read, partial(_whole, file, cells, number))


def _batches(header: bytes, text: bytes, cells: CsvCells, wanted: Names | None = None
             ) -> Iterator[pa.RecordBatch]:
    return part_batches(text, header, cells, wanted, FIRST_BLOCK, SMALL_BLOCK)


def _whole(file: str, cells: CsvCells, number: int) -> pa.RecordBatch:
    return next(islice(_batches(*_halves(file, cells), cells), number, None))


def _read(text: pa.Buffer, cells: CsvCells, names: tuple[str, ...], numbers: bool, left_out: Names,
          block: int) -> Iterator[pa.RecordBatch]:
    """The rows of a text that has columns of these names; with `numbers` Arrow reads them itself.
    """
    columns, known = columns_of(cells.item), NUMBERS if numbers else {}
    read = [name for name in columns if name not in left_out] or [next(iter(columns))]
    convert = csv.ConvertOptions(
        column_types={name: known.get(without_none(kind), pa.string())
                      for name, kind in columns.items()},
        include_columns=read, null_values=cells.null, strings_can_be_null=True,
        true_values=TRUE, false_values=FALSE)
    options = csv.ReadOptions(block_size=block, column_names=names)
    parse = csv.ParseOptions(quote_char=False, delimiter=cells.dialect.delimiter)
    with csv.open_csv(pa.BufferReader(text), options, parse, convert) as reader:
        for batch in reader:
            arrays = {name: cells.column(name, batch.column(name), by_arrow=True) for name in read}
            yield with_nulls(map(arrays.get, columns), len(batch), cells.item)
