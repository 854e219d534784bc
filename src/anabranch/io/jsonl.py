"""JSON Lines: one JSON value per line; an object for a record. Blank lines are left out:
those with nothing but spaces, tabs and carriage returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from anabranch.io import jsonl_columns, jsonl_text
from anabranch.io.badrows import BadRows
from anabranch.io.badvalue import BadValue, shown
from anabranch.io.columns import item_of
from anabranch.io.decoding import json_decoder
from anabranch.io.encoding import json_encoder
from anabranch.io.extracts import Extract, Names
from anabranch.io.files import FileSink, FileSource
from anabranch.io.lines import Lines, lines_about
from anabranch.io.partitions import NONE, Fixed
from anabranch.io.rows import Row, TimeOrder, decoded
from anabranch.io.values import json_text, parsed_json
from anabranch.io.writer import Writer
from anabranch.ir.types import Type

BLANK = " \t\r\n"
"""A line of nothing else is no row. Other characters that Python takes for spaces are no JSON."""


@dataclass(frozen=True)
class JsonlSource(FileSource):
    format = "jsonl"
    extensions = (".jsonl", ".ndjson", ".json")

    def read(self, stream, file, order, rows):
        return read(stream, file, self.type, order, rows, fixed=self.fixed(file))

    def has_batches(self) -> bool:
        """Whether it is read in columns, which hold just what its rows would."""
        return (jsonl_columns.has_plain_columns(self.type) and not self.has_fixed
                and jsonl_columns.are_large(self.files()))

    def rows_about(self) -> int:
        return sum(map(lines_about, self.files()))

    def extracts(self, wanted: Names | None = None, threads: int = 1) -> Iterator[Extract]:
        """The rows in columns, read by so many threads; those that are not `wanted` may stay
        unread."""
        for file in self.files():
            yield from jsonl_columns.extracts(file, self.type, wanted, threads)


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
        text = jsonl_text.written(batch, self.item_type)
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
