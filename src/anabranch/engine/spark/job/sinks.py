"""Folders of part files that executors write: a part for each task at the end.

The driver makes the folder and puts it in place; rows do not pass through it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from anabranch.batch.items import Columns
from anabranch.batch.slices import Failure
from anabranch.core.errors import AnabranchError, RunError
from anabranch.engine.spark.job.pieces import LAST, SlicePiece
from anabranch.engine.spark.job.stamps import origin
from anabranch.io.files.sinks import FileSink, WholeFolder, part_name
from anabranch.io.writer import Writer
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Type


@dataclass(frozen=True)
class PartSink:
    """A sink that the executors write: what it is called, what comes there, and where it goes."""

    name: str
    position: int
    queue: str
    item_type: Type
    spec: FileSink
    folder: str

    def part(self, number: int) -> Writer:
        if not os.path.isdir(self.folder):
            raise RunError(f"the executors do not find the folder of '{self.spec.path}'",
                           self.spec.span, help="a cluster needs a path that all machines share")
        path = os.path.join(self.folder, part_name(number, self.spec.extension))
        return self.spec.open_part(path, self.item_type)


class Folders:
    """The folders of a run: `sinks` for the executors, `note` for what they report."""

    def __init__(self, graph: Graph, operators: Sequence[Operator]):
        self.parts: dict[str, set[int]] = {op.name: set() for op in operators}
        self.made: dict[str, WholeFolder] = {}
        try:
            for op in operators:
                self.made[op.name] = WholeFolder(op.kind.spec.path, op.span)
        except BaseException:
            self.abort()
            raise
        self.sinks = tuple(
            PartSink(op.name, graph.position(op), op.inputs[0], graph.input_types(op)[0],
                     op.kind.spec, self.made[op.name].temporary) for op in operators)

    def note(self, piece: SlicePiece, written: dict[str, int]) -> None:
        for name, part, count in piece.written:
            written[name] += count
            self.parts[name].add(part)

    def commit(self) -> None:
        for sink in self.sinks:
            self._complete(sink)
        for folder in self.made.values():
            folder.commit()

    def _complete(self, sink: PartSink) -> None:
        """There is at least one part, so that the folder says what it holds; none is missing."""
        numbers = self.parts[sink.name]
        if not numbers:
            sink.part(0).commit()
        there = set(self.made[sink.name].parts)
        missing = {part_name(n, sink.spec.extension) for n in numbers} - there
        if missing:
            raise RunError(f"the driver does not find {min(missing)} of '{sink.spec.path}'",
                           sink.spec.span, help="a cluster needs a path that all machines share")

    def abort(self) -> None:
        for folder in self.made.values():
            folder.abort()


@contextmanager
def opened_folders(graph: Graph, names: Container[str]) -> Iterator[Folders]:
    """The folders of the sinks of these names: all appear when the block ends well, none if not."""
    folders = Folders(graph, [op for op in graph.sinks if op.name in names])
    try:
        yield folders
        folders.commit()
    finally:
        folders.abort()


def written(sinks: Sequence[PartSink], number: int,
            pieces: Iterable[SlicePiece]) -> Iterator[SlicePiece]:
    """Writes part `number` of every sink; what is left of the pieces is what the driver needs."""
    writers: dict[str, Writer] = {}
    last = None
    try:
        for piece in pieces:
            if last is not None:
                yield last
            last = _written_piece(sinks, writers, number, piece)
        if last is not None:
            yield _committed(writers, last)
    finally:
        for writer in writers.values():
            writer.abort()


def _written_piece(sinks: Sequence[PartSink], writers: dict[str, Writer], number: int,
                   piece: SlicePiece) -> SlicePiece:
    counts: Counter[str] = Counter()
    failures: list[Failure] = []
    for sink in sinks:
        flow = piece.flows.get(sink.queue)
        # Nothing of a run that fails is ever seen.
        if not flow or not len(flow.items) or piece.failures:
            continue
        try:
            if sink.name not in writers:
                writers[sink.name] = sink.part(number)
            for written_rows in _written(writers[sink.name], flow.items):
                counts[sink.name] += written_rows
        except AnabranchError as error:
            failed = origin(flow.rows[counts[sink.name]])
            failures.append(Failure((failed, sink.position, 0), error))
    done = tuple((name, number, count) for name, count in counts.items())
    return piece.with_flows(piece.flows, failures)._replace(written=done)


def _written(writer: Writer, items: Sequence) -> Iterator[int]:
    """Writes the items, and gives how many were written at a time."""
    if isinstance(items, Columns) and writer.takes_columns:
        writer.write_batch(items.batch)
        yield len(items)
        return
    for item in items:
        writer.write(item)
        yield 1


def _committed(writers: dict[str, Writer], last: SlicePiece) -> SlicePiece:
    try:
        for name in list(writers):
            writers.pop(name).commit()
    except AnabranchError as error:
        return last.with_flows(last.flows, [Failure((LAST, 0, 0), error)])
    return last
