"""The sinks of a stream: folders of part files that grow, batch by batch; and what cannot be taken
back: standard output, callbacks, lists.

The part files of a batch are written into a hidden folder and appear when the batch has happened.
In the order of their names they are the output of the program.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace

from anabranch.engine.spark.sinks import PartSink
from anabranch.engine.spark.streaming.manifest import Manifest
from anabranch.errors import RunError, UsageError
from anabranch.io.files import FileSink
from anabranch.io.folders import part_name
from anabranch.io.output import cannot_write
from anabranch.io.writer import Writer
from anabranch.ir.graph import Graph, Operator

_PART = re.compile(r"part-\d{8}-\d{5}\.\w+")
_PENDING = ".batch-"


def batch_part(batch: int, name: str) -> str:
    """The name of a part file among those of all batches.

    >>> batch_part(7, "part-00002.csv")
    'part-00000007-00002.csv'
    """
    return name.replace("part-", f"part-{batch:08}-", 1)


class Folder:
    """The folder of one sink."""

    def __init__(self, op: Operator):
        self.op, self.path = op, os.path.realpath(op.kind.spec.path)

    def begin(self, new: bool, start_over: bool) -> None:
        """Makes the folder, which a new stream must find empty."""
        try:
            os.makedirs(self.path, exist_ok=True)
        except OSError as error:
            raise cannot_write(self.path, error.strerror or str(error), self.op.span,
                               "name a folder for the part files") from error
        if start_over:
            for name in self._names():
                os.unlink(os.path.join(self.path, name))
        elif new and self._names():
            raise UsageError(f"'{self.op.kind.spec.path}' holds part files of another stream",
                             self.op.span, got=self._names()[-1],
                             help="name another folder, give the checkpoint of that stream, or "
                                  "--start-over to remove them")

    def pending(self, batch: int) -> str:
        return os.path.join(self.path, f"{_PENDING}{batch:08}")

    def prepare(self, batch: int) -> str:
        """The hidden folder of a batch, without what an earlier try has left."""
        for name in os.listdir(self.path):
            if name.startswith(_PENDING):
                shutil.rmtree(os.path.join(self.path, name))
        os.mkdir(self.pending(batch), 0o700)
        return self.pending(batch)

    def publish(self, batch: int, names: Iterable[str]) -> None:
        """Shows the part files of a batch; those that are shown already stay."""
        for name in names:
            source = os.path.join(self.pending(batch), name)
            target = os.path.join(self.path, batch_part(batch, name))
            if os.path.exists(source):
                os.replace(source, target)
            elif not os.path.exists(target):
                raise RunError(f"the part file {batch_part(batch, name)} of the checkpoint's last "
                               "batch is gone", self.op.span, expected=target)
        shutil.rmtree(self.pending(batch), ignore_errors=True)

    def _names(self) -> list[str]:
        return sorted(name for name in os.listdir(self.path) if _PART.fullmatch(name))


def _kept_parts(folder: str) -> list[str]:
    """The names of the part files in a folder, each of which then outlives a crash."""
    names = sorted(name for name in os.listdir(folder) if name.startswith("part-"))
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            os.fsync(file.fileno())
    return names


class Outputs:
    """All sinks of a stream. Between `prepare` and `flush` the driver may `emit`."""

    def __init__(self, graph: Graph, written: dict[str, int]):
        self.graph, self.written = graph, written
        files = [op for op in graph.sinks if isinstance(op.kind.spec, FileSink)]
        self.folders = {op.name: Folder(op) for op in files}
        self.others = {op.name: op.kind.spec.open(graph.input_types(op)[0])
                       for op in graph.sinks if op not in files}
        self.kept: list[tuple[Writer, object]] = []
        self.writers: dict[str, Writer] = {}

    def begin(self, manifest: Manifest, start_over: bool) -> None:
        for folder in self.folders.values():
            folder.begin(manifest.number == 0, start_over)
        self.publish(manifest)

    def prepare(self, batch: int) -> None:
        self.kept, self.writers = [], {}
        self.pending = {name: folder.prepare(batch) for name, folder in self.folders.items()}

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
            self.writers[op.name] = replace(op.kind.spec, path=path).open(
                self.graph.input_types(op)[0])
        self.writers[op.name].write(item)

    def flush(self) -> dict[str, tuple[str, ...]]:
        """Completes the batch; gives the names of its part files."""
        for name in list(self.writers):
            self.writers.pop(name).commit()
        for writer, item in self.kept:
            writer.write(item)
        for writer in self.others.values():
            writer.commit()
        return {name: tuple(_kept_parts(path)) for name, path in self.pending.items()}

    def abort(self) -> None:
        for writer in self.writers.values():
            writer.abort()

    def publish(self, manifest: Manifest) -> None:
        for name, parts in manifest.parts.items():
            self.folders[name].publish(manifest.number - 1, parts)
