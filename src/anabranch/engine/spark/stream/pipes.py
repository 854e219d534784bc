"""Standard input and named pipes as folders that grow.

What has come is in files, so that it can be read again after an interruption. Lines are gathered
for a moment and written together. A file begins with the header of what came through the pipe, if
it has one, and ends with a whole row.
"""

from __future__ import annotations

import os
import queue
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from threading import Event, Thread

from anabranch.core.errors import AnabranchError, RunError, UsageError
from anabranch.core.threads import start_thread
from anabranch.engine.spark.stream.checkpoint import failing, made
from anabranch.io.csv.files import CsvSource
from anabranch.io.files.sources import FileSource
from anabranch.io.formats import source_of
from anabranch.io.stdio import stdin_lines
from anabranch.ir.ends import SourceSpec
from anabranch.ir.graph import Operator

LARGEST = 4 << 20
"""A file is complete when it has so many bytes."""

MOST_LINES = 100_000
"""So many lines may wait to be written."""

LINES = ("csv", "jsonl")


def as_folder(spec: SourceSpec, folder: str) -> FileSource:
    """The source that reads what a pipe has left in a folder."""
    if spec.format not in LINES:
        raise UsageError(f"{spec.format} cannot be read from a pipe", spec.span)
    if isinstance(spec, CsvSource) and not spec.dialect.is_usual:
        raise UsageError("a pipe of CSV with marks of its own cannot be read as a stream",
                         spec.span, help="let files in a folder grow")
    return source_of(spec.format)(made(folder), spec.type, spec.time, spec.span)


class Pipe:
    """Puts the lines of a pipe into the files of a folder, until it ends or is closed."""

    def __init__(self, op: Operator, folder: str, gathered: float):
        spec, self.gathered = op.kind.spec, gathered
        self.spec, self.folder = spec, folder
        self.has_header = spec.format == "csv"
        self.extension = f".{spec.format}"
        self.rows: queue.Queue[bytes | None] = queue.Queue(MOST_LINES)
        self.closing, self.ended = Event(), Event()
        self.error: AnabranchError | None = None
        self.last = 0
        self.writer: Thread | None = None

    def start(self) -> None:
        # Nothing wakes it from waiting for a line, so nobody waits for its end.
        start_thread(self._read, name=f"reads {self.spec}")
        self.writer = start_thread(self._write, name=f"keeps {self.spec}")

    def close(self) -> None:
        """What has been read is in files behind this."""
        self.closing.set()
        if self.writer is not None:
            self.writer.join()

    def _read(self) -> None:
        try:
            # To open a named pipe is to wait for who writes into it.
            with _lines(self.spec) as lines:
                for row in whole_rows(lines, quoted=self.has_header):
                    self.rows.put(row)
        except OSError as error:
            self.error = RunError(f"cannot read {self.spec.shown}: {error}", self.spec.span)
        self.rows.put(None)

    def _write(self) -> None:
        try:
            header = b""
            if self.has_header:
                header = next(self._coming(None), b"")
            while rows := list(self._coming(self.gathered)):
                self._put(header, rows)
        except AnabranchError as error:
            self.error = error
        if not self.closing.is_set():
            self.ended.set()

    def _coming(self, seconds: float | None) -> Iterator[bytes]:
        """Rows: it waits for the first one, and for others at most so long."""
        size, until = 0, None
        while size < LARGEST:
            row = self._next(until)
            if row is None:
                return
            until = until or (time.monotonic() + seconds if seconds else None)
            size += len(row)
            yield row

    def _next(self, until: float | None) -> bytes | None:
        """The next row; None at the end, and when it is too late for one."""
        while True:
            left = self.gathered if until is None else until - time.monotonic()
            try:
                row = self.rows.get(timeout=max(left, 0))
            except queue.Empty:
                if until is not None or self.closing.is_set():
                    return None
                continue
            if row is None:
                # Whoever asks next shall find the end too.
                self.rows.put(None)
            return row

    def _put(self, header: bytes, rows: Iterable[bytes]) -> None:
        """A file that appears whole. Its name is later than all that ever were here: Spark does not
        look at a name twice."""
        self.last = max(self.last + 1, time.time_ns())
        name = f"{self.last:020}{self.extension}"
        hidden = os.path.join(self.folder, f".{name}")
        with failing("write"):
            with open(os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(header)
                file.writelines(rows)
                file.flush()
                os.fsync(file.fileno())
            os.rename(hidden, os.path.join(self.folder, name))


def _lines(spec: SourceSpec) -> AbstractContextManager[Iterable[bytes]]:
    if isinstance(spec, FileSource):
        return open(spec.path, "rb")
    try:
        # A reader of its own: the interpreter waits at its end for whoever reads its own one.
        return open(os.dup(sys.stdin.fileno()), "rb")
    except (OSError, ValueError, AttributeError):
        return nullcontext(stdin_lines())


_QUOTED = re.compile(rb'(?:^|(?<=,))"(?:[^"]|"")*"(?=[,\r\n]|$)')
_OPENING = re.compile(rb'(?:^|,)"')


def whole_rows(lines: Iterable[bytes], quoted: bool) -> Iterator[bytes]:
    """Lines, those that a quoted cell goes over together, each with its end.

    >>> list(whole_rows([b'a,b', b'1,"x', b'y"'], quoted=True))
    [b'a,b\\n', b'1,"x\\ny"\\n']
    """
    row = b""
    for line in lines:
        row += line if line.endswith(b"\n") else line + b"\n"
        if not quoted or b'"' not in row or not _OPENING.search(_QUOTED.sub(b"", row)):
            yield row
            row = b""
    if row:
        yield row
