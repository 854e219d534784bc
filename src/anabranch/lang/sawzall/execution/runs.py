"""Runs the function of a record over chunks of lines, and reduces what they add.

Every line of the input is a record of its own, and many come at a time. What all chunks add to a
table at a key is put together by the reducers.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import BinaryIO, ClassVar

import numpy as np

from anabranch.core.errors import AnabranchError
from anabranch.core.once import once
from anabranch.core.source import Span, shown_path
from anabranch.io.files.paths import files_of, opened
from anabranch.ir.records import Record, State
from anabranch.ir.types import RecordOf, Type
from anabranch.lang.common.depth import deep_calls
from anabranch.lang.sawzall.execution.folds import Fold, Sum
from anabranch.lang.sawzall.execution.numbers import chances
from anabranch.lang.sawzall.execution.values import Show, Stopped, ordering

STDOUT, STDERR = 1, 2
TEXT, ORDERED, COMMUTATIVE = 0, 1, 2
IGNORED = -1
"""The number of the table that counts the undefined values that were passed over."""
LIMITS = {RecursionError: "the functions of the program call each other too deeply",
          MemoryError: "there is not enough memory", OverflowError: "this is too large"}
DEEPEST = 50_000
"""So many calls inside of each other; Python's own limit is lower, and needed for other code."""


class Output(Record):
    """What a chunk gives: text for a stream or a file (`key`), or what it adds to a table at a
    key."""

    kind: int
    table: int
    key: object
    value: object


class Run:
    """Chunks under way: what their records have shown and emitted. Records are numbered from the
    first of their file on, `before` the chunks of which there may be more that others process."""

    def __init__(self, chunk: Chunk, before: Callable[[], int] = lambda: 0):
        self.chunk, self.record, self.before = chunk, chunk.first, before
        self.texts: list[tuple[int, str]] = []
        self.folds: dict[tuple[int, object], Fold] = {}
        self.sums: dict[int, dict[tuple, int]] = defaultdict(dict)
        self.bare: dict[int, dict[object, int]] = defaultdict(dict)
        self.gathered: dict[int, tuple[Callable, dict[tuple, int]]] = {}
        self.ignored = 0

    @property
    def key(self) -> bytes:
        return str(self.record).encode() if self.chunk.file else b""

    @once
    def _chances(self) -> dict[int, Iterator[float]]:
        return {}

    @property
    def chance(self) -> Iterator[float]:
        if self.record not in self._chances:
            self._chances.clear()
            self._chances[self.record] = chances(self.record)
        return self._chances[self.record]

    def show(self, stream: int, text: str) -> None:
        self.texts.append((stream, text))

    def outputs(self, ordered: frozenset[int]) -> list[Output]:
        found = [Output(TEXT, 0, stream, text) for stream, text in self.joined()]
        found += [Output(COMMUTATIVE, table, key, sum_of(total))
                  for table, sums in self.sums.items() for key, total in sums.items()]
        found += [Output(ORDERED if table in ordered else COMMUTATIVE, table, key, fold)
                  for (table, key), fold in self.folds.items()]
        if self.ignored:
            found.append(Output(COMMUTATIVE, IGNORED, (), sum_of(self.ignored)))
        return found

    def fold_at(self, table: int, key: tuple, made: Callable[[], Fold]) -> Fold:
        """The fold of a table at a key, which is made if there is none."""
        place = table, key
        found = self.folds.get(place)
        if found is None:
            found = self.folds[place] = made()
        return found

    @property
    def is_empty(self) -> bool:
        return not (self.texts or self.folds or self.sums or self.bare or self.gathered)

    def begin_with(self, other: Run) -> None:
        """Takes in what another one has emitted before."""
        self.texts[:0] = other.texts
        for place, fold in other.folds.items():
            self.fold_at(*place, fold.copied)
        for own, sums in ((self.sums, other.sums), (self.bare, other.bare)):
            for table, totals in sums.items():
                add_up(own[table], totals)
        for table, (repeat, seen) in other.gathered.items():
            self.gathered[table] = repeat, dict(seen)

    def fold(self) -> None:
        """Folds what was gathered; the keys of tables with one index become tuples like all."""
        for table, sums in self.bare.items():
            add_up(self.sums[table], {(key,): total for key, total in sums.items()})
        self.bare.clear()
        for repeat, seen in self.gathered.values():
            for (key, value, weight), count in seen.items():
                repeat(self, key, value, weight, count)
        self.gathered.clear()

    def joined(self) -> Iterator[tuple[int, str]]:
        """The texts, those for one stream together as long as no other comes between."""
        stream, pieces = None, []
        for each, text in [*self.texts, (None, "")]:
            if each != stream and pieces:
                yield stream, "".join(pieces)
                pieces = []
            stream = each
            pieces.append(text)


