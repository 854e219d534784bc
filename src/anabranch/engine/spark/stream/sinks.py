"""The sinks of a stream: folders of part files, and what cannot be taken back.

The part files of a batch are written into a hidden folder and appear when the batch has happened.
In the order of their names they are the output of the program. Malformed rows are kept apart in the
same way.

From standard output, callbacks and lists nothing comes back: each item goes there once. How many
have gone is noted behind each of them, in a file of the checkpoint. A batch that is done again
gives the same items in the same order, and those that had gone are left out. So a driver that is
killed repeats at most the one item that it was giving away.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Container, Iterable
from struct import Struct

from anabranch.core.errors import RunError, UsageError
from anabranch.core.source import Span
from anabranch.engine.spark.job.sinks import PartSink
from anabranch.engine.spark.stream.checkpoint import PRIVATE, Manifest, damaged, failing
from anabranch.io.files.locks import lock, unlock
from anabranch.io.files.output import WholeFile, cannot_write
from anabranch.io.files.sinks import FileSink, part_name
from anabranch.io.rows import BadRows
from anabranch.io.writer import Writer
from anabranch.ir.graph import Graph, Operator


class StreamSinks:
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

    def part_sinks(self, names: Container[str]) -> list[PartSink]:
        """The sinks of these names, for executors to write."""
        return [PartSink(op.name, self.graph.position(op), op.inputs[0],
                         self.graph.input_types(op)[0], op.kind.spec, self.pending[op.name])
                for op in self.graph.sinks if op.name in names]

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

    def __init__(self, path: str, span: Span | None = None):
        self.shown, self.path, self.span = path, os.path.realpath(path), span
        self.lock: int | None = None

    def begin(self, batches: int, start_over: bool) -> None:
        """Makes the folder, which a new stream must find empty, and one that has done so many
        batches without any part of a later one."""
        try:
            os.makedirs(self.path, exist_ok=True)
            self.lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise cannot_write(self.path, error.strerror or str(error), self.span,
                               "name a folder for the part files") from error
        lock(self.lock, self.shown, self.span)
        if start_over:
            for name in self._names():
                os.unlink(os.path.join(self.path, name))
        later = [n for n in self._names() if int(n.split("-")[1]) >= batches]
        if batches and later:
            raise RunError("the checkpoint is not the one of the last batch: its part files are "
                           f"in '{self.shown}'", self.span,
                           expected=f"no part files behind those of {batches} batches",
                           got=later[0], help="give the whole checkpoint of that stream, or "
                                              "--start-over to begin anew, with the whole input")
        if later:
            raise UsageError(f"'{self.shown}' holds part files of another stream",
                             self.span, got=self._names()[-1],
                             help="name another folder, give the checkpoint of that stream, or "
                                  "--start-over to remove them")

    def close(self) -> None:
        """From now on another run may write it."""
        if self.lock is not None:
            unlock(self.lock)
            self.lock = None

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
                               "batch is gone", self.span, expected=target)
        shutil.rmtree(self.pending(batch), ignore_errors=True)

    def _names(self) -> list[str]:
        return sorted(name for name in os.listdir(self.path) if _PART.fullmatch(name))


def kept_parts(folder: str) -> list[str]:
    """The names of the part files in a folder, each of which then outlives a crash."""
    names = sorted(name for name in os.listdir(folder) if name.startswith("part-"))
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            os.fsync(file.fileno())
    return names


_NUMBER = Struct("<QQ")
_ALL = (1 << 64) - 1


class Delivery:
    """Counts the items that have gone; `total` is how many that are, of the whole stream."""

    def __init__(self, path: str):
        self.path, self.total, self.gone = path, 0, 0

    def begin(self, total: int) -> None:
        """So many had gone behind the last batch that has happened."""
        self.total = total
        self.gone = max(total, self._noted())

    def give(self, items: Iterable[tuple[Writer, object]]) -> None:
        """Gives the items of a batch to their writers, without those that had gone before."""
        with failing("write"):
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT, PRIVATE)
        try:
            for writer, item in items:
                if self.total >= self.gone:
                    writer.write(item)
                    writer.commit()
                    self._note(file)
                self.total += 1
        finally:
            os.close(file)

    def _note(self, file: int) -> None:
        self.gone = self.total + 1
        with failing("write"):
            os.pwrite(file, _NUMBER.pack(self.gone, self.gone ^ _ALL), 0)

    def _noted(self) -> int:
        if not os.path.exists(self.path):
            return 0
        with failing("read"), open(self.path, "rb") as file:
            data = file.read()
        if not data:
            return 0
        if len(data) != _NUMBER.size or sum(_NUMBER.unpack(data)) != _ALL:
            raise damaged(self.path)
        return _NUMBER.unpack(data)[0]


DIVERTED = "--on-error"
"""Under this name the part files of malformed rows stand in a manifest: no sink can have it."""


class Diverted(BadRows):
    """Malformed rows as part files of a folder; `file` is that of the batch, if there are any."""

    def __init__(self, path: str):
        super().__init__("divert", path)
        self.file = ""

    def commit(self) -> None:
        if self._out is not None:
            self._out.commit()
        self._out = None

    def _diverted(self) -> WholeFile:
        if self._out is None:
            self._out = WholeFile(self.file, private=True)
        return self._out


def bad_rows(on_error: str) -> BadRows:
    """What is done with malformed rows in a stream."""
    policy, _, path = on_error.partition("=")
    return Diverted(path) if policy == "divert" and path else BadRows.parse(on_error)
