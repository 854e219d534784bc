"""Parts of files that can be read alone: byte ranges of lines, row groups of Parquet.

Read one after another they give what the whole source gives, malformed rows and their places too.
A line belongs to the split in which it begins. CSV with quotes, where a row may go over several
lines, is not split within a file.
"""

from __future__ import annotations

import mmap
import os
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc

from anabranch.io import csv, csv_cells, csv_columns, jsonl, parquet
from anabranch.io.badrows import BadRows, RowError
from anabranch.io.columns import columns_of
from anabranch.io.files import FileSource
from anabranch.io.paths import opened
from anabranch.io.rows import TimeOrder
from anabranch.ir.types import Scalar, without_none


@dataclass(frozen=True)
class Split:
    """A part of a file. `file` is its name as the user knows it, `path` where any process finds it;
    `start` and `end` are bytes of a text, or row groups."""

    source: FileSource
    file: str
    path: str
    start: int
    end: int

    def items(self, rows: BadRows, order: TimeOrder | None = None) -> Iterator[object]:
        return _READ[self.source.format](self, rows, order or TimeOrder(self.source.time))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The same items as record batches. Where anything is out of the ordinary it raises, and
        only the reading of items can tell what is wrong, if anything is."""
        last = None
        for batch in _BATCHES[self.source.format](self):
            last = _checked(batch, self.source.time, last)
            yield batch


def splits_of(source: FileSource, size: int) -> list[Split]:
    """The files of a source in order, in parts of about `size` bytes."""
    return [Split(source, file, os.path.abspath(file), start, end)
            for file in source.files()
            for start, end in _RANGES[source.format](source, file, size)]


def _byte_ranges(source: FileSource, file: str, size: int) -> list[tuple[int, int]]:
    length = os.path.getsize(file)
    if source.format == "csv" and length > size and _has_quotes(file):
        return [(0, length)]
    count = max(1, round(length / size))
    edges = [length * n // count for n in range(count + 1)]
    return list(pairwise(edges))


def _has_quotes(file: str) -> bool:
    with open(file, "rb") as stream, mmap.mmap(stream.fileno(), 0,
                                               access=mmap.ACCESS_READ) as text:
        return text.find(b'"') >= 0


def _group_ranges(source: FileSource, file: str, size: int) -> list[tuple[int, int]]:
    groups = parquet.group_sizes(file, source.span)
    ranges, start, held = [], 0, 0
    for number, length in enumerate(groups, 1):
        held += length
        if held >= size or number == len(groups):
            ranges.append((start, number))
            start, held = number, 0
    return ranges or [(0, 0)]


def _lines(stream: BinaryIO, split: Split) -> Iterator[bytes]:
    """The lines that begin in the split."""
    at = _first_line(stream, split)
    while at < split.end and (line := stream.readline()):
        at += len(line)
        yield line


def _text(stream: BinaryIO, split: Split) -> bytes:
    """The same lines as one text."""
    begin = _first_line(stream, split)
    text = stream.read(max(0, split.end - begin))
    return text if not text or text.endswith(b"\n") else text + stream.readline()


def _first_line(stream: BinaryIO, split: Split) -> int:
    """Goes to the first line that begins in the split, and says where that is."""
    stream.seek(max(0, split.start - 1))
    # The line around the first byte belongs to the split before, unless it begins just there.
    return stream.tell() + (len(stream.readline()) if split.start else 0)


def _jsonl_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        return jsonl.read(_lines(stream, split), split.file, split.source.type, order, rows,
                          first_line)
    return _with_line_numbers(split, order, read)


def _csv_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        given = split.file, split.source.type, order, rows
        if split.start == 0:
            return csv.read(_lines(stream, split), *given)
        stream.seek(0)
        header = csv.header(stream, split.file)
        return csv.read_rows(_lines(stream, split), header, *given, first_line)
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
            first = 1 + sum(1 for _ in _lines(stream, replace(split, start=0, end=split.start)))
            deque(read(stream, before, first), maxlen=0)
            raise


UNKNOWN = 2
"""The number of some line that is not the first."""


def _parquet_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    return parquet.read_groups(split.source, split.path, range(split.start, split.end), order, rows,
                               split.file)


def _csv_batches(split: Split) -> Iterator[pa.RecordBatch]:
    if not csv_cells.has_plain_columns(split.source.type):
        raise csv_cells.Unusual("values that have no plain column")
    with opened(split.path, split.source.span) as stream:
        header = stream.readline()
        text = _text(stream, replace(split, start=max(split.start, len(header))))
    yield from csv_columns.part_batches(text, header, split.source.type)


def _jsonl_batches(split: Split) -> Iterator[pa.RecordBatch]:
    raise csv_cells.Unusual("JSON is read item by item")


def _parquet_batches(split: Split) -> Iterator[pa.RecordBatch]:
    if not all(isinstance(without_none(k), Scalar) for k in columns_of(split.source.type).values()):
        raise csv_cells.Unusual("values that have no plain column")
    yield from parquet.group_batches(split.source, split.path, range(split.start, split.end))


def _checked(batch: pa.RecordBatch, time: str | None, last: object) -> object:
    """The last time. Refuses what a look at single values has to settle: NaN, and times that are
    missing or go back."""
    for column in batch.columns:
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise csv_cells.Unusual("NaN")
    if time is None or not len(batch):
        return last
    times = batch.column(time)
    ordered = last is None or times[0].as_py() is None or last <= times[0].as_py()
    if times.null_count or not ordered or pc.any(pc.greater(times[:-1], times[1:])).as_py():
        raise csv_cells.Unusual("a time that is missing, or goes back")
    return times[-1].as_py()


_BATCHES = {"csv": _csv_batches, "jsonl": _jsonl_batches, "parquet": _parquet_batches}
_READ = {"csv": _csv_items, "jsonl": _jsonl_items, "parquet": _parquet_items}
_RANGES = {"csv": _byte_ranges, "jsonl": _byte_ranges, "parquet": _group_ranges}
