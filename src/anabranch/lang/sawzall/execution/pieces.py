"""Programs in pieces: workers read and fold their own parts of the files.

What pieces add to the tables is put together without any order but theirs.

Programs whose tables are aggregated, in pieces: workers read and fold their own parts of files.

Whoever has workers gives each of them pieces, and joins what they add to the tables: see
`ir.whole`. No record travels, and no order is kept but that of the pieces.

Pieces of the input: ranges of bytes of its files, each read by whoever processes it.

A line belongs to the range in which it begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, NamedTuple

from anabranch.core.errors import AnabranchError
from anabranch.core.once import once
from anabranch.io.files.paths import opened
from anabranch.ir.graph import Graph, Operator
from anabranch.lang.sawzall.execution import native as fast
from anabranch.lang.sawzall.execution.folds import Fold
from anabranch.lang.sawzall.execution.runs import (
    EMPTY,
    IGNORED,
    TEXT,
    Chunk,
    Compiled,
    Gathered,
    LineFiles,
    Output,
    Result,
    Run,
    Shows,
    add_up,
    lines,
    lines_in,
    sum_of,
)
from anabranch.lang.sawzall.program import Program
from anabranch.lang.sawzall.tables import Rule
from anabranch.plan.physical.plan import StageTier
from anabranch.runtime.options import RunOptions, RunReport
from anabranch.runtime.processes.fork_pool import forked

FOLDED = 1 << 20
"""Bytes of the lines that are given to the function of a record at a time."""
PIECES_PER_WORKER = 4
ARRIVAL = "workers read their own pieces of the files, and fold them into tables of their own"


@dataclass(frozen=True)
class PieceProgram:
    """A program, as the engines ask for it, and how its tables are shown."""

    is_in_step = at_once = True

    program: Program
    shows: Shows

    @property
    def size(self) -> int:
        """So many bytes are processed at a time, and make a piece at least."""
        return fast.CHUNK if self.program.compiled.counting else FOLDED

    @once
    def compute(self):
        """What a worker does with a piece."""
        return partial(computed, self.program.compiled, self.size)

    def is_spread(self) -> bool:
        return True

    def runs_on(self, graph: Graph, options: RunOptions) -> bool:
        """Whether it can take a run: one that reads its files to their ends."""
        return options.limit is None and all(map(os.path.isfile, self.files(graph)))

    def files(self, graph: Graph) -> list[str]:
        return list(_source(graph).kind.spec.each_file())

    def pieces(self, graph: Graph, options: RunOptions, count: int) -> list[Piece]:
        """The files in about so many pieces, or fewer that are worth a worker's while."""
        return pieces_of(self.files(graph), count, self.size) \
            if self.runs_on(graph, options) else []

    def run(self, graph: Graph, emit, options: RunOptions, report: RunReport) -> None:
        """Lets forked processes compute the pieces."""
        workers = options.workers or os.cpu_count() or 1
        pieces = self.pieces(graph, options, PIECES_PER_WORKER * workers)
        # A failure is kept by whoever looks at it, and with it would be the processes.
        with closing(forked(self.compute, pieces, workers)) as parts:
            report.read.update(self.take(graph, emit, self._noted(graph, parts, options, report)))
        report.tier = self.tier

    def _noted(self, graph: Graph, parts: Iterable[PieceResult], options: RunOptions,
               report: RunReport) -> Iterator[PieceResult]:
        """The parts, while what was read of them is reported."""
        name = _source(graph).name
        for part in parts:
            yield part
            report.read[name] += part.records
            if options.progress is not None:
                options.progress(report.read)

    def take(self, graph: Graph, emit, parts: Iterable[PieceResult]) -> dict[str, int]:
        """Joins what the pieces add, shows what they print, and at the end the tables."""
        tables, sinks = Tables(), {op.name: op for op in graph.sinks}
        for part in parts:
            for output in tables.take(part):
                emit(sinks["stdout"], output)
        for output in lines(tables.gathered(), self.shows):
            emit(sinks["table_output"], output)
        return {_source(graph).name: tables.records}

    @property
    def tier(self) -> str:
        return "native" if self.program.compiled.counting else "rows"

    def stages(self, graph: Graph) -> tuple[StageTier, ...]:
        """All of it is one stage."""
        names = tuple(op.name for op in graph if not op.is_source and not op.is_sink)
        return (StageTier(names, self.tier, self.program.not_compiled, ARRIVAL),)

    def tables(self) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        """Each table, and whether anything is kept in order for it."""
        yield "tables", ("table", "kind", "order"), [
            (t.name, t.kind, _order(t.rule)) for t in self.program.tables]


