"""File sources that are read on the executors: a split of a file is a part of the input."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from anabranch.engine.items import Columns
from anabranch.engine.multicore.line import Flow
from anabranch.engine.spark.computing import each
from anabranch.engine.spark.intake import cut
from anabranch.engine.spark.pieces import LAST, Piece
from anabranch.io.badrows import BadRows
from anabranch.io.files import FileSource
from anabranch.io.rows import TimeOrder
from anabranch.io.splits import Split, splits_of
from anabranch.ir.graph import Graph, Operator

if TYPE_CHECKING:
    from pyspark import SparkContext

SMALLEST, LARGEST = 1 << 20, 16 << 20
"""How many bytes a split may have."""

LONGEST = 65_536
"""How many rows in columns a slice may have."""


@dataclass(frozen=True)
class FilePart:
    """A split of a source; `number` is its place among all splits of the program."""

    number: int
    source: Operator
    split: Split
    policy: str

    def pieces(self) -> Iterator[Piece]:
        """The rows as slices, with what the driver has to know of them."""
        rows = BadRows(self.policy)
        count, read, complete = yield from self._in_columns()
        if not complete:
            rest = ((self.source, item) for item in islice(self.split.items(rows), read, None))
            yield from map(self._told, cut(rest, self.number, first=count))
        if rows.counts:
            yield Piece((self.number, LAST), {}, bad=tuple(rows.counts.items()))

    def _in_columns(self) -> Generator[Piece, None, tuple[int, int, bool]]:
        """Slices in columns; how many there are, with how many rows, and whether that is all."""
        count = read = 0
        batches = (extract.batch for extract in self.split.extracts())
        while True:
            try:
                batch = next(batches, None)
            except Exception:
                # Whatever it is, reading item by item knows better.
                return count, read, False
            if batch is None:
                return count, read, True
            for start in range(0, len(batch), LONGEST):
                items = Columns(batch.slice(start, LONGEST), self.split.source.type)
                flow = Flow(range(len(items)), items)
                yield self._told(Piece((self.number, count), {self.source.outputs[0]: flow}))
                count += 1
            read += len(batch)

    def _told(self, piece: Piece) -> Piece:
        flow = piece.flows.get(self.source.outputs[0], Flow((), []))
        ends = [end for part in (flow.items[:1], flow.items[-1:]) for end in part]
        time = self.split.source.time
        times = (tuple(map(attrgetter(time), ends)),) if time and ends else ()
        return piece._replace(read=((self.source.name, len(flow.items)),), times=times)


def file_parts(graph: Graph, options, tasks: int) -> list[FilePart] | None:
    """The files of all sources in program order, split so that there is work for so many tasks.

    None when the driver has to read them: when rows of several sources are merged by their times,
    counted, or kept apart.
    """
    if not all(map(_is_file, graph.sources)) or options.limit is not None:
        return None
    timed = [op for op in graph.sources if op.kind.time or op.kind.spec.time]
    known = ("stop",) if timed else ("stop", "skip")
    if len(timed) > 1 or options.on_error not in known:
        return None
    size = min(max(SMALLEST, _bytes(graph) // tasks), LARGEST)
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


class TimesAcross:
    """Notices a split that begins before the time at which the one before it ends."""

    def __init__(self, parts: Sequence[FilePart], last: object = None):
        self.parts, self.last = {part.number: part for part in parts}, last

    def check(self, piece: Piece) -> None:
        """Raises the error of the first row of the split."""
        for first, last in piece.times:
            if self.last is not None and first < self.last:
                split = self.parts[piece.number[0]].split
                order = TimeOrder(split.source.time)
                order.last = self.last
                deque(split.items(BadRows("stop"), order), maxlen=0)
            self.last = last
