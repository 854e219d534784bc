"""Runs the function of a record over blocks of lines, and reduces what they add.

Every line of the input is a record of its own, and many come at a time. What all blocks add to a
table is put together by the reducers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from anabranch.core.errors import AnabranchError
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.io.text.places import EMPTY, LineBlock
from anabranch.ir.records import Record, State
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
    """What a block gives: text for a stream or a file (`key`), or what it adds to a table: a fold,
    or a sum of integers, by the key of the table."""

    kind: int
    table: int
    key: object
    value: object


class Run:
    """Blocks under way: what their records have shown and emitted."""

    def __init__(self, block: LineBlock):
        self.block, self.record = block, block.first
        self.texts: list[tuple[int, str]] = []
        self.folds: dict[tuple[int, object], Fold] = {}
        self.sums: dict[int, dict[tuple, int]] = defaultdict(dict)
        self.bare: dict[int, dict[object, int]] = defaultdict(dict)
        self.gathered: dict[int, tuple[Callable, dict[tuple, int]]] = {}
        self.ignored = 0

    @property
    def key(self) -> bytes:
        return str(self.record).encode() if self.block.file else b""

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
        """Texts as they come, and one part of each table."""
        parts: dict[int, dict[tuple, Fold | int]] = {**self.sums}
        for (table, key), fold in self.folds.items():
            parts.setdefault(table, {})[key] = fold
        if self.ignored:
            parts[IGNORED] = {(): self.ignored}
        found = [Output(TEXT, 0, stream, text) for stream, text in self.joined()]
        return found + [Output(ORDERED if table in ordered else COMMUTATIVE, table, None, part)
                        for table, part in parts.items()]

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
    counting: Callable[[Run, LineBlock, Callable], None] | None = None
    """What processes the records of a block, if there is something faster than line by line."""
    static: Run | None = None
    """What was emitted while static values were computed, which comes before the first record."""

    def outputs(self, block: LineBlock) -> list[Output]:
        """What the records of a block give. After a failure comes what it was, for the sink to
        raise: all that was shown before it must be written first."""
        run = Run(block)
        error = self._stopped(run, block)
        if error is None:
            return run.outputs(self.ordered)
        run.folds, run.sums = {}, {}
        return [*run.outputs(self.ordered), Output(TEXT, 0, 0, error)]

    def _stopped(self, run: Run, block: LineBlock) -> AnabranchError | None:
        """Processes the records of a block; what has stopped that, if anything has."""
        if self.static is not None and not block.number:
            run.begin_with(self.static)
        with deep_calls(DEEPEST):
            try:
                (self._each_line if self.counting is None else self.counting)(run, block, self.main)
            except Exception as error:
                return self.located(error, run)
        run.fold()
        return None

    @staticmethod
    def _each_line(run: Run, block: LineBlock, main: Callable) -> None:
        for number, line in enumerate(block.data.split(b"\n"), block.first):
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
    if not run.block.file:
        return "the record 0 of no input"
    line = run.block.data.split(b"\n")[run.record - run.block.first]
    shown = repr(line)[1:]
    return (f"record {run.record} of {run.block.file} (line {run.record + 1}): "
            f"{shown if len(shown) <= 200 else shown[:200] + '...'}")


class Entries(State):
    """All that was emitted to a table, by its keys."""

    table: int = 0
    folds: dict = {}


class Result(Record):
    """The rows of a table at a key."""

    table: int
    key: object
    rows: object


class Gathered(State):
    """The results of all tables."""

    results: list = []


def added(entries: Entries, output: Output) -> tuple:
    """Takes in what a block adds to a table; what comes out, comes at the end."""
    entries.table, own = output.table, entries.folds
    for key, fold in output.value.items():
        if isinstance(fold, int):
            own[key] = own.get(key, 0) + fold
        elif key in own:
            own[key].join(fold)
        else:
            own[key] = fold.copied()
    return ()


def reduced(entries: Entries) -> Iterator[Result]:
    for key, fold in entries.folds.items():
        total = sum_of(fold) if isinstance(fold, int) else fold
        yield Result(entries.table, key, tuple(total.rows()))


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
