"""JSON Lines: one JSON value per line; an object for a record.

Blank lines are left out: those with nothing but spaces, tabs and carriage returns. Record batches
are written by Arrow where it writes a value as Python does; other values, such as text with quotes
in it, are made one by one. For a column of another type `written` gives None, and the rows are
written one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from anabranch.core.lazy import Lazy
from anabranch.core.lazy import arrow as pa
from anabranch.core.lazy import compute as pc
from anabranch.io.columns import columns_of, item_of
from anabranch.io.files.packing import codec_of
from anabranch.io.files.sinks import FileSink
from anabranch.io.files.sources import NONE, FileSource, Fixed, estimated
from anabranch.io.formats import EXTENSIONS
from anabranch.io.rows import BadRows, Row, TimeOrder, decoded
from anabranch.io.text.lines import Lines, lines_about
from anabranch.io.values.codecs import json_decoder, json_encoder
from anabranch.io.values.scalars import BadValue, json_text, parsed_json, shown
from anabranch.io.writer import Writer
from anabranch.ir.types import BOOL, FLOAT, INT, STR, RecordOf, Type, without_none

if TYPE_CHECKING:
    from anabranch.io.arrow.extract import Extract, Names
    from anabranch.io.csv.text import Pieces
    from anabranch.io.text.stretches import Stretch

csv_text, jsonl_columns = Lazy("anabranch.io.csv.text"), Lazy("anabranch.io.jsonl.columns")

BLANK = " \t\r\n"
"""A line of nothing else is no row. Other characters that Python takes for spaces are no JSON."""


@dataclass(frozen=True)
class JsonlSource(FileSource):
    format = "jsonl"
    extensions = EXTENSIONS["jsonl"]
    is_divisible = True

    def read(self, stream, file, order, rows, fixed=None):
        fixed = self.fixed(file) if fixed is None else fixed
        return read(stream, file, self.type, order, rows, fixed=fixed)

    def has_batches(self) -> bool:
        """Whether it is read in columns, which hold just what its rows would."""
        return (jsonl_columns.has_plain_columns(self.type) and not self.has_fixed
                and self.are_here()
                and jsonl_columns.are_large(self.files()))

    def rows_about(self) -> int:
        return estimated(lines_about, self.files())

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns, read by so many threads; those that are not `wanted` may stay
        unread."""
        if any(map(codec_of, self.files())):
            # Numba takes half a second to import.
            from anabranch.io.text.stretches import complete

            yield from complete(self.parts(wanted, threads))
            return
        for file in self.files():
            yield from jsonl_columns.extracts(file, self.type, wanted, threads)

    def parts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract | Stretch]:
        for file in self.files():
            yield from jsonl_columns.parts(file, self.type, wanted, threads,
                                           partial(self._rows_of, file), self.span)

    def _rows_of(self, file: str, lines: Iterable[bytes], number: int, rows: BadRows
                 ) -> Iterator[object]:
        return read(lines, file, self.type, TimeOrder(None), rows, number)


def read(stream: Iterable[bytes], file: str, item: Type, order: TimeOrder, rows: BadRows,
         first_line: int = 1, fixed: Fixed = NONE) -> Iterator[object]:
    """The items of one JSON Lines text, or of a part of it that begins with some other line."""
    return decoded(_rows(Lines(stream, first_line), file), _decoder(item, fixed), order, rows)


def _rows(lines: Lines, file: str) -> Iterator[Row]:
    for line in lines:
        number, raw, problem = lines.take()
        if line.strip(BLANK):
            yield Row(file, number, raw, problem or raw)


def _decoder(item: Type, fixed: Fixed) -> Callable[[str], object]:
    decode = json_decoder(item, fixed)

    def decode_line(text):
        try:
            return decode(parsed_json(text))
        except RecursionError:
            raise BadValue(str(item), shown(text), "nested too deeply") from None
    return decode_line


class JsonlWriter(Writer):
    """Writes each item as one line; an item of unknown type as what it is by itself."""

    needs_type = False
    takes_columns = makes_text = True

    def begin(self, item_type):
        self.item_type = item_type
        return json_encoder(item_type)

    def put(self, encoded):
        self.out.write(json_text(encoded) + "\n")

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Rows that are in columns, as the same text."""
        self.write_text(self.text_of(batch))

    def text_of(self, batch: pa.RecordBatch) -> bytes | memoryview:
        """The lines of a batch; any thread may make them."""
        text = written(batch, self.item_type)
        if text is not None:
            return text
        make = item_of(self.item_type)
        rows = zip(*(column.to_pylist() for column in batch.columns))
        return "".join(f"{json_text(self.encode(make(row)))}\n" for row in rows).encode()

    def write_text(self, text: bytes | memoryview) -> None:
        self.out.write_bytes(text)


@dataclass(frozen=True)
class JsonlSink(FileSink):
    format = "jsonl"
    writer = JsonlWriter


NEEDS_ESCAPES = r'["\\\x00-\x1f]'


def written(batch: pa.RecordBatch, item: Type) -> memoryview | None:
    """The lines of a batch, or None when Python has to write it."""
    columns = columns_of(item)
    cells = [_cells(column, kind) for column, kind in zip(batch.columns, columns.values())]
    if not len(batch) or any(pieces is None for pieces in cells):
        return None
    if not isinstance(item, RecordOf):
        return csv_text.text_of([*cells[0], "\n"], _float_text)
    named = [piece for name, pieces in zip(columns, cells)
             for piece in (f", {json_text(name)}: ", *pieces)]
    return csv_text.text_of(["{" + named[0].removeprefix(", "), *named[1:], "}\n"], _float_text)


def _cells(column: pa.Array, given: Type) -> Pieces | None:
    kind = without_none(given)
    if kind == STR:
        escaped = pc.match_substring_regex(column, NEEDS_ESCAPES)
        column = csv_text.replaced(column, escaped, lambda text: json_text(text)[1:-1])
        pieces = ['"', column, '"']
    elif kind == INT:
        pieces = [csv_text.whole(column)]
    elif kind == BOOL:
        pieces = [column.cast(pa.string())]
    elif kind == FLOAT:
        pieces = csv_text.floats(column, _float_text)
    else:
        return None
    return [_or_null(column, pieces)] if column.null_count else pieces


def _float_text(value: float) -> str:
    return json_text(json_encoder(FLOAT)(value))


def _or_null(column: pa.Array, pieces: Pieces) -> pa.Array:
    """The pieces of a cell as one text, or null where there is no value."""
    texts = pieces[0] if len(pieces) == 1 else pc.binary_join_element_wise(*pieces, "")
    return pc.if_else(column.is_null(), "null", texts)
