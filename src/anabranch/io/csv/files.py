"""CSV: a header names the columns, in any order; quoted cells may hold commas, lines.

A cell with nothing in it is None in an optional column; `""` is the empty text. Columns that the
type does not name are ignored. A blank line is left out, except in a file with a single column,
where it is a row whose cell has nothing in it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from anabranch.core.errors import DataError, did_you_mean
from anabranch.core.lazy import Lazy
from anabranch.io.columns import check_columns, columns_encoder, columns_of
from anabranch.io.csv.dialect import USUAL, Dialect
from anabranch.io.files.packing import opened_text
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import NONE, FileSource, Fixed, estimated, maker, read_columns
from anabranch.io.formats import EXTENSIONS
from anabranch.io.rows import BadRows, Row, TimeOrder, decoded
from anabranch.io.text.lines import Lines, lines_about
from anabranch.io.values.codecs import text_encoder
from anabranch.io.values.scalars import BadValue, coded_fields, shown
from anabranch.io.writer import Writer
from anabranch.ir.types import FLOAT, INT, Type

if TYPE_CHECKING:
    import pyarrow as pa

    from anabranch.io.arrow.extract import Extract, Names
    from anabranch.io.text.stretches import Stretch

arrays, plain = Lazy("anabranch.io.arrow.arrays"), Lazy("anabranch.io.text.columns")
csv_columns, csv_text = Lazy("anabranch.io.csv.columns"), Lazy("anabranch.io.csv.text")

_SPECIAL = re.compile(r'[",\r\n]')
FEW = 128
"""Fewer rows are written sooner one by one than in columns."""

# The standard reader's own limit, 128 KiB, is less than a nested value may take.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class CsvSource(FileSource):
    format = "csv"
    extensions = EXTENSIONS["csv"]
    is_divisible = True
    dialect: Dialect = USUAL

    def __post_init__(self):
        super().__post_init__()
        check_columns(self.type, "a csv file", self.span)
        self.dialect.check(self.type, self.span)

    @property
    def is_plain(self):
        return self.dialect.has_places

    def read(self, stream, file, order, rows, fixed=None):
        fixed = self.fixed(file) if fixed is None else fixed
        lines = self.dialect.lines(stream, file)
        return read(lines, file, self.type, order, rows, fixed, self.dialect)

    def has_batches(self) -> bool:
        """Whether it can be read in batches, which hold just what its rows would."""
        return (plain.has_plain_columns(self.type) and self.dialect.has_columns
                and not self.has_fixed and self.are_here()
                and all(csv_columns.is_plain(file, self.type, self.dialect)
                        for file in self.files()))

    def rows_about(self) -> int:
        header = 1 if self.dialect.header else 0
        return estimated(lambda file: max(lines_about(file) - header, 0), self.files())

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns, read by so many threads; those that are not `wanted` may stay
        unread."""
        if any(csv_columns.is_in_parts(file, self.dialect) for file in self.files()):
            # Numba takes half a second to import.
            from anabranch.io.text.stretches import complete

            yield from complete(self.parts(wanted, threads))
            return
        for file in self.files():
            yield from csv_columns.extracts(file, self.type, wanted, threads, self.dialect)

    def parts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract | Stretch]:
        for file in self.files():
            yield from csv_columns.parts(file, self.type, wanted, threads,
                                         partial(self._rows_of, file), self.span, self.dialect)

    def _rows_of(self, file: str, lines: Iterable[bytes], number: int, rows: BadRows
                 ) -> Iterator[object]:
        with opened_text(file, self.span) as stream:
            names = header(stream, file, self.type, self.dialect)
        return read_rows(lines, names, file, self.type, TimeOrder(None), rows, number,
                         dialect=self.dialect)


def read(stream: Iterable[bytes], file: str, item: Type, order: TimeOrder,
         rows: BadRows, fixed: Fixed = NONE, dialect: Dialect = USUAL) -> Iterator[object]:
    """The items of one CSV text, which begins with its header."""
    lines = Lines(stream)
    names = _header(lines, file, dialect) if dialect.header else _fields(item, fixed)
    yield from _items(lines, names, file, item, order, rows, fixed, dialect)


def header(stream: BinaryIO, file: str, item: Type, dialect: Dialect, fixed: Fixed = NONE
           ) -> list[str]:
    """The names of the columns of a CSV text."""
    if not dialect.header:
        return _fields(item, fixed)
    return _header(Lines(dialect.lines(stream, file)), file, dialect)


def _fields(item: Type, fixed: Fixed) -> list[str]:
    return list(read_columns(item, fixed))


def read_rows(stream: Iterable[bytes], names: list[str], file: str, item: Type, order: TimeOrder,
              rows: BadRows, first_line: int, fixed: Fixed = NONE, dialect: Dialect = USUAL
              ) -> Iterator[object]:
    """The items of a part of a CSV text that has no header itself."""
    return _items(Lines(stream, first_line), names, file, item, order, rows, fixed, dialect)


def _items(lines: Lines, names: list[str], file: str, item: Type, order: TimeOrder, rows: BadRows,
           fixed: Fixed, dialect: Dialect) -> Iterator[object]:
    decode = _decoder(item, names, file, fixed, dialect)
    return decoded(_rows(lines, file, len(names), dialect), decode, order, rows)


