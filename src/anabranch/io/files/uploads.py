"""What is written to a store: made on this machine first, and sent by `commit`.

Nothing is renamed. An object appears when all of it has come; a folder of parts is what its
manifest lists, which is sent last, and what it does not list is removed then.
"""

from __future__ import annotations

import json
import mmap
import os
import tempfile
from contextlib import suppress
from uuid import uuid4

from anabranch.core.source import Span
from anabranch.io.files.output import BUFFER, WholeFile, cannot_write
from anabranch.io.files.packing import packing
from anabranch.io.files.paths import MANIFEST
from anabranch.io.files.stores import is_file, is_folder, names_in, put, remove


class UploadedFile(WholeFile):
    """A file of a store. It is made in the folder for temporary files, and takes its size there."""

    def __init__(self, path: str, where: Span | None = None, codec: str | None = None):
        self.path, self.where = path, where
        self._check()
        self.temporary = None
        # Its name is gone at once: however the run ends, nothing stays.
        self.stream = tempfile.TemporaryFile(buffering=BUFFER)  # noqa: SIM115
        self.packed = self.stream if codec is None else packing(self.stream, codec)

    def _check(self) -> None:
        if is_folder(self.path):
            raise cannot_write(self.path, "it is a folder", self.where, "name a file in it")

    def commit(self) -> None:
        try:
            self._pack()
            self.stream.flush()
            self._send()
            self.stream.close()
        except OSError as error:
            self.abort()
            raise self._failure(error) from error

    def _send(self) -> None:
        self._send_to(self.path)

    def _send_to(self, path: str) -> None:
        if not os.fstat(self.stream.fileno()).st_size:
            put(path, b"")
            return
        with mmap.mmap(self.stream.fileno(), 0, access=mmap.ACCESS_READ) as data, \
                memoryview(data) as view:
            put(path, view)

    def abort(self) -> None:
        with suppress(OSError, ValueError):
            self._pack()
        with suppress(OSError):
            self.stream.close()


class UploadedPart(UploadedFile):
    """The one part of a folder of a store, under a name that no run before had."""

    def __init__(self, path: str, extension: str, where: Span | None = None,
                 codec: str | None = None):
        self.folder, self.name = path.rstrip("/"), f"part-00000-{uuid4().hex}{extension}"
        super().__init__(path, where, codec)

    def _check(self) -> None:
        if is_file(self.folder):
            raise cannot_write(self.path, "it is a file", self.where, "name another folder")
        others = [name for name in self._names() if not _is_ours(name)]
        if others:
            raise cannot_write(self.path, f"it holds other files, such as '{others[0]}'",
                               self.where, "name a new folder, or one with part files only")

    def _names(self) -> list[str]:
        return sorted(names_in(self.folder)) if is_folder(self.folder) else []

    def _send(self) -> None:
        self._send_to(f"{self.folder}/{self.name}")
        put(f"{self.folder}/{MANIFEST}", json.dumps({"files": [self.name]}).encode())
        for name in self._names():
            if name not in (self.name, MANIFEST):
                # Nobody reads it any more; the next run would remove it.
                with suppress(OSError):
                    remove(f"{self.folder}/{name}")


def _is_ours(name: str) -> bool:
    return name == MANIFEST or name.startswith("part-0")
