"""The folder of a sink of a stream: part files that grow in number, batch by batch.

The part files of a batch are written into a hidden folder and appear when the batch has happened.
In the order of their names they are the output of the program.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable

from anabranch.errors import RunError, UsageError
from anabranch.io.locks import lock, unlock
from anabranch.io.output import cannot_write
from anabranch.source import Span

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