def _source(graph: Graph) -> Operator:
    return next(op for op in graph.sources if isinstance(op.kind.spec, LineFiles))


def _order(rule: Rule) -> str:
    if rule.fold is None:
        return "printed as it comes"
    return "none: commutative" if rule.commutative else "that of the records"


BLOCK = 1 << 22
LARGEST = 1 << 26
"""So many bytes are a piece at most: what its records print waits for its end."""


@dataclass(frozen=True)
class ByteRange:
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


Piece = tuple[ByteRange, ...]


def pieces_of(files: Iterable[str], count: int, smallest: int) -> list[Piece]:
    """The files in order as about so many pieces; one has several files where they are small."""
    sizes = [(file, os.path.getsize(file)) for file in files]
    shared = -(-sum(size for _, size in sizes) // count)
    wanted = max(smallest, min(shared, LARGEST))
    pieces: list[list[ByteRange]] = [[]]
    room = wanted
    for file, size in sizes:
        start = 0
        while start < size:
            end = min(size, start + room)
            pieces[-1].append(ByteRange(file, os.path.abspath(file), start, end))
            room, start = room - (end - start), end
            if not room:
                pieces.append([])
                room = wanted
    return [tuple(piece) for piece in pieces if piece]


class PieceResult(NamedTuple):
    """What a piece gives: how many records it has, texts for streams and files, what it adds to the
    tables, and what has stopped it."""

    records: int
    texts: list[tuple[int | str, str]]
    sums: dict[int, dict[tuple, int]]
    folds: dict[tuple[int, object], Fold]
    ignored: int
    error: AnabranchError | None = None


def computed(compiled: Compiled, size: int, piece: Piece) -> PieceResult:
    """Processes the records of a piece, in chunks of a size."""
    run, records = Run(EMPTY), 0
    for part in piece:
        run.before = part.before
        for chunk in part.chunks(size):
            error = compiled.stopped(run, chunk)
            if error is not None:
                return PieceResult(records, list(run.joined()), {}, {}, 0, error)
            records += chunk.records
    return PieceResult(records, list(run.joined()), run.sums, run.folds, run.ignored)


class Tables:
    """All that the pieces so far have added. They come in their order, which only collections and
    texts can tell."""

    def __init__(self) -> None:
        self.records = self.ignored = 0
        self.sums: dict[int, dict[tuple, int]] = {}
        self.folds: dict = {}

    def take(self, part: PieceResult) -> Iterator[Output]:
        """Takes in what a piece adds; gives what it shows, and its failure for the sink to raise.
        """
        self.records, self.ignored = self.records + part.records, self.ignored + part.ignored
        for table, sums in part.sums.items():
            self._add(table, sums)
        for place, fold in part.folds.items():
            if self.folds.setdefault(place, fold) is not fold:
                self.folds[place].join(fold)
        yield from (Output(TEXT, 0, stream, text) for stream, text in part.texts)
        if part.error is not None:
            yield Output(TEXT, 0, 0, part.error)

    def _add(self, table: int, sums: dict[tuple, int]) -> None:
        if self.sums.setdefault(table, sums) is not sums:
            add_up(self.sums[table], sums)

    def gathered(self) -> Gathered:
        """The results of all tables."""
        folds = {(table, key): sum_of(total) for table, sums in self.sums.items()
                 for key, total in sums.items()}
        if self.ignored:
            folds[IGNORED, ()] = sum_of(self.ignored)
        return Gathered(results=[Result(table, key, tuple(fold.rows()))
                                 for (table, key), fold in (folds | self.folds).items()])
