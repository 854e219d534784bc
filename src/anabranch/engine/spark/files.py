"""File sources that are read on the executors: a split of a file is a part of the input."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

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
        for piece in cut(((self.source, item) for item in self.split.items(rows)), self.number):
            items = [item for flow in piece.flows.values() for item in flow.items]
            yield piece._replace(read=((self.source.name, len(items)),), times=self._times(items))
        if rows.counts:
            yield Piece((self.number, LAST), {}, bad=tuple(rows.counts.items()))

    def _times(self, items: list) -> tuple:
        if not (self.split.source.time and items):
            return ()
        time = attrgetter(self.split.source.time)
        return ((time(items[0]), time(items[-1])),)


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


def seen_by_executors(context: SparkContext, parts: Sequence[FilePart]) -> bool:
    """Whether the executors find the files where the driver does: always on this machine."""
    if context.master.startswith("local"):
        return True
    sizes = {part.split.path: os.path.getsize(part.split.path) for part in parts}
    tasks = 2 * context.defaultParallelism
    return all(context.parallelize(range(tasks), tasks).map(lambda _: has_files(sizes)).collect())


def has_files(sizes: dict[str, int]) -> bool:
    return all(os.path.isfile(path) and os.path.getsize(path) == size
               for path, size in sizes.items())


def check_readable(graph: Graph) -> None:
    """Raises what reading the first row of the first source would raise, if that is a file."""
    for op in filter(_is_file, graph.sources[:1]):
        next(iter(op.kind.spec.items(BadRows("skip"))), None)


class TimesAcross:
    """Notices a split that begins before the time at which the one before it ends."""

    def __init__(self, parts: Sequence[FilePart]):
        self.parts, self.last = parts, None

    def check(self, piece: Piece) -> None:
        """Raises the error of the first row of the split."""
        for first, last in piece.times:
            if self.last is not None and first < self.last:
                split = self.parts[piece.number[0]].split
                order = TimeOrder(split.source.time)
                order.last = self.last
                deque(split.items(BadRows("stop"), order), maxlen=0)
            self.last = last
