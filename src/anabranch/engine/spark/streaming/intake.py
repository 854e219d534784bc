"""What a batch reads: the files that have arrived, and rows that have waited for their turn.

Files are read by the executors, unless the driver has to see their rows. Of one batch, the sources
come in the order of the program, and the files of a source in the order of their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from anabranch.engine.spark.files import FilePart, TimesAcross, split_size
from anabranch.engine.spark.pieces import Number, Piece, encoded
from anabranch.engine.spark.streaming.arrivals import Arrived
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.engine.spark.streaming.reading import DriverReads
from anabranch.engine.spark.travel import dumped
from anabranch.io.badrows import BadRows
from anabranch.io.paths import in_order
from anabranch.io.splits import splits_of
from anabranch.ir.graph import Graph

BATCH = 32
"""The number of a slice begins with that of its batch; so many bits are left for the parts."""


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
    """The sources of a stream, of which at most `limit` rows are read in all."""

    def __init__(self, graph: Graph, bad: BadRows, read: dict[str, int], limit: int | None = None):
        self.graph, self.bad, self.read, self.limit = graph, bad, read, limit
        self.here = DriverReads(graph, bad, read, limit)
        self.on_driver = (len(self.here.timed) > 1 or bool(self.here.whole) or limit is not None
                          or bad.policy == "divert")

    def given(self, manifest: Manifest, arrived: Iterable[Arrived], tasks: int, ending: bool
              ) -> Given:
        """The input of the batch behind `manifest`; at the end of the input, all that waits."""
        position = {op.name: n for n, op in enumerate(self.graph.sources)}
        arrived = sorted(arrived, key=lambda a: (position[a.source], in_order(a.file)))
        base, before = manifest.number << BATCH, sum(self.read.values())
        read = self._read_here if self.on_driver else self._read_there
        given = read(manifest, arrived, base, ending, tasks)

        def after() -> dict[str, object]:
            return given.after() | {"taken": manifest.taken + sum(self.read.values()) - before}
        return replace(given, after=after)

    def _read_here(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool,
                   tasks: int) -> Given:
        pieces = self.here.pieces(manifest, arrived, base, ending)
        after, data = self.here.after(), [encoded(piece) for piece in pieces]
        return Given(data, [piece.number for piece in pieces], sum(map(len, data)),
                     lambda piece: None, lambda: after)

    def _read_there(self, manifest: Manifest, arrived: list[Arrived], base: int, ending: bool,
                    tasks: int) -> Given:
        size = sum(a.size for a in arrived)
        parts = self._parts(arrived, base, split_size(size, tasks))
        timed = next((op.name for op in self.here.timed), "")
        times = TimesAcross(parts, manifest.times.get(timed))

        def seen(piece: Piece) -> None:
            times.check(piece)
            self._count(piece)
        return Given(list(map(dumped, parts)), [(p.number, 0) for p in parts], size, seen,
                     lambda: {"times": {timed: times.last} if timed else {}})

    def _parts(self, arrived: list[Arrived], base: int, size: int) -> list[FilePart]:
        files = [(self.graph[a.source], a.file) for a in arrived]
        splits = [(op, split) for op, file in files
                  for split in splits_of(op.kind.spec.only(file), size)]
        return [FilePart(base + n, replace(op, kind=replace(op.kind, spec=None)), split,
                         self.bad.policy) for n, (op, split) in enumerate(splits)]

    def _count(self, piece: Piece) -> None:
        for source, count in piece.read:
            self.read[source] += count
        self.bad.counts.update(dict(piece.bad))
