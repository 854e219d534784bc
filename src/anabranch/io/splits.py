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

from anabranch.io import csv, jsonl, parquet, split_columns
from anabranch.io.badrows import BadRows, RowError
from anabranch.io.extracts import Extract, Names
from anabranch.io.files import FileSource
from anabranch.io.paths import base_of, opened
from anabranch.io.rows import TimeOrder
from anabranch.io.split_lines import lines_between


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

    def extracts(self, wanted: Names | None = None) -> Iterator[Extract]:
        """The same items in columns, of which those that are not wanted may stay unread. Where
        anything is out of the ordinary it raises, and only the reading of items can tell what is
        wrong, if anything is."""
        return split_columns.extracts(self, wanted)


def splits_of(source: FileSource, size: int) -> list[Split]:
    """The files of a source in order, in parts of about `size` bytes."""
    # Where it is read, another folder may be the current one.
    there = replace(source, base=os.path.abspath(source.base or base_of(source.path)))
    return [Split(there, file, os.path.abspath(file), start, end)
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


def _jsonl_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        lines = lines_between(stream, split.start, split.end)
        return jsonl.read(lines, split.file, split.source.type, order, rows, first_line,
                          split.source.fixed(split.path))
    return _with_line_numbers(split, order, read)


def _csv_items(split: Split, rows: BadRows, order: TimeOrder) -> Iterator[object]:
    def read(stream: BinaryIO, order: TimeOrder, first_line: int) -> Iterator[object]:
        given = split.file, split.source.type, order, rows
        lines = lines_between(stream, split.start, split.end)
        if split.start == 0:
            return csv.read(lines, *given, split.source.fixed(split.path))
        stream.seek(0)
        header = csv.header(stream, split.file)
        return csv.read_rows(lines, header, *given, first_line, split.source.fixed(split.path))
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


_READ = {"csv": _csv_items, "jsonl": _jsonl_items, "parquet": _parquet_items}
_RANGES = {"csv": _byte_ranges, "jsonl": _byte_ranges, "parquet": _group_ranges}
