"""File sources that are read on the executors: a file is a part of the input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

from anabranch.engine.spark.intake import cut
from anabranch.engine.spark.pieces import LAST, Piece
from anabranch.engine.spark.session import has_session, local_cores
from anabranch.io.badrows import BadRows
from anabranch.io.files import FileSource
from anabranch.ir.graph import Graph, Operator


@dataclass(frozen=True)
class FilePart:
    """One file of a source; `number` is its place among all files of the program."""

    number: int
    source: Operator
    file: str
    policy: str

    def pieces(self) -> Iterator[Piece]:
        rows = BadRows(self.policy)
        items = replace(self.source.kind.spec, path=self.file).items(rows)
        for piece in cut(((self.source, item) for item in items), self.number):
            count = sum(len(flow.items) for flow in piece.flows.values())
            yield piece._replace(read=((self.source.name, count),))
        if rows.counts:
            yield Piece((self.number, LAST), {}, bad=tuple(rows.counts.items()))


def file_parts(graph: Graph, options) -> list[FilePart] | None:
    """The files of all sources in program order; None when the driver has to read them.

    It has to when rows are merged by their times, counted, or kept apart; when executors may not
    see the files; and when there are fewer files than cores, which would then stand idle.
    """
    simple = all(map(_is_simple, graph.sources)) and options.limit is None
    if not simple or options.on_error not in ("stop", "skip"):
        return None
    files = [(op, file) for op in graph.sources for file in op.kind.spec.files()]
    cores = local_cores(options.master)
    # A session that is already there may have started in another folder.
    in_sight = not has_session() or all(os.path.isabs(file) for _, file in files)
    if cores is None or len(files) < max(cores, 2) or not in_sight:
        return None
    return [FilePart(n, op, file, options.on_error) for n, (op, file) in enumerate(files)]


def _is_simple(op: Operator) -> bool:
    spec = op.kind.spec
    return isinstance(spec, FileSource) and spec.replayable and not (op.kind.time or spec.time)


def check_readable(graph: Graph) -> None:
    """Raises what reading the first row of each source would raise."""
    for op in graph.sources[:1]:
        next(iter(op.kind.spec.items(BadRows("skip"))), None)
