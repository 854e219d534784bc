"""The sinks of a stream: folders of part files; and what cannot be taken back: standard output,
callbacks, lists."""

from __future__ import annotations

import os
from collections.abc import Iterable

from anabranch.engine.spark.sinks import PartSink
from anabranch.engine.spark.streaming.delivery import Delivery
from anabranch.engine.spark.streaming.diverted import DIVERTED, Diverted
from anabranch.engine.spark.streaming.folders import Folder, kept_parts
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.io.badrows import BadRows
from anabranch.io.files import FileSink
from anabranch.io.folders import part_name
from anabranch.io.writer import Writer
from anabranch.ir.graph import Graph, Operator


class Outputs:
    """All sinks of a stream, and the folder of malformed rows, if they are kept. Between `prepare`
    and `flush` the driver may `emit`."""

    def __init__(self, graph: Graph, written: dict[str, int], bad: BadRows, delivery: Delivery):
        self.graph, self.written, self.bad, self.delivery = graph, written, bad, delivery
        files = [op for op in graph.sinks if isinstance(op.kind.spec, FileSink)]
        self.folders = {op.name: Folder(op.kind.spec.path, op.span) for op in files}
        if isinstance(bad, Diverted):
            self.folders[DIVERTED] = Folder(bad.path)
        self.others = {op.name: op.kind.spec.open(graph.input_types(op)[0])
                       for op in graph.sinks if op not in files}
        self.kept: list[tuple[Writer, object]] = []
        self.writers: dict[str, Writer] = {}

    def begin(self, manifest: Manifest, start_over: bool) -> None:
        for folder in self.folders.values():
            folder.begin(manifest.number, start_over)
        self.delivery.begin(manifest.delivered)
        self.publish(manifest)

    def prepare(self, batch: int) -> None:
        self.kept, self.writers = [], {}
        self.pending = {name: folder.prepare(batch) for name, folder in self.folders.items()}
        if isinstance(self.bad, Diverted):
            self.bad.file = os.path.join(self.pending[DIVERTED], part_name(0, ".jsonl"))

    def part_sinks(self, names: Iterable[str]) -> list[PartSink]:
        """The sinks of these names, for executors to write."""
        return [PartSink(op.name, self.graph.position(op), op.inputs[0],
                         self.graph.input_types(op)[0], op.kind.spec, self.pending[op.name])
                for op in map(self.graph.__getitem__, names)]

    def emit(self, op: Operator, item: object) -> None:
        """Takes an item of a sink. What cannot be taken back waits until the batch is complete."""
        self.written[op.name] += 1
        if op.name in self.others:
            self.kept.append((self.others[op.name], item))
            return
        if op.name not in self.writers:
            path = os.path.join(self.pending[op.name], part_name(0, op.kind.spec.extension))
            self.writers[op.name] = op.kind.spec.open_part(path, self.graph.input_types(op)[0])
        self.writers[op.name].write(item)

    def flush(self) -> dict[str, tuple[str, ...]]:
        """Completes the batch; gives the names of its part files."""
        for name in list(self.writers):
            self.writers.pop(name).commit()
        self.bad.commit()
        if self.kept:
            self.delivery.give(self.kept)
        return {name: tuple(kept_parts(path)) for name, path in self.pending.items()}

    def abort(self) -> None:
        for writer in (*self.writers.values(), self.bad):
            writer.abort()

    def close(self) -> None:
        for folder in self.folders.values():
            folder.close()

    def publish(self, manifest: Manifest) -> None:
        for name, parts in manifest.parts.items():
            self.folders[name].publish(manifest.number - 1, parts)
