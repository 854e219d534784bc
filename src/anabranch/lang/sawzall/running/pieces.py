"""Pieces of the input: ranges of bytes of its files, each read by whoever processes it.

A line belongs to the range in which it begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from anabranch.errors import AnabranchError
from anabranch.io.paths import opened
from anabranch.lang.sawzall.running.chunks import EMPTY, Chunk, lines_in
from anabranch.lang.sawzall.running.folds import Fold
from anabranch.lang.sawzall.running.runs import Compiled, Run

BLOCK = 1 << 22
LARGEST = 1 << 26
"""So many bytes are a piece at most: what its records print waits for its end."""


@dataclass(frozen=True)
class Range:
    """Some bytes of a file; `path` is where any process finds it."""

    file: str
    path: str
    start: int
    end: int

    def chunks(self, size: int) -> Iterator[Chunk]:
        """The lines that begin in it, numbered from 0 on."""
        first = 0
        with opened(self.path) as stream:
            for start in range(self.start, self.end, size):
                if text := _lines(stream, start, min(start + size, self.end)):
                    yield (chunk := Chunk(self.file, first, text.removesuffix(b"\n")))
                    first += chunk.records

    def before(self) -> int:
        """How many lines of the file begin before it."""
        if not self.start:
            return 0
        with opened(self.path) as stream:
            blocks = range(0, self.start - 1, BLOCK)
            ends = sum(lines_in(stream.read(min(BLOCK, self.start - 1 - at))) for at in blocks)
            return ends + 1


def _lines(stream: BinaryIO, start: int, end: int) -> bytes:
    stream.seek(max(0, start - 1))
    # The line around the first byte belongs to the range before, unless it begins just there.
    begin = stream.tell() + (len(stream.readline()) if start else 0)
    text = stream.read(max(0, end - begin))
    return text if not text or text.endswith(b"\n") else text + stream.readline()


Piece = tuple[Range, ...]


def pieces_of(files: Iterable[str], count: int, smallest: int) -> list[Piece]:
    """The files in order as about so many pieces; one has several files where they are small."""
    sizes = [(file, os.path.getsize(file)) for file in files]
    shared = -(-sum(size for _, size in sizes) // count)
    wanted = max(smallest, min(shared, LARGEST))
    pieces: list[list[Range]] = [[]]
    room = wanted
    for file, size in sizes:
        start = 0
        while start < size:
            end = min(size, start + room)
            pieces[-1].append(Range(file, os.path.abspath(file), start, end))
            room, start = room - (end - start), end
            if not room:
                pieces.append([])
                room = wanted
    return [tuple(piece) for piece in pieces if piece]


class Part(NamedTuple):
    """What a piece gives: how many records it has, texts for streams and files, what it adds to the
    tables, and what has stopped it."""

    records: int
    texts: list[tuple[int | str, str]]
    sums: dict[int, dict[tuple, int]]
    folds: dict[tuple[int, object], Fold]
    ignored: int
    error: AnabranchError | None = None


def computed(compiled: Compiled, size: int, piece: Piece) -> Part:
    """Processes the records of a piece, in chunks of a size."""
    run, records = Run(EMPTY), 0
    for part in piece:
        run.before = part.before
        for chunk in part.chunks(size):
            error = compiled.stopped(run, chunk)
            if error is not None:
                return Part(records, list(run.joined()), {}, {}, 0, error)
            records += chunk.records
    return Part(records, list(run.joined()), run.sums, run.folds, run.ignored)
