"""The input: lines of files, many at a time. Every line is a record of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import BinaryIO, ClassVar

import numpy as np

from anabranch.io.paths import files_of, opened
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf, Type
from anabranch.source import Span, shown_path

SIZE = 1 << 15
STDIN = ("-", "/dev/stdin")


class Chunk(Record):
    """Consecutive lines of a file without the last line end; `first` is the number of the first.

    >>> Chunk("f", 4, b"a\\nb").records
    2
    """

    file: str
    first: int
    data: bytes

    @property
    def records(self) -> int:
        return lines_in(self.data) + 1


def lines_in(data: bytes) -> int:
    """How many line ends there are; in much data numpy counts short lines faster."""
    if len(data) < 1 << 16:
        return data.count(b"\n")
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))


EMPTY = Chunk("", 0, b"")
"""What a program without files runs on: one record with nothing in it."""


@dataclass(frozen=True)
class LineFiles:
    """The lines of files as chunks of a size, at most `most` lines in all; one empty line without
    files."""

    paths: tuple[str, ...]
    most: int | None = None
    size: int | None = None
    span: Span | None = field(default=None, compare=False)
    whole: object = field(default=None, compare=False, repr=False)
    type: ClassVar[Type] = RecordOf(Chunk)
    time: ClassVar[None] = None
    format: ClassVar[str] = "lines"

    @property
    def replayable(self) -> bool:
        return not any(path in STDIN for path in self.paths)

    @property
    def shown(self) -> str:
        return f"lines of {', '.join(map(shown_path, self.paths))}" if self.paths else "no input"

    def __str__(self) -> str:
        return self.shown

    def files(self) -> list[str]:
        """The paths; an error when one cannot be read."""
        for path in self.paths:
            if path not in STDIN:
                files_of(path, ("",), self.span)
        return list(self.paths)

    def limited(self, most: int) -> LineFiles:
        return replace(self, most=most)

    def records_of(self, item: Chunk) -> int:
        return item.records

    def items(self, rows: object) -> Iterator[Chunk]:
        if self.most is None:
            yield from self._chunks()
            return
        left = self.most
        for chunk in self._chunks():
            if left <= 0:
                return
            if chunk.records > left:
                chunk = chunk.replace(data=b"\n".join(chunk.data.split(b"\n", left)[:left]))
            left -= chunk.records
            yield chunk

    def _chunks(self) -> Iterator[Chunk]:
        if not self.paths:
            yield EMPTY
        for file in self.each_file():
            with nullcontext(sys.stdin.buffer) if file in STDIN else opened(file) as stream:
                yield from _cut(file, stream, self.size or SIZE)

    def each_file(self) -> Iterator[str]:
        """The files in their order, with those in folders."""
        for path in self.paths:
            yield from [path] if path in STDIN else files_of(path, ("",), self.span)


def _cut(file: str, stream: BinaryIO, size: int) -> Iterator[Chunk]:
    """Whole lines, as many as come at once; standard input may give fewer than asked for."""
    first, rest = 0, b""
    while block := stream.read1(size):
        whole, end, tail = (rest + block).rpartition(b"\n")
        if end:
            yield (chunk := Chunk(file, first, whole))
            first += chunk.records
        rest = tail
    if rest:
        yield Chunk(file, first, rest)
