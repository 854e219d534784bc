"""What a batch reads: files that have arrived, and rows that waited.

Files are read by the executors, unless the driver has to see their rows: where rows wait for those
of other sources, are counted, or kept apart when they are malformed, and sources that are no files.
Of one batch, the sources come in the order of the program, and the files of a source in the order
of their names.

Sources with a time attribute are merged by it. Of an unbounded source only the past is known, so a
row goes on when no row that is still to come could go before it: when every other source has shown
a later time, or the same time and stands behind it in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, islice, takewhile
from operator import attrgetter, itemgetter
from typing import NamedTuple

from anabranch.engine.spark.job.pickling import dumped
from anabranch.engine.spark.job.pieces import Number, SlicePiece, encoded
from anabranch.engine.spark.job.sources import TimesAcross, cut, file_parts
from anabranch.engine.spark.stream.arrivals import Arrived
from anabranch.engine.spark.stream.checkpoint import Manifest
from anabranch.io.rows import BadRows, TimeOrder
from anabranch.io.splits import splits_of
from anabranch.ir.graph import Graph, Operator
from anabranch.plan.physical.spark.plan import SparkPlan
from anabranch.plan.physical.spark.reading import grows
from anabranch.plan.physical.spark.tuning import SparkKnobs
from anabranch.runtime.ends.merging import merged

BATCH = 32
"""The number of a slice begins with that of its batch; so many bits are left for the parts."""


@dataclass(frozen=True)
class BatchInput:
    """The input of a batch: slices, or where they are, each with the number of its first slice.

    `seen` is called with every slice that has come through, in order; then `after` gives what the
    manifest has to say of the sources.
    """

    data: list[bytes]
    numbers: list[Number]
    size: int
    seen: Callable[[SlicePiece], None]
    after: Callable[[], dict[str, object]]


Compiled = Callable[[int], bool]
"""Whether tasks have kernels for a batch of so many bytes."""


class StreamSources:
    """The sources of a stream by its plan; `read` counts their rows."""

    def __init__(self, physical: SparkPlan, bad: BadRows, read: dict[str, int]):
        self.physical, self.graph, self.bad, self.read = physical, physical.graph, bad, read
        self.limit, self.on_driver = physical.asked.limit, physical.reading.by_driver is not None
        self.here = DriverReads(self.graph, bad, read, self.limit, physical.tuning)

    def given(self, manifest: Manifest, arrived: Iterable[Arrived], compiled: Compiled,
              ending: bool) -> BatchInput:
        """The input of the batch behind `manifest`; at the end of the input, all that waits."""
        position = {op.name: n for n, op in enumerate(self.graph.sources)}
        arrived = sorted(arrived, key=lambda a: (position[a.source], a.order))
        base, before = manifest.number << BATCH, sum(self.read.values())
        read = self._read_here if self.on_driver else self._read_there
        given = read(manifest, arrived, base, ending, compiled)

        def after() -> dict[str, object]:
            return given.after() | {"taken": manifest.taken + sum(self.read.values()) - before}
        return replace(given, after=after)

    def _read_here(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool,
                   compiled: Compiled) -> BatchInput:
        pieces = self.here.pieces(manifest, arrived, base, ending)
        after, data = self.here.after(), [encoded(piece) for piece in pieces]
        return BatchInput(data, [piece.number for piece in pieces], sum(map(len, data)),
                     lambda piece: None, lambda: after)

    def _read_there(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool,
                    compiled: Compiled) -> BatchInput:
        size = sum(a.size for a in arrived)
        files = [(self.graph[a.source], a.file) for a in arrived]
        parts = file_parts(self.physical.batch_splits(files, compiled(size)), self.bad.policy,
                           self.physical.tuning, base)
        timed = next((op.name for op in self.here.timed), "")
        times = TimesAcross(parts, manifest.times.get(timed))

        def seen(piece: SlicePiece) -> None:
            times.check(piece)
            self._count(piece)
        return BatchInput(list(map(dumped, parts)), [(p.number, 0) for p in parts], size, seen,
                     lambda: {"times": {timed: times.last} if timed else {}})

    def _count(self, piece: SlicePiece) -> None:
        for source, count, _ in piece.read:
            self.read[source] += count
        self.bad.counts.update(dict(piece.bad))


WHOLE_FILE = 1 << 62


class DriverReads:
    """The sources of a stream, row by row; `read` counts the rows that go on, and no more than
    `limit` ever do."""

    def __init__(self, graph: Graph, bad: BadRows, read: dict[str, int], limit: int | None,
                 knobs: SparkKnobs):
        self.graph, self.bad, self.read, self.limit, self.knobs = graph, bad, read, limit, knobs
        self.timed = [op for op in graph.sources if op.kind.time]
        self.whole = [op for op in graph.sources if not grows(op)]
        self.waiting: WaitingRows | None = None

    def pieces(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool
               ) -> list[SlicePiece]:
        """The slices of a batch; at the end of the input, with all rows that wait."""
        coming = merged(self.graph, self._going_on(manifest, arrived, ending))
        left = None if self.limit is None else max(0, self.limit - manifest.taken)
        return list(cut(self._counted(islice(coming, left)), base, self.knobs))

    def after(self) -> dict[str, object]:
        """What the manifest has to say of rows that wait."""
        return {"held": self.waiting.held(), "times": dict(self.waiting.last),
                "whole": tuple(op.name for op in self.whole)}

    def _counted(self, coming: Iterator[tuple[Operator, object]]) -> Iterator:
        for op, item in coming:
            self.read[op.name] += 1
            yield op, item

    def _going_on(self, manifest: Manifest, arrived: list[Arrived], ending: bool
                  ) -> dict[str, Iterable[object]]:
        if self.waiting is None:
            self.waiting = self._restored(manifest)
        for op in self.timed:
            self.waiting.add(op.name, self._new(op, arrived, manifest), op in self.whole)
        # Nothing is read behind the last row that goes on, nor is an error found there.
        free = {op.name: map(attrgetter("item"), self._new(op, arrived, manifest))
                for op in self.graph.sources if op not in self.timed}
        return free | self.waiting.released(ending)

    def _new(self, op: Operator, arrived: list[Arrived],
             manifest: Manifest) -> Iterator[WaitingRow]:
        if not grows(op):
            return iter(()) if op.name in manifest.whole else self._rows(op, "", None, self.bad)
        order = TimeOrder(op.kind.time)
        order.last = manifest.times.get(op.name)
        return (row for a in arrived if a.source == op.name
                for row in self._rows(op, a.file, order, self.bad))

    @staticmethod
    def _rows(op: Operator, file: str, order: TimeOrder | None,
              bad: BadRows) -> Iterator[WaitingRow]:
        if not grows(op):
            yield from (WaitingRow(item, "", n) for n, item in enumerate(op.kind.spec.items(bad)))
            return
        source = op.kind.spec.only(file)
        items = (item for split in splits_of(source, WHOLE_FILE)
                 for item in split.items(bad, order))
        yield from (WaitingRow(item, file, n) for n, item in enumerate(items))

    def _restored(self, manifest: Manifest) -> WaitingRows:
        """The rows that waited when the stream was interrupted, read again. What is malformed among
        them has been told."""
        waiting, known = WaitingRows(self.timed, manifest.times, manifest.whole), BadRows("skip")
        for op in self.timed:
            for file, taken in manifest.held.get(op.name, ()):
                rows = self._rows(op, file, TimeOrder(op.kind.time), known)
                waiting.add(op.name, islice(rows, taken, None))
        return waiting


class WaitingRow(NamedTuple):
    """An item, the file it stands in, and which of the rows of that file it is."""

    item: object
    file: str
    place: int


class WaitingRows:
    """The rows of the timed sources that have been read and not yet gone on."""

    def __init__(self, timed: Iterable[Operator], times: dict[str, object], whole: Iterable[str]):
        self.time = {op.name: attrgetter(op.kind.time) for op in timed}
        self.last = {name: times.get(name) for name in self.time}
        self.ended = {name for name in whole if name in self.time}
        self.rows: dict[str, list[WaitingRow]] = {name: [] for name in self.time}

    def add(self, source: str, rows: Iterable[WaitingRow], ended: bool = False) -> None:
        self.rows[source] += rows
        if self.rows[source]:
            self.last[source] = self.time[source](self.rows[source][-1].item)
        if ended:
            self.ended.add(source)

    def released(self, all_of_them: bool) -> dict[str, list[object]]:
        """The items that go on now; all of them at the end of the input."""
        gone = {name: self._first(name, all_of_them) for name in self.rows}
        for name, count in gone.items():
            self.rows[name], gone[name] = self.rows[name][count:], self.rows[name][:count]
        return {name: [row.item for row in rows] for name, rows in gone.items()}

    def held(self) -> dict[str, list[tuple[str, int]]]:
        """For each source the files in which rows wait, and which row is the first of them."""
        return {name: [(file, next(group).place) for file, group in groupby(rows, itemgetter(1))]
                for name, rows in self.rows.items() if rows}

    def _first(self, source: str, all_of_them: bool) -> int:
        if all_of_them:
            return len(self.rows[source])
        time = self.time[source]
        return sum(1 for _ in takewhile(lambda row: self._may_go(source, time(row.item)),
                                        self.rows[source]))

    def _may_go(self, source: str, time: object) -> bool:
        names = list(self.rows)
        return all(other == source or other in self.ended or (
            self.last[other] is not None and (
                time < self.last[other]
                or (time == self.last[other] and names.index(source) < names.index(other))))
            for other in names)