def static_run() -> Run:
    """What static values are computed in, before any record is read."""
    run = Run(EMPTY)
    run.record = -1
    return run


@dataclass(frozen=True)
class Compiled:
    """A program: the function of a record, the tables whose order counts, and the places in the
    program of the lines of generated text."""

    main: Callable[[Run, bytes], None]
    ordered: frozenset[int]
    file: str
    spans: dict[int, Span]
    counting: Callable[[Run, Chunk, Callable], None] | None = None
    """What processes the records of a chunk, if there is something faster than line by line."""
    static: Run | None = None
    """What was emitted while static values were computed, which comes before the first record of
    the first file."""
    first: str = ""

    def outputs(self, chunk: Chunk) -> list[Output]:
        """What the records of a chunk give. After a failure comes what it was, for the sink to
        raise: all that was shown before it must be written first."""
        run = Run(chunk)
        error = self.stopped(run, chunk)
        if error is None:
            return run.outputs(self.ordered)
        run.folds, run.sums = {}, {}
        return [*run.outputs(self.ordered), Output(TEXT, 0, 0, error)]

    def stopped(self, run: Run, chunk: Chunk) -> AnabranchError | None:
        """Processes the records of a chunk; what has stopped that, if anything has."""
        run.chunk = chunk
        if self.static is not None and chunk.file == self.first and not chunk.first \
                and not run.before():
            run.begin_with(self.static)
        with deep_calls(DEEPEST):
            try:
                (self._each_line if self.counting is None else self.counting)(run, chunk, self.main)
            except Exception as error:
                return self.located(error, run)
        run.fold()
        return None

    @staticmethod
    def _each_line(run: Run, chunk: Chunk, main: Callable) -> None:
        for number, line in enumerate(chunk.data.split(b"\n"), chunk.first):
            run.record = number
            main(run, line)

    def located(self, error: BaseException, run: Run | None) -> AnabranchError:
        """The error with the place in the program whose generated line was running."""
        trace, line = error.__traceback__, None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                line = trace.tb_lineno
            trace = trace.tb_next
        if not isinstance(error, AnabranchError):
            error = Stopped(LIMITS.get(type(error)) or f"this cannot be computed: {error}")
        error.where = error.where or self.spans.get(line)
        if run is not None and error.got is None:
            error.got = _record(run)
        return error.with_traceback(None)


def sum_of(total: int) -> Sum:
    fold = Sum()
    fold.add(total, None)
    return fold


def add_up(sums: dict[tuple, int], others: dict[tuple, int]) -> None:
    """Adds totals to those of the same keys."""
    for key, total in others.items():
        sums[key] = sums.get(key, 0) + total


def _record(run: Run) -> str:
    if not run.chunk.file:
        return "the record 0 of no input"
    line = run.chunk.data.split(b"\n")[run.record - run.chunk.first]
    shown, number = repr(line)[1:], run.before() + run.record
    return (f"record {number} of {run.chunk.file} (line {number + 1}): "
            f"{shown if len(shown) <= 200 else shown[:200] + '...'}")


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


class Entry(State):
    """All that was emitted to a table at a key."""

    table: int = 0
    key: object = None
    fold: object = None


class Result(Record):
    """The rows of a table at a key."""

    table: int
    key: object
    rows: object


class Gathered(State):
    """The results of all tables."""

    results: list = []


def added(entry: Entry, output: Output) -> tuple:
    """Takes in what a chunk adds; what comes out, comes at the end."""
    if entry.fold is None:
        entry.table, entry.key, entry.fold = output.table, output.key, output.value.copied()
    else:
        entry.fold.join(output.value)
    return ()


def reduced(entry: Entry) -> Iterator[Result]:
    yield Result(entry.table, entry.key, tuple(entry.fold.rows()))


def gathered(state: Gathered, result: Result) -> tuple:
    state.results.append(result)
    return ()


Shows = Mapping[int, tuple[str, Callable[[object], str], list[Show]]]


def lines(state: Gathered, shows: Shows) -> Iterator[Output]:
    """The lines of all tables, in the order of their declarations and of their keys."""
    for result in sorted(state.results, key=lambda r: (r.table, ordering(r.key))):
        if result.table == IGNORED:
            count = result.rows[0][0]
            yield Output(TEXT, 0, STDERR, f"{count} undefined value{'s' * (count > 1)} ignored\n")
            continue
        name, key, cells = shows[result.table]
        for row in result.rows:
            value = ", ".join(show(cell) for show, cell in zip(cells, row))
            yield Output(TEXT, 0, STDOUT, f"{name}[{key(result.key)}] = {value}\n")
