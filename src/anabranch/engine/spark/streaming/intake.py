"""What a batch reads: the files that have arrived, and rows that have waited for their turn.

Files are read by the executors, unless sources are merged by time, or some source is no file: then
the driver reads them. Of one batch, the sources come in the order of the program, and the files of
a source in the order of their names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, islice
from operator import itemgetter
from typing import NamedTuple

from anabranch.engine.sequential import merged
from anabranch.engine.spark.files import LARGEST, SMALLEST, FilePart, TimesAcross
from anabranch.engine.spark.intake import cut
from anabranch.engine.spark.pieces import Number, Piece, encoded
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.engine.spark.streaming.waiting import Row, Waiting
from anabranch.engine.spark.travel import dumped
from anabranch.io.badrows import BadRows
from anabranch.io.files import FileSource
from anabranch.io.rows import TimeOrder
from anabranch.io.splits import splits_of
from anabranch.ir.graph import Graph, Operator

BYTES_OF_A_BATCH = 256 << 20
BATCH = 32
"""The number of a slice begins with that of its batch; so many bits are left for the parts."""


WHOLE_FILE = 1 << 62


class Arrived(NamedTuple):
    """A file of a source."""

    source: str
    file: str
    size: int


def portion(arrived: Iterable[Arrived], begun: dict[str, int], files: int | None
            ) -> tuple[list[Arrived], dict[str, int]]:
    """The files of the next batch, of each source in the order of their names, and how many files
    of each are done then. Without a number of files, so many bytes are enough.

    >>> three = [Arrived("in", name, 1) for name in ("c", "a", "b")]
    >>> [file.file for file in portion(three, {"in": 1}, 1)[0]], portion(three, {}, None)[1]
    (['b'], {'in': 3})
    """
    chosen: list[Arrived] = []
    done: dict[str, int] = {}
    for source, own in groupby(sorted(arrived), key=itemgetter(0)):
        left = list(own)[begun.get(source, 0):]
        before = accumulate((a.size for a in left), initial=0)
        enough = sum(1 for size in islice(before, len(left)) if size < BYTES_OF_A_BATCH)
        taken = left[:enough if files is None else files]
        chosen += taken
        done[source] = begun.get(source, 0) + len(taken)
    return chosen, done


@dataclass(frozen=True)
class Given:
    """The input of a batch: slices, or where they are, each with the number of its first slice.

    `seen` is called with every slice that has come through, in order; then `after` gives what the
    manifest has to say of the sources.
    """

    data: list[bytes]
    numbers: list[Number]
    size: int
    seen: Callable[[Piece], None]
    after: Callable[[], dict[str, object]]


class Intake:
    """The sources of a stream. Between batches it remembers rows that wait."""

    def __init__(self, graph: Graph, policy: str, read: dict[str, int]):
        self.graph, self.policy, self.read = graph, policy, read
        self.timed = [op for op in graph.sources if op.kind.time]
        self.on_driver = len(self.timed) > 1 or not all(map(grows, graph.sources))
        self.waiting: Waiting | None = None
        self.bad = BadRows(policy)

    def given(self, manifest: Manifest, arrived: Iterable[Arrived], tasks: int, ending: bool
              ) -> Given:
        """The input of the batch behind `manifest`; at the end of the input, all that waits."""
        position = {op.name: n for n, op in enumerate(self.graph.sources)}
        arrived = sorted(arrived, key=lambda a: (position[a.source], a.file))
        base = manifest.number << BATCH
        size = sum(a.size for a in arrived)
        if self.on_driver:
            return self._read_here(manifest, arrived, base, ending)
        parts = self._parts(arrived, base, min(max(SMALLEST, size // tasks), LARGEST))
        times = TimesAcross(parts, manifest.times.get(self._timed_name()))

        def seen(piece: Piece) -> None:
            times.check(piece)
            self._count(piece)
        return Given(list(map(dumped, parts)), [(p.number, 0) for p in parts], size, seen,
                     lambda: {"times": {self._timed_name(): times.last} if self.timed else {}})

    def _timed_name(self) -> str:
        return self.timed[0].name if self.timed else ""

    def _parts(self, arrived: list[Arrived], base: int, size: int) -> list[FilePart]:
        files = [(self.graph[a.source], a.file) for a in arrived]
        splits = [(op, split) for op, file in files
                  for split in splits_of(replace(op.kind.spec, path=file), size)]
        return [FilePart(base + n, replace(op, kind=replace(op.kind, spec=None)), split,
                         self.policy) for n, (op, split) in enumerate(splits)]

    def _count(self, piece: Piece) -> None:
        for source, count in piece.read:
            self.read[source] += count
        self.bad.counts.update(dict(piece.bad))

    def _read_here(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool
                   ) -> Given:
        if self.waiting is None:
            self.waiting = self._restored(manifest)
        whole = [op for op in self.graph.sources if not grows(op)]
        items = {op.name: self._new(op, arrived, manifest) for op in self.graph.sources}
        for op in self.timed:
            self.waiting.add(op.name, items[op.name], op in whole)
        free = {op.name: [row.item for row in items[op.name]] for op in self.graph.sources
                if op not in self.timed}
        given = free | self.waiting.released(ending)
        for name, each in given.items():
            self.read[name] += len(each)
        pieces = list(cut(merged(self.graph, given), base))
        held, times = self.waiting.held(), dict(self.waiting.last)
        data = [encoded(piece) for piece in pieces]
        return Given(data, [piece.number for piece in pieces], sum(map(len, data)),
                     lambda piece: None, lambda: {"held": held, "times": times,
                                                  "whole": tuple(op.name for op in whole)})

    def _new(self, op: Operator, arrived: list[Arrived], manifest: Manifest) -> list[Row]:
        if not grows(op):
            return [] if op.name in manifest.whole else list(self._rows(op, "", None))
        order = TimeOrder(op.kind.time)
        order.last = manifest.times.get(op.name)
        return [row for a in arrived if a.source == op.name
                for row in self._rows(op, a.file, order)]

    def _rows(self, op: Operator, file: str, order: TimeOrder | None) -> Iterator[Row]:
        if not grows(op):
            yield from (Row(item, "", n) for n, item in enumerate(op.kind.spec.items(self.bad)))
            return
        source = replace(op.kind.spec, path=file)
        items = (item for split in splits_of(source, WHOLE_FILE)
                 for item in split.items(self.bad, order))
        yield from (Row(item, file, n) for n, item in enumerate(items))

    def _restored(self, manifest: Manifest) -> Waiting:
        """The rows that waited when the stream was interrupted, read again."""
        waiting = Waiting(self.timed, manifest.times, manifest.whole)
        for op in self.timed:
            for file, taken in manifest.held.get(op.name, ()):
                rows = self._rows(op, file, TimeOrder(op.kind.time))
                waiting.add(op.name, islice(rows, taken, None))
        return waiting


def grows(op: Operator) -> bool:
    """Whether more may come: a folder or a glob, unlike a single file or a list, which is read
    once, in the first batch."""
    return isinstance(op.kind.spec, FileSource) and not os.path.isfile(op.kind.spec.path)
