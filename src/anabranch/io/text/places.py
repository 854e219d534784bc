"""Blocks of lines as places in files, which whoever works on them reads.

So no line goes through one process only: a source finds out where lines end and counts them, and
what travels to other processes and machines is a few numbers. What is no plain file (a pipe, an
object store) is read by the source, and its blocks hold their lines.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from itertools import count
from typing import BinaryIO, ClassVar

from anabranch.core.errors import RunError
from anabranch.core.lazy import Lazy
from anabranch.core.source import Span, shown_path
from anabranch.io.files.paths import files_of, opened
from anabranch.ir.ends import SourceSpec
from anabranch.ir.records import Record
from anabranch.ir.types import RecordOf, Type

np = Lazy("numpy")

SIZE = 1 << 15
"""So many bytes are a block, about, if nobody says how many, and the first one at most. Each has
twice as many as the one before it, up to what is wanted: so all workers begin soon."""
STDIN = ("-", "/dev/stdin")


class LineBlock(Record):
    """Consecutive lines of a file, `number` among all blocks: so many `records`, the `first` of
    which has this number in its file. They are `held`, or lie between two bytes of what is found at
    the `path` from any folder.

    >>> LineBlock("f", 0, 4, 2, held=b"a\\nb").data.split(b"\\n")
    [b'a', b'b']
    """

    file: str
    number: int
    first: int
    records: int
    path: str = ""
    start: int = 0
    stop: int = 0
    held: bytes = b""

    @property
    def data(self) -> bytes:
        """The lines, without the end of the last one."""
        return _between(self) if self.path else self.held

    def at_most(self, records: int) -> LineBlock:
        """Its first lines, of which there are more."""
        lines = self.data.split(b"\n", records)[:records]
        return self.replace(records=records, path="", start=0, stop=0, held=b"\n".join(lines))


def _between(block: LineBlock) -> bytes:
    with opened(block.path) as stream:
        stream.seek(block.start)
        data = stream.read(block.stop - block.start)
    if len(data) < block.stop - block.start:
        raise RunError(f"'{shown_path(block.file)}' has become shorter while it was read",
                       help="let nobody write to it during a run")
    return data


EMPTY = LineBlock("", 0, 0, 1)
"""What there is without files: one empty line."""


def line_ends(data: bytes) -> int:
    """How many line ends there are; in much data NumPy counts those of short lines faster."""
    if len(data) < 1 << 16:
        return data.count(b"\n")
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == 10))


@dataclass(frozen=True)
class LineBlocks(SourceSpec):
    """The lines of files as blocks of about a size, at most `most` lines in all; one empty line
    without files. Whoever reads for others that do not find the files `holds` the lines."""

    paths: tuple[str, ...]
    most: int | None = None
    size: int | None = None
    span: Span | None = field(default=None, compare=False)
    holds: bool = False
    type: ClassVar[Type] = RecordOf(LineBlock)
    time: ClassVar[None] = None
    format: ClassVar[str] = "lines"
    in_chunks: ClassVar[bool] = True

    @property
    def replayable(self) -> bool:
        return not any(path in STDIN for path in self.paths)

    @property
    def shown(self) -> str:
        return f"lines of {', '.join(map(shown_path, self.paths))}" if self.paths else "no input"

    def files(self) -> list[str]:
        """The paths; an error when one cannot be read."""
        for path in self.paths:
            if path not in STDIN:
                files_of(path, ("",), self.span)
        return list(self.paths)

    def each_file(self) -> Iterator[str]:
        """The files in their order, with those in folders."""
        for path in self.paths:
            yield from [path] if path in STDIN else files_of(path, ("",), self.span)

    def places(self) -> list[str]:
        """The files that whoever works on a block reads himself."""
        return [] if self.holds else [os.path.abspath(f) for f in self.each_file() if _is_plain(f)]

    def limited(self, most: int) -> LineBlocks:
        return replace(self, most=most)

    def holding(self) -> LineBlocks:
        return replace(self, holds=True)

    def records_of(self, item: LineBlock) -> int:
        return item.records

    def items(self, rows: object) -> Iterator[LineBlock]:
        left = sys.maxsize if self.most is None else self.most
        for block in self._blocks():
            if left <= 0:
                return
            block = block if block.records <= left else block.at_most(left)
            left -= block.records
            yield block

    def _blocks(self) -> Iterator[LineBlock]:
        if not self.paths:
            yield EMPTY
        size, numbers = self.size or SIZE, count()
        for file in self.each_file():
            if _is_plain(file) and not self.holds:
                yield from _placed(file, size, numbers)
                continue
            with nullcontext(sys.stdin.buffer) if file in STDIN else opened(file) as stream:
                yield from _held(file, stream, size, numbers)


def _is_plain(file: str) -> bool:
    return file not in STDIN and os.path.isfile(file)


def _placed(file: str, size: int, numbers: Iterator[int]) -> Iterator[LineBlock]:
    """Places in a file, each with as many whole lines as begin in so many bytes."""
    first, start, path, sizes = 0, 0, os.path.abspath(file), _sizes(size)
    with opened(file) as stream:
        while block := stream.read(next(sizes)):
            rest = b"" if block.endswith(b"\n") else stream.readline()
            stop, is_ended = start + len(block) + len(rest), (rest or block).endswith(b"\n")
            records = line_ends(block) + (not block.endswith(b"\n"))
            yield LineBlock(file, next(numbers), first, records, path, start, stop - is_ended)
            first, start = first + records, stop


def _sizes(wanted: int) -> Iterator[int]:
    """How large blocks are: the first ones small.

    >>> sizes = _sizes(100_000)
    >>> [next(sizes) for _ in range(4)], next(_sizes(9))
    ([32768, 65536, 100000, 100000], 9)
    """
    size = SIZE
    while True:
        yield min(size, wanted)
        size = min(2 * size, wanted)


def _held(file: str, stream: BinaryIO, size: int, numbers: Iterator[int]) -> Iterator[LineBlock]:
    """Whole lines, as many as come at once; standard input may give fewer than asked for."""
    first, rest = 0, b""
    while block := stream.read1(size):
        whole, end, tail = (rest + block).rpartition(b"\n")
        if end:
            records = line_ends(whole) + 1
            yield LineBlock(file, next(numbers), first, records, held=whole)
            first += records
        rest = tail
    if rest:
        yield LineBlock(file, next(numbers), first, 1, held=rest)
