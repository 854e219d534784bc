"""The sources of a job: splits of files for executors, or slices cut by the driver.

Slices that the driver has read are handed to Spark as bytes; on this machine they lie in a private
file instead of its memory.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from anabranch.batch.items import Columns
from anabranch.batch.slices import Failure, Flow
from anabranch.core.scratch import scratch_folder
from anabranch.engine.spark.job.pickling import dumped
from anabranch.engine.spark.job.pieces import LAST, SlicePiece, decoded, encoded, slice_of
from anabranch.engine.spark.session.computation import each
from anabranch.io.arrow.extract import Names
from anabranch.io.files.sources import FileSource
from anabranch.io.files.stores import is_remote
from anabranch.io.rows import BadRows, TimeOrder
from anabranch.io.splits import Split
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.ends import Form
from anabranch.plan.physical.spark.execution import COLUMNS, ROWS
from anabranch.plan.physical.spark.reading import TaskSplit, rows_of_a_slice
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.ends.merging import merged

if TYPE_CHECKING:
    from pyspark import SparkContext


@dataclass(frozen=True)
class FilePart:
    """A split of a source; `number` is its place among all splits of the program. In columns, up to
    so many rows are a slice."""

    number: int
    source: Operator
    split: Split
    policy: str
    knobs: SparkKnobs
    in_columns: bool = True

    def pieces(self, wanted: Mapping[str, Names]) -> Iterator[SlicePiece]:
        """The rows as slices, with what the driver has to know of them. In columns only those that
        are wanted of the source need to be read."""
        rows = BadRows(self.policy)
        count, read, complete = 0, 0, False
        if self.in_columns:
            count, read, complete = yield from self._in_columns(wanted.get(self.source.name))
        if not complete:
            rest = ((self.source, item) for item in islice(self.split.items(rows), read, None))
            yield from map(self._told, cut(rest, self.number, self.knobs, count))
        if rows.counts:
            yield SlicePiece((self.number, LAST), {}, bad=tuple(rows.counts.items()))

    def _in_columns(self, wanted: Names | None
                    ) -> Generator[SlicePiece, None, tuple[int, int, bool]]:
        """Slices in columns; how many there are, with how many rows, and whether that is all."""
        count, read, longest = 0, 0, self.knobs.rows_in_columns
        extracts = self.split.extracts(wanted)
        while True:
            try:
                extract = next(extracts, None)
            except Exception:
                # Whatever it is, reading item by item knows better.
                return count, read, False
            if extract is None:
                return count, read, True
            for start in range(0, len(extract.batch), longest):
                items = slice_of(extract, self.split.source.type, start, longest)
                flow = Flow(range(len(items)), items)
                yield self._told(SlicePiece((self.number, count), {self.source.outputs[0]: flow}),
                                 COLUMNS)
                count += 1
            read += len(extract.batch)

    def _told(self, piece: SlicePiece, form: str = ROWS) -> SlicePiece:
        flow = piece.flows.get(self.source.outputs[0], Flow((), []))
        time = self.split.source.time
        times = (_ends(flow.items, time),) if time and len(flow.items) else ()
        return piece._replace(read=((self.source.name, len(flow.items), form),), times=times)


def _ends(items: Sequence, time: str) -> tuple[object, object]:
    """The first and the last time."""
    if isinstance(items, Columns):
        times = items.column(time)
        return times[0].as_py(), times[-1].as_py()
    return getattr(items[0], time), getattr(items[-1], time)


def file_parts(splits: Sequence[TaskSplit], policy: str, knobs: SparkKnobs, first: int = 0
               ) -> list[FilePart]:
    """What tasks read by the plan, numbered from the first one on."""
    return [FilePart(first + n, _bare(each.source), each.split, policy, knobs,
                     each.form is Form.COLUMNS) for n, each in enumerate(splits)]


def _bare(op: Operator) -> Operator:
    """The split says what is read."""
    return replace(op, kind=replace(op.kind, spec=None))


def seen_by_executors(context: SparkContext, paths: Iterable[str]) -> bool:
    """Whether the executors find the files where the driver does: always on this machine."""
    if context.master.startswith("local"):
        return True
    sizes = {path: os.path.getsize(path) for path in paths if not is_remote(path)}
    return all(each(context, has_files, [sizes] * 2 * context.defaultParallelism))


def has_files(sizes: dict[str, int]) -> bool:
    return all(os.path.isfile(path) and os.path.getsize(path) == size
               for path, size in sizes.items())


def check_readable(graph: Graph) -> None:
    """Raises what reading the first row of the first source would raise, if that is a file."""
    for op in graph.sources[:1]:
        if isinstance(op.kind.spec, FileSource) and op.kind.spec.replayable:
            next(iter(op.kind.spec.items(BadRows("skip"))), None)


def _in_order(last: object, first: object) -> bool:
    try:
        return not first < last
    except TypeError:  # One is an instant, and the other is not.
        return False


class TimesAcross:
    """Notices a split that begins before the time at which the one before it ends."""

    def __init__(self, parts: Sequence[FilePart], last: object = None):
        self.parts, self.last = {part.number: part for part in parts}, last

    def check(self, piece: SlicePiece) -> None:
        """Raises the error of the first row of the split."""
        for first, last in piece.times:
            if self.last is not None and not _in_order(self.last, first):
                split = self.parts[piece.number[0]].split
                order = TimeOrder(split.source.time)
                order.last = self.last
                deque(split.items(BadRows("stop"), order), maxlen=0)
            self.last = last


def slices(graph: Graph, items: dict[str, Iterable[object]], limit: int | None,
           knobs: SparkKnobs) -> Iterator[bytes]:
    """All source tuples as encoded slices, in program order."""
    return map(encoded, cut(merged(graph, items, limit), 0, knobs))


def cut(coming: Iterator[tuple[Operator, object]], part: int, knobs: SparkKnobs,
        first: int = 0) -> Iterator[SlicePiece]:
    """Source tuples as slices, from number `first` on. One that cannot be read is the failure of
    its slice."""
    count, rows = first, 0
    while True:
        taken, error = _taken(coming, rows_of_a_slice(rows, knobs))
        if taken or error:
            yield SlicePiece((part, count), _flows(taken), failures=_failures(taken, error))
        if error or not taken:
            return
        count, rows = count + 1, rows + sum(records_in(*given) for given in taken)


def ends(told: Sequence[Operator]) -> Iterator[bytes]:
    """A slice for every operator that is told of the end of the input, in the graph's order."""
    return (encoded(SlicePiece((LAST, n), {}, op.name)) for n, op in enumerate(told))


