"""Running the generated function of a record over a chunk of them."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from anabranch.errors import AnabranchError
from anabranch.ir.records import Record
from anabranch.lang.sawzall.running.chunks import Chunk
from anabranch.lang.sawzall.running.folds import Fold, Sum
from anabranch.lang.sawzall.running.numbers import chances
from anabranch.lang.sawzall.running.undefined import Stopped
from anabranch.once import once
from anabranch.source import Span

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

    def fold(self) -> None:
        """Folds what was gathered."""
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
        with deep_calls():
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


@contextmanager
def deep_calls() -> Iterator[None]:
    """Lets the program's functions call each other deeper than Python would."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEPEST))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
