"""The files of the inputs, cut into slices: all rows of some instants, as changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.io.arrow.extract import Extract
from anabranch.ir.types import STR, Type
from anabranch.lang.cql.algebra import Input
from anabranch.lang.cql.execution.columns.values import KINDS, Texts, of_array
from anabranch.lang.cql.execution.rows.batches import Path, moved
from anabranch.lang.cql.translate import OP
from anabranch.plan.logical.whole import Unfinished

DIGIT = 16
"""Numbers of so many bits are sorted in linear time."""


@dataclass(frozen=True)
class Delta:
    """Rows of columns, each with the number `at` of its instant in the slice, in order, and how
    often it is added; of a stream, each once."""

    at: np.ndarray
    n: np.ndarray
    columns: tuple[np.ndarray, ...]

    def __len__(self) -> int:
        return len(self.at)

    def taken(self, which: np.ndarray) -> Delta:
        """The rows at some places, or where a mask holds."""
        return Delta(self.at[which], self.n[which], tuple(c[which] for c in self.columns))


def together(parts: Sequence[Delta]) -> Delta:
    """The changes of all parts, by their instants."""
    at = np.concatenate([part.at for part in parts])
    joined = Delta(at, np.concatenate([part.n for part in parts]), stacked(
        [part.columns for part in parts]))
    return joined.taken(stable_order(at))


def stacked(parts: Sequence[tuple[np.ndarray, ...]]) -> tuple[np.ndarray, ...]:
    """The columns of several parts, one behind the other."""
    return tuple(map(np.concatenate, zip(*parts)))


def stable_order(numbers: np.ndarray) -> np.ndarray:
    """The places of numbers that are not negative, from the smallest to the largest: by one digit
    after another, which for those of a slice is three times as fast as comparing them.

    >>> stable_order(np.array([2, 1 << 40, 2, 1])).tolist()
    [3, 0, 2, 1]
    """
    order = _by_digit(numbers)
    largest = int(numbers.max()) if len(numbers) else 0
    for shift in range(DIGIT, largest.bit_length(), DIGIT):
        order = order[_by_digit((numbers >> shift)[order])]
    return order


def _by_digit(numbers: np.ndarray) -> np.ndarray:
    return np.argsort(numbers.astype(np.uint16), kind="stable")


SLICE = 1 << 16
"""So many rows are read at once: enough for arrays to pay, few enough to stay in the caches."""


@dataclass(frozen=True)
class Slice:
    """The times of its instants, in order, and what came from each input."""

    times: np.ndarray
    inputs: Mapping[str, Delta]


class InputFile:
    """One input while it is read; the columns that no term looks at have some value."""

    def __init__(self, declared: Input, spec: object, time: str, clock: Type, slots: set[int],
                 texts: Texts, paths: tuple[Path, ...]):
        self.declared, self.time, self.clock = declared, time, clock
        self.slots, self.texts, self.read, self.paths = slots, texts, 0, paths
        names = {declared.schema[i].name for i in slots} | {time}
        wanted = frozenset(names if declared.is_stream else names | {OP})
        self.batches = _small(spec.extracts(wanted))
        self.waiting = (np.zeros(0, np.int64),)
        self.ended = False

    @property
    def latest(self) -> object:
        return self.waiting[0][-1]

    def more(self) -> None:
        """Reads on; the next batch is put behind what is waiting."""
        batch = self._next()
        self.ended = batch is None
        if batch is None:
            return
        new = self._columns(batch)
        self.read += len(batch)
        late = bool((new[0][1:] < new[0][:-1]).any())
        if late or (len(self.waiting[0]) and new[0][0] < self.latest):
            raise Unfinished
        self.waiting = stacked([self.waiting, new]) if len(self.waiting[0]) else new

    def _next(self) -> pa.RecordBatch | None:
        try:
            return next(self.batches, None)
        except Exception:
            # What is wrong with a row, only the reading of rows can say.
            raise Unfinished from None

    def _columns(self, batch: pa.RecordBatch) -> tuple[np.ndarray, ...]:
        """The times, how often each row is added, and its columns."""
        times = of_array(batch.column(self.time), self.clock, self.texts)
        n = np.ones(len(batch), np.int64)
        if not self.declared.is_stream:
            n = _signs(of_array(batch.column(OP), STR, self.texts), self.texts)
        return (times, n, *(of_array(batch.column(c.name), c.type, self.texts)
                            if i in self.slots else np.zeros(len(batch), KINDS[c.type])
                            for i, c in enumerate(self.declared.schema)))

    def before(self, time: object | None) -> tuple[np.ndarray, ...]:
        """Takes the rows before a time, or all."""
        cut = len(self.waiting[0]) if time is None else np.searchsorted(self.waiting[0], time)
        taken = tuple(column[:cut] for column in self.waiting)
        self.waiting = tuple(column[cut:] for column in self.waiting)
        return taken


def _small(extracts: Iterator[Extract]) -> Iterator[pa.RecordBatch]:
    for extract in extracts:
        for start in range(0, len(extract.batch), SLICE):
            yield extract.batch.slice(start, SLICE)


def _signs(codes: np.ndarray, texts: Texts) -> np.ndarray:
    [plus, minus] = texts.codes(["+", "-"])
    if not ((codes == plus) | (codes == minus)).all():
        raise Unfinished
    return np.where(codes == plus, 1, -1)


class Due:
    """The times at which rows that have come leave windows."""

    def __init__(self):
        self.times: np.ndarray | None = None

    def put(self, times: np.ndarray, paths: tuple[Path, ...]) -> None:
        """Puts down when rows that came at some times leave."""
        if paths and len(times):
            new = [moved(_distinct(times), path) for path in paths]
            self.times = _merged(new if self.times is None else [self.times, *new])

    def before(self, limit: object, side: str) -> list[np.ndarray]:
        """Takes the times before a limit; on the right side, also the limit."""
        if self.times is None:
            return []
        cut = np.searchsorted(self.times, limit, side)
        taken, self.times = self.times[:cut], self.times[cut:]
        return [taken]


def slices(files: list[InputFile]) -> Iterator[Slice]:
    """The slices of all inputs. The rows of an instant are all there when every input has gone
    past it."""
    for file in files:
        file.more()
    due = Due()
    while True:
        going = [file for file in files if not file.ended]
        limit = min((file.latest for file in going), default=None)
        if made := _slice(files, limit, due):
            yield made
        if limit is None:
            return
        for file in going:
            if file.latest == limit:
                file.more()


def _slice(files: list[InputFile], limit: object | None, due: Due) -> Slice | None:
    taken = [file.before(limit) for file in files]
    arrived = [columns[0] for columns in taken if len(columns[0])]
    for file, columns in zip(files, taken):
        due.put(columns[0], file.paths)
    if limit is None and not arrived:
        return None
    # Time ends with the last row.
    ends = (max(times[-1] for times in arrived), "right") if limit is None else (limit, "left")
    if not (parts := [*arrived, *due.before(*ends)]):
        return None
    times = _merged(parts)
    return Slice(times, {file.declared.name: Delta(np.searchsorted(times, columns[0]), columns[1],
                                                   columns[2:]) if len(columns[0]) else
                         nothing([c.type for c in file.declared.schema])
                         for file, columns in zip(files, taken)}) if len(times) else None


def _merged(parts: list[np.ndarray]) -> np.ndarray:
    """All times of several parts that are in order, in order, each once."""
    # A stable sort finds the runs that are in order, and merges them.
    return _distinct(np.sort(np.concatenate(parts), kind="stable") if len(parts) > 1 else parts[0])


def _distinct(times: np.ndarray) -> np.ndarray:
    return times[np.append(True, times[1:] != times[:-1])] if len(times) else times


def nothing(types: Sequence[Type]) -> Delta:
    """No changes at all. The columns are those of some: whoever keeps rows makes room by them."""
    none = np.zeros(0, np.int64)
    return Delta(none, none, tuple(np.zeros(0, KINDS[kind]) for kind in types))
