"""What the driver reads itself: where rows wait for those of other sources, are counted, or kept
apart when they are malformed, and sources that are no files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter

from anabranch.engine.merging import merged
from anabranch.engine.spark.intake import cut
from anabranch.engine.spark.pieces import Piece
from anabranch.engine.spark.streaming.arrivals import Arrived, grows
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.engine.spark.streaming.waiting import Row, Waiting
from anabranch.io.badrows import BadRows
from anabranch.io.rows import TimeOrder
from anabranch.io.splits import splits_of
from anabranch.ir.graph import Graph, Operator

WHOLE_FILE = 1 << 62


class DriverReads:
    """The sources of a stream, row by row; `read` counts the rows that go on, and no more than
    `limit` ever do."""

    def __init__(self, graph: Graph, bad: BadRows, read: dict[str, int], limit: int | None):
        self.graph, self.bad, self.read, self.limit = graph, bad, read, limit
        self.timed = [op for op in graph.sources if op.kind.time]
        self.whole = [op for op in graph.sources if not grows(op)]
        self.waiting: Waiting | None = None

    def pieces(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool
               ) -> list[Piece]:
        """The slices of a batch; at the end of the input, with all rows that wait."""
        coming = merged(self.graph, self._going_on(manifest, arrived, ending))
        left = None if self.limit is None else max(0, self.limit - manifest.taken)
        return list(cut(self._counted(islice(coming, left)), base))

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

    def _new(self, op: Operator, arrived: list[Arrived], manifest: Manifest) -> Iterator[Row]:
        if not grows(op):
            return iter(()) if op.name in manifest.whole else self._rows(op, "", None, self.bad)
        order = TimeOrder(op.kind.time)
        order.last = manifest.times.get(op.name)
        return (row for a in arrived if a.source == op.name
                for row in self._rows(op, a.file, order, self.bad))

    @staticmethod
    def _rows(op: Operator, file: str, order: TimeOrder | None, bad: BadRows) -> Iterator[Row]:
        if not grows(op):
            yield from (Row(item, "", n) for n, item in enumerate(op.kind.spec.items(bad)))
            return
        source = op.kind.spec.only(file)
        items = (item for split in splits_of(source, WHOLE_FILE)
                 for item in split.items(bad, order))
        yield from (Row(item, file, n) for n, item in enumerate(items))

    def _restored(self, manifest: Manifest) -> Waiting:
        """The rows that waited when the stream was interrupted, read again. What is malformed among
        them has been told."""
        waiting, known = Waiting(self.timed, manifest.times, manifest.whole), BadRows("skip")
        for op in self.timed:
            for file, taken in manifest.held.get(op.name, ()):
                rows = self._rows(op, file, TimeOrder(op.kind.time), known)
                waiting.add(op.name, islice(rows, taken, None))
        return waiting
