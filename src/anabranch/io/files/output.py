"""Where a writer's bytes go: a file, whole or not at all, or standard output."""

from __future__ import annotations

import fcntl
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from anabranch.core.errors import RunError
from anabranch.core.source import Span
from anabranch.core.threads import start_thread
from anabranch.io.files.locks import hidden_name, locked_file
from anabranch.io.files.packing import packing

BUFFER = 1 << 20


class WholeFile:
    """A file that is written beside its final place and put there by `commit`.

    What is not a regular file (a pipe, /dev/null) cannot be replaced and is written directly. Only
    one run writes it, unless it is `private`: in a folder that is this run's alone. With a `codec`
    what is written is packed.
    """

    appears_whole = True

    def __init__(self, path: str, where: Span | None = None, private: bool = False,
                 codec: str | None = None):
        self.path, self.where, self.private = os.fspath(path), where, private
        check_writable(self.path, where)
        self.target = os.path.realpath(self.path)
        try:
            self.temporary, self.stream = self._opened()
        except OSError as error:
            raise self._failure(error) from error
        self.packed = self.stream if codec is None else packing(self.stream, codec)

    def _opened(self):
        if _is_device(self.target):
            return None, open(self.target, "wb", BUFFER)
        if self.private:
            folder, name = os.path.split(self.target)
            # A task that is done again may meet its first try.
            descriptor, temporary = tempfile.mkstemp(".tmp", f".{name[:100]}.", folder)
        else:
            temporary = hidden_name(self.target)
            descriptor = locked_file(temporary, self.path, self.where)
        return temporary, os.fdopen(descriptor, "wb", BUFFER)

    def write(self, text: str) -> None:
        self.write_bytes(text.encode())

    def write_bytes(self, data: bytes | memoryview) -> None:
        try:
            self.packed.write(data)
        except OSError as error:
            raise self._failure(error) from error

    def commit(self) -> None:
        """Puts the file in place, with the permissions of the one before, or of any new file."""
        try:
            self._pack()
            self.stream.flush()
            if self.temporary is not None:
                os.chmod(self.temporary, _permissions(self.target))
                with _forgotten_later(self.target):
                    os.replace(self.temporary, self.target)
                self.temporary = None
            self._close()
        except OSError as error:
            self.abort()
            raise self._failure(error) from error

    def abort(self) -> None:
        """Leaves no trace; does nothing after `commit`."""
        if self.temporary is not None:
            with suppress(OSError):
                os.unlink(self.temporary)
            self.temporary = None
        with suppress(OSError, ValueError):
            self._pack()
        with suppress(OSError):
            self._close()

    def _pack(self) -> None:
        """Writes the end of what is packed."""
        if self.packed is not self.stream:
            self.packed.close()

    def _close(self) -> None:
        """Only now, when the file has its final name or is gone, another run may write one."""
        if not self.stream.closed:
            with suppress(OSError):
                fcntl.flock(self.stream, fcntl.LOCK_UN)
            self.stream.close()

    def _failure(self, error: OSError) -> RunError:
        return cannot_write(self.path, error.strerror or str(error), self.where)


WORTH_A_THREAD = 1 << 26
"""To let a file of so many bytes go takes the system some ten milliseconds: who replaces it need
not wait for that."""


@contextmanager
def _forgotten_later(path: str) -> Iterator[None]:
    """A large file that is replaced here goes when another thread lets go of it."""
    try:
        before = os.open(path, os.O_RDONLY) if os.path.getsize(path) >= WORTH_A_THREAD else None
    except OSError:
        before = None
    yield
    if before is not None:
        start_thread(os.close, before, name="remover", daemon=False)


def write_whole(path: str, text: str) -> None:
    """A file with this text, or none."""
    file = WholeFile(path)
    try:
        file.write(text)
        file.commit()
    finally:
        file.abort()


class StandardOutput:
    """Standard output as it is when the run begins; what is written cannot be taken back."""

    appears_whole = False

    def __init__(self, where: Span | None = None):
        self.stream, self.where = sys.stdout, where

    def write(self, text: str) -> None:
        try:
            self.stream.write(text)
        except (OSError, UnicodeEncodeError) as error:
            raise self._failure(error) from error

    def write_bytes(self, data: bytes | memoryview) -> None:
        self.write(str(data, "utf-8"))

    def commit(self) -> None:
        try:
            self.stream.flush()
        except OSError as error:
            raise self._failure(error) from error

    def abort(self) -> None:
        with suppress(OSError):
            self.stream.flush()

    def _failure(self, error: Exception) -> RunError:
        return RunError(f"cannot write to standard output: {error}", self.where)


def cannot_write(path: str, reason: str, where: Span | None, help: str | None = None) -> RunError:
    return RunError(f"cannot write '{path}': {reason}", where, help=help)


def check_writable(path: str, where: Span | None = None) -> None:
    """Refuses a path where no file can be put, before anything is processed."""
    folder = os.path.dirname(os.path.realpath(path))
    if os.path.isdir(path):
        raise cannot_write(path, "it is a folder", where, "name a file in it")
    if not os.path.isdir(folder):
        raise cannot_write(path, f"there is no folder '{os.path.dirname(path)}'", where,
                           "create the folder first")
    # A file that may not be written must not be replaced either.
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise cannot_write(path, "permission denied", where)


def _is_device(path: str) -> bool:
    return os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode)


def _permissions(path: str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else new_file_permissions()


def new_file_permissions() -> int:
    # The only portable way to read the mask is to set it.
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
