"""Parts of files that can be read alone: byte ranges of lines, row groups of Parquet.

Read one after another they give what the whole source gives, malformed rows and their places too.
A line belongs to the split in which it begins. A row of CSV with quotes may go over several lines;
such a file is split where rows begin, or not at all if only its rows tell where that is.

A split is read item by item, or in columns. Where anything is out of the ordinary, columns raise,
and only the reading of items can tell what is wrong, if anything is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice, pairwise
from typing import BinaryIO

import pyarrow as pa

from anabranch.core.lazy import compute as pc
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.columns import columns_of
from anabranch.io.csv import columns as csv_columns
from anabranch.io.csv import files as csv
from anabranch.io.csv.cells import CsvCells
from anabranch.io.csv.records import row_starts
from anabranch.io.files.packing import opened_text
from anabranch.io.files.paths import base_of, opened
from anabranch.io.files.sources import FileSource
from anabranch.io.files.stores import absolute, size_of
from anabranch.io.jsonl import columns as jsonl_columns
from anabranch.io.jsonl import files as jsonl
from anabranch.io.parquet import columns as parquet_columns
from anabranch.io.parquet import files as parquet
from anabranch.io.rows import BadRows, RowError, TimeOrder
from anabranch.io.text import columns as plain
from anabranch.io.text import files as text_lines


@dataclass(frozen=True)
class Split:
    """A part of a file. `file` is its name as the user knows it, `path` where any process finds it;
    `start` and `end` are bytes of a text, or row groups; `undivided` says why it is a whole file
    although that is large."""

    source: FileSource
    file: str
    path: str
    start: int
    end: int
    undivided: str = ""

    def items(self, rows: BadRows, order: TimeOrder | None = None) -> Iterator[object]:
        order = order or TimeOrder(self.source.time)
        if not self.source.can_be_split(self.path):
            return self._whole(rows, order)
        return _READ[self.source.format](self, rows, order)

    def _whole(self, rows: BadRows, order: TimeOrder) -> Iterator[object]:
        fixed = self.source.fixed(self.path)
        with opened_text(self.path, self.source.span) as stream:
            yield from self.source.read(stream, self.file, order, rows, fixed)

    def extracts(self, wanted: Names | None = None) -> Iterator[Extract]:
        """The same items in columns, of which those that are not wanted may stay unread. Where
        anything is out of the ordinary it raises, and only the reading of items can tell what is
        wrong, if anything is."""
        return extracts(self, wanted)


def splits_of(source: FileSource, size: int, files: Iterable[str] | None = None) -> list[Split]:
    """The files of a source in order, or these of them, in parts of about `size` bytes."""
    # Where it is read, another folder may be the current one.
    there = replace(source, base=absolute(source.base or base_of(source.path)))
    return [Split(there, file, absolute(file), *part)
            for file in (source.files() if files is None else files)
            for part in _ranges(source, file, size)]


def why_in_rows(source: FileSource, files: Iterable[str], size: int, worth_loops: int
                ) -> str | None:
    """Why parts of so many bytes are read item by item; None if they are read in columns as far as
    they are plain. JSON Lines are where they have as many bytes as are `worth_loops`."""
    if any(source.fixed(file) for file in files):
        return "some fields are given by the names of folders"
    if source.format not in _EXTRACTS or not all(source.can_be_split(file) for file in files):
        return "it is read as a whole, or in a format without columns"
    if source.format == "jsonl" and jsonl_columns.has_plain_columns(source.type):
        return "it is too short for compiled loops" if size < worth_loops else None
    plain_values = parquet_columns.are_scalars(source.type) if source.format == "parquet" else (
        source.format == "csv" and plain.has_plain_columns(source.type))
    return None if plain_values else "it has values that have no plain column"


def _ranges(source: FileSource, file: str, size: int) -> list[tuple]:
    return (_group_ranges if source.format == "parquet" else _byte_ranges)(source, file, size)


def _byte_ranges(source: FileSource, file: str, size: int) -> list[tuple[int, int, str]]:
    length = size_of(file)
    if not source.can_be_split(file):
        return [(0, length, source.why_whole() or "its format is read from the beginning")]
    count = max(1, round(length / size))
    edges = [length * n // count for n in range(count + 1)]
    if source.format == "csv" and count > 1:
        inner = row_starts(file, edges[1:-1], source.dialect.delimiter)
        if isinstance(inner, str):
            return [(0, length, inner)]
        edges = list(dict.fromkeys([0, *inner, length]))
    return [(start, end, "") for start, end in pairwise(edges)]


def _group_ranges(source: FileSource, file: str, size: int) -> list[tuple[int, int]]:
    groups = parquet.group_sizes(file, source.span)
    ranges, start, held = [], 0, 0
    for number, length in enumerate(groups, 1):
        held += length
        if held >= size or number == len(groups):
            ranges.append((start, number))
            start, held = number, 0
    return ranges or [(0, 0)]


def _jsonl_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        lines = lines_between(stream, split.start, split.end)
        return jsonl.read(lines, split.file, split.source.type, order, rows, first_line,
                          split.source.fixed(split.path))
    return _with_line_numbers(split, order, read)


def _text_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        lines = lines_between(stream, split.start, split.end)
        return text_lines.read(lines, split.file, order, rows, first_line)
    return _with_line_numbers(split, order, read)


def _csv_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        given, dialect = (split.file, split.source.type, order, rows), split.source.dialect
        fixed = split.source.fixed(split.path)
        lines = lines_between(stream, split.start, split.end)
        if split.start == 0:
            return csv.read(lines, *given, fixed, dialect)
        stream.seek(0)
        header = csv.header(stream, split.file, split.source.type, dialect, fixed)
        return csv.read_rows(lines, header, *given, first_line, fixed, dialect)
    return _with_line_numbers(split, order, read)


def _with_line_numbers(split: Split, order: TimeOrder, read: Callable) -> Iterator[object]:
    """The items; lines before the split are counted only when an error has to name a line."""
    before = copy(order)
    with opened(split.path, split.source.span) as stream:
        try:
            yield from read(stream, order, 1 if split.start == 0 else UNKNOWN)
        except RowError:
            if split.start == 0:
                raise
            first = 1 + sum(1 for _ in lines_between(stream, 0, split.start))
            deque(read(stream, before, first), maxlen=0)
            raise


UNKNOWN = 2
"""The number of some line that is not the first."""


def _parquet_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    return parquet.read_groups(split.source, split.path, range(split.start, split.end), order, rows,
                               split.file)


_READ = {"csv": _csv_items, "jsonl": _jsonl_items, "parquet": _parquet_items,
         "text": _text_items}


def extracts(split: Split, wanted: Names | None) -> Iterator[Extract]:
    """The items of a split in columns, of which those that are not wanted may stay unread."""
    if not split.source.can_be_split(split.path):
        raise plain.Unusual("a file that is read as a whole")
    if split.source.fixed(split.path):
        raise plain.Unusual("fields that the file does not have")
    time, last = split.source.time, None
    needed = wanted if wanted is None or time is None else wanted | {time}
    read = _EXTRACTS.get(split.source.format)
    if read is None:
        raise plain.Unusual("a format that is read row by row")
    for extract in read(split, needed):
        last = _checked(extract.batch, time, last)
        yield extract


def _csv_extracts(split: Split, wanted: Names | None) -> Iterator[Extract]:
    item = split.source.type
    read = frozenset(columns_of(item)) - plain.unread(item, wanted)
    for number, batch in enumerate(_csv_batches(split, wanted)):
        yield Extract(batch, read, partial(_whole_csv, split, number))


def _csv_batches(split: Split, wanted: Names | None = None) -> Iterator[pa.RecordBatch]:
    if not plain.has_plain_columns(split.source.type):
        raise plain.Unusual("values that have no plain column")
    cells = CsvCells(split.source.type, split.source.dialect)
    with opened(split.path, split.source.span) as stream:
        header = stream.readline() if cells.dialect.header else b""
        text = text_between(stream, max(split.start, len(header)), split.end)
    return csv_columns.part_batches(text, header, cells, wanted)


def _whole_csv(split: Split, number: int) -> pa.RecordBatch:
    return next(islice(_csv_batches(split), number, None))


def _jsonl_extracts(split: Split, wanted: Names | None) -> Iterator[Extract]:
    for number, extract in enumerate(_jsonl_parts(split, wanted)):
        yield replace(extract, whole=partial(_whole_jsonl, split, number))


def _jsonl_parts(split: Split, wanted: Names | None = None) -> Iterator[Extract]:
    with opened(split.path, split.source.span) as stream:
        text = text_between(stream, split.start, split.end)
    return jsonl_columns.part_extracts(text, split.source.type, wanted)


def _whole_jsonl(split: Split, number: int) -> pa.RecordBatch:
    return next(islice(_jsonl_parts(split), number, None)).batch


def _parquet_extracts(split: Split, wanted: Names | None) -> Iterator[Extract]:
    if not parquet_columns.are_scalars(split.source.type):
        raise plain.Unusual("values that have no plain column")
    return parquet_columns.extracts(split.source.type, [split.path], split.source.span, wanted,
                                    range(split.start, split.end))


def _checked(batch: pa.RecordBatch, time: str | None, last: object) -> object:
    """The last time. Refuses what a look at single values has to settle: NaN, and times that are
    missing or go back."""
    for column in batch.columns:
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise plain.Unusual("NaN")
    if time is None or not len(batch):
        return last
    times = batch.column(time)
    ordered = last is None or times[0].as_py() is None or last <= times[0].as_py()
    if times.null_count or not ordered or pc.any(pc.greater(times[:-1], times[1:])).as_py():
        raise plain.Unusual("a time that is missing, or goes back")
    return times[-1].as_py()


_EXTRACTS = {"csv": _csv_extracts, "jsonl": _jsonl_extracts, "parquet": _parquet_extracts}


def lines_between(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    r"""The lines that begin there.

    >>> from io import BytesIO
    >>> list(lines_between(BytesIO(b"ab\ncd\nef\n"), 1, 4))
    [b'cd\n']
    """
    at = _first_line(stream, start)
    while at < end and (line := stream.readline()):
        at += len(line)
        yield line


def text_between(stream: BinaryIO, start: int, end: int) -> bytes:
    """The same lines as one text."""
    begin = _first_line(stream, start)
    text = stream.read(max(0, end - begin))
    return text if not text or text.endswith(b"\n") else text + stream.readline()


def _first_line(stream: BinaryIO, start: int) -> int:
    """Goes to the first line that begins at a place or behind it, and says where that is."""
    stream.seek(max(0, start - 1))
    # The line around the first byte belongs to the part before, unless it begins just there.
    return stream.tell() + (len(stream.readline()) if start else 0)
