"""File sources that are read on the executors: a split of a file is a part of the input."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from anabranch.engine.items import Columns
from anabranch.engine.multicore.flows import Flow
from anabranch.engine.spark.computing import each
from anabranch.engine.spark.distant import slice_of
from anabranch.engine.spark.intake import cut
from anabranch.engine.spark.job import PARTS_PER_CORE
from anabranch.engine.spark.pieces import LAST, Piece
from anabranch.io.badrows import BadRows
from anabranch.io.extracts import Names
from anabranch.io.files import FileSource
from anabranch.io.rows import TimeOrder
from anabranch.io.splits import Split, splits_of
from anabranch.ir.graph import Graph, Operator

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALLEST, LARGEST = 1 << 20, 16 << 20
"""How many bytes a split may have."""

WORTH_A_TASK = 8 << 20
"""How many bytes are worth a task more than each core has: to begin one costs as much as a kernel
takes for some of them."""

LONGEST = 65_536
"""How many rows in columns a slice may have."""


@dataclass(frozen=True)
class FilePart:
    """A split of a source; `number` is its place among all splits of the program."""

    number: int
    source: Operator
    split: Split
    policy: str

    def pieces(self, wanted: Mapping[str, Names]) -> Iterator[Piece]:
        """The rows as slices, with what the driver has to know of them. In columns only those that
        are wanted of the source need to be read."""
        rows = BadRows(self.policy)
        count, read, complete = yield from self._in_columns(wanted.get(self.source.name))
        if not complete:
            rest = ((self.source, item) for item in islice(self.split.items(rows), read, None))
            yield from map(self._told, cut(rest, self.number, first=count))
        if rows.counts:
            yield Piece((self.number, LAST), {}, bad=tuple(rows.counts.items()))

    def _in_columns(self, wanted: Names | None) -> Generator[Piece, None, tuple[int, int, bool]]:
        """Slices in columns; how many there are, with how many rows, and whether that is all."""
        count = read = 0
        extracts = self.split.extracts(wanted)
        while True:
            try:
                extract = next(extracts, None)
            except Exception:
                # Whatever it is, reading item by item knows better.
                return count, read, False
            if extract is None:
                return count, read, True
            for start in range(0, len(extract.batch), LONGEST):
                items = slice_of(extract, self.split.source.type, start, LONGEST)
                flow = Flow(range(len(items)), items)
                yield self._told(Piece((self.number, count), {self.source.outputs[0]: flow}))
                count += 1
            read += len(extract.batch)

    def _told(self, piece: Piece) -> Piece:
        flow = piece.flows.get(self.source.outputs[0], Flow((), []))
        time = self.split.source.time
        times = (_ends(flow.items, time),) if time and len(flow.items) else ()
        return piece._replace(read=((self.source.name, len(flow.items)),), times=times)


def _ends(items: Sequence, time: str) -> tuple[object, object]:
    """The first and the last time."""
    if isinstance(items, Columns):
        times = items.column(time)
        return times[0].as_py(), times[-1].as_py()
    return getattr(items[0], time), getattr(items[-1], time)


def split_size(size: int, cores: int) -> int:
    """How large the splits of so many bytes are: one for each core, or some, if they are large.

    >>> [(20 << 20) // split_size(20 << 20, cores) for cores in (1, 2, 4)]
    [2, 2, 4]
    >>> split_size(500, 2) == SMALLEST, split_size(1 << 30, 2) == LARGEST
    (True, True)
    """
    for_each = min(max(1, size // (cores * WORTH_A_TASK)), PARTS_PER_CORE)
    return min(max(SMALLEST, -(-size // (cores * for_each))), LARGEST)


def file_parts(graph: Graph, options, cores: int) -> list[FilePart] | None:
    """The files of all sources in program order, split so that there is work for so many cores.

    None when the driver has to read them: when rows of several sources are merged by their times,
    counted, or kept apart.
    """
    if not all(map(_is_file, graph.sources)) or options.limit is not None:
        return None
    timed = [op for op in graph.sources if op.kind.time or op.kind.spec.time]
    known = ("stop",) if timed else ("stop", "skip")
    if len(timed) > 1 or options.on_error not in known:
        return None
    size = split_size(_bytes(graph), cores)
    splits = [(op, split) for op in graph.sources for split in splits_of(op.kind.spec, size)]
    return [FilePart(n, _bare(op), split, options.on_error) for n, (op, split) in enumerate(splits)]


def _is_file(op: Operator) -> bool:
    return isinstance(op.kind.spec, FileSource) and op.kind.spec.replayable


def _bytes(graph: Graph) -> int:
    return sum(os.path.getsize(f) for op in graph.sources for f in op.kind.spec.files())


def _bare(op: Operator) -> Operator:
    """The split says what is read."""
    return replace(op, kind=replace(op.kind, spec=None))


def seen_by_executors(context: SparkContext, paths: Iterable[str]) -> bool:
    """Whether the executors find the files where the driver does: always on this machine."""
    if context.master.startswith("local"):
        return True
    sizes = {path: os.path.getsize(path) for path in paths}
    return all(each(context, has_files, [sizes] * 2 * context.defaultParallelism))


def has_files(sizes: dict[str, int]) -> bool:
    return all(os.path.isfile(path) and os.path.getsize(path) == size
               for path, size in sizes.items())


def check_readable(graph: Graph) -> None:
    """Raises what reading the first row of the first source would raise, if that is a file."""
    for op in filter(_is_file, graph.sources[:1]):
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

    def check(self, piece: Piece) -> None:
        """Raises the error of the first row of the split."""
        for first, last in piece.times:
            if self.last is not None and not _in_order(self.last, first):
                split = self.parts[piece.number[0]].split
                order = TimeOrder(split.source.time)
                order.last = self.last
                deque(split.items(BadRows("stop"), order), maxlen=0)
            self.last = last