def _header(lines: Lines, file: str, dialect: Dialect) -> list[str]:
    try:
        header = next(csv.reader(lines, strict=True, **dialect.arguments), None)
    except csv.Error as error:
        raise DataError(f"the header of the CSV file is malformed: {error}", f"{file}:1") from None
    _, _, problem = lines.take()
    if not header:
        raise DataError("the CSV file has no header", f"{file}:1",
                        expected="a first line with the names of the columns",
                        got="an empty file" if header is None else "an empty line")
    if problem:
        raise DataError(f"the header of the CSV file is malformed: {problem.reason}", f"{file}:1",
                        expected=problem.expected, got=problem.got)
    return [name.strip() for name in header]


def _rows(lines: Lines, file: str, width: int, dialect: Dialect) -> Iterator[Row]:
    """The rows as lists of cells; a row that cannot be taken apart has a `BadValue` instead."""
    reader = csv.reader(lines, strict=True, **dialect.arguments)
    while True:
        try:
            cells: object = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells = BadValue("CSV", f"malformed quotes or line ends ({error})", f"not CSV: {error}")
        number, raw, problem = lines.take()
        if cells or width == 1:
            yield Row(file, number, raw, problem or _with_nothing(cells or [""], raw, dialect))


def _with_nothing(cells: list[str] | BadValue, raw: str, dialect: Dialect
                  ) -> list[str | None] | BadValue:
    """None for each cell with nothing in it, as opposed to the empty text `""`."""
    if isinstance(cells, BadValue) or "" not in cells:
        return cells
    nothing = 2 * dialect.quote
    if nothing not in raw:
        return [cell or None for cell in cells]
    quoted = [text == nothing for text in _cells_as_written(raw, dialect.cell)]
    return [cell if cell or is_quoted else None for cell, is_quoted in zip(cells, quoted)]


def _cells_as_written(raw: str, cell: re.Pattern[str]) -> list[str]:
    """The cells with their quotes.

    >>> _cells_as_written('1,"a,b",,""', USUAL.cell)
    ['1', '"a,b"', '', '""']
    """
    cells, start = [], 0
    while start <= len(raw):
        match = cell.match(raw, start)
        cells.append(match.group())
        start = match.end() + 1
    return cells


def _decoder(item: Type, header: list[str], file: str, fixed: Fixed, dialect: Dialect
             ) -> Callable[[list], object]:
    columns, make, width = read_columns(item, fixed), maker(item, fixed), len(header)
    decoders = [dialect.decoder(kind, name) for name, kind in columns.items()]
    positions = {name: _position(dialect.column(name), header, file) for name in columns}
    indices = list(positions.values())

    def decode(cells):
        if len(cells) != width:
            raise _wrong_width(width, len(cells))
        try:
            return make(coded_fields(columns, decoders, [cells[i] for i in indices]))
        except BadValue as error:
            raise error.at(positions[error.root] + 1) from None
    return decode


def _told_delimiter(header: list[str]) -> str | None:
    """What to do where the header is one cell that has other delimiters in it."""
    found = next((mark for mark in ";\t|" if len(header) == 1 and mark in header[0]), None)
    return found and f"its cells seem to be parted by {found!r}: read_csv(..., delimiter={found!r})"


def _position(name: str, header: list[str], file: str) -> int:
    if header.count(name) == 1:
        return header.index(name)
    if name in header:
        raise DataError(f"the CSV file has two columns called '{name}'", f"{file}:1")
    raise DataError(f"the CSV file has no column '{name}'", f"{file}:1", expected=f"'{name}'",
                    got=shown(", ".join(header)),
                    help=_told_delimiter(header) or did_you_mean(name, header))


def _wrong_width(wanted: int, came: int) -> BadValue:
    what = "too few cells" if came < wanted else "too many cells"
    return BadValue(f"{wanted} cells, as in the header", str(came), what)


class CsvWriter(Writer):
    """Writes a header and a line for each item; an item that is no record is the column `value`."""

    takes_columns = makes_text = True

    def begin(self, item_type):
        check_columns(item_type, "a csv file", self.where)
        self.item_type = item_type
        self.out.write(_line(columns_of(item_type)))
        return columns_encoder(item_type, text_encoder)

    def put(self, encoded):
        self.out.write(_line(encoded))

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Rows that are in columns, as the same text."""
        self.write_text(self.text_of(batch))

    def text_of(self, batch: pa.RecordBatch) -> bytes | memoryview:
        """The lines of a batch; any thread may make them."""
        kinds = list(columns_of(self.item_type).values())
        text = csv_text.written(batch, kinds) if len(batch) >= FEW else None
        if text is not None:
            return text
        cells = [_cells(column, kind) for column, kind in zip(batch.columns, kinds)]
        return "".join(f"{line}\n" for line in map(",".join, zip(*cells))).encode()

    def write_text(self, text: bytes | memoryview) -> None:
        self.out.write_bytes(text)


def _cells(column: pa.Array, kind: Type) -> Iterable[str]:
    """The cells of a column as they are written."""
    if kind == INT:
        return map(str, arrays.numbers(column).tolist())
    if kind == FLOAT:
        return map(repr, arrays.numbers(column).tolist())
    encode = text_encoder(kind)
    return (_quoted(encode(value)) for value in column.to_pylist())


def _line(cells: Iterable[str | None]) -> str:
    return ",".join(map(_quoted, cells)) + "\n"


def _quoted(cell: str | None) -> str:
    """A cell as it is written.

    >>> [_quoted(cell) for cell in (None, "", "plain", "a,b")]
    ['', '""', 'plain', '"a,b"']
    """
    if cell is None:
        return ""
    if cell and not _SPECIAL.search(cell):
        return cell
    return '"' + cell.replace('"', '""') + '"'


@dataclass(frozen=True)
class CsvSink(FileSink):
    format = "csv"
    writer = CsvWriter