def records_in(source: Operator, item: object) -> int:
    """So many records an item of a source is. One whose files tasks read gives them one by one."""
    return 1 if source.kind.spec is None else source.kind.spec.records_of(item)


Taken = list[tuple[Operator, object]]


def _taken(coming: Iterator, size: int) -> tuple[Taken, Exception | None]:
    """The next tuples, so many, or fewer where some are many records each."""
    taken: Taken = []
    try:
        while size > 0 and (given := next(coming, None)) is not None:
            taken.append(given)
            size -= records_in(*given)
    except Exception as error:
        return taken, error
    return taken, None


def _flows(taken: Taken) -> dict[str, Flow]:
    flows: dict[str, Flow] = {}
    for origin, (source, item) in enumerate(taken):
        flow = flows.setdefault(source.outputs[0], Flow([], []))
        flow.rows.append(origin)
        flow.items.append(item)
    return flows


def _failures(taken: Taken, error: Exception | None) -> tuple[Failure, ...]:
    """The failing tuple would have been the next one, before any operator."""
    return (Failure((len(taken), -1, 0), error),) if error else ()


@dataclass(frozen=True)
class Spooled:
    """A slice in a file of this machine."""

    path: str
    start: int
    length: int

    def pieces(self, wanted: Mapping[str, Names]) -> Iterator[SlicePiece]:
        """It has been read already, wholly."""
        with open(self.path, "rb") as file:
            file.seek(self.start)
            yield decoded(file.read(self.length))


@contextmanager
def spooled(slices: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Where the slices are, for the tasks of this machine; the file is gone behind the block."""
    with scratch_folder("slices") as folder, open(str(folder / "slices"), "wb") as file:
        places, start = [], 0
        for data in slices:
            file.write(data)
            places.append(dumped(Spooled(file.name, start, len(data))))
            start += len(data)
        file.flush()
        yield places
