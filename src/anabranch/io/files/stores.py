"""Where the files of a path are: on this machine, or in a store, which a URI names.

The scheme says it: `s3`, `gs`, `abfs` and `hdfs` are reached through `pyarrow.fs`, with the
credentials that it finds; `file` is this machine, like a path without a scheme.

>>> plain("file:///data/a%20b.csv"), plain("data/a.csv"), is_remote("s3a://ledger/in")
('/data/a b.csv', 'data/a.csv', True)
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from urllib.parse import unquote

from anabranch.core.errors import RunError, UsageError
from anabranch.core.source import Span

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.fs import FileInfo, FileSystem

_URI = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/]*)/?(.*)", re.DOTALL)
SCHEMES = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs", "abfs": "abfs",
           "abfss": "abfss", "hdfs": "hdfs", "viewfs": "viewfs"}
"""The schemes that are read, under the names that `pyarrow.fs` has for them."""

WITH_RENAMES = ("hdfs", "viewfs")
"""Where a file can be seen while it is written, and gets its name by a rename."""


def plain(path: str, where: Span | None = None) -> str:
    """The path as it is used: a URI, or a path of this machine; refuses what cannot be reached."""
    found = _URI.match(path)
    if found is None:
        return path
    scheme, authority, rest = found.groups()
    if scheme.lower() == "file" and authority in ("", "localhost"):
        return unquote(f"/{rest}")
    if scheme.lower() not in SCHEMES:
        raise UsageError(f"no files are read or written at {scheme}://", where, got=path,
                         expected=", ".join(f"{name}://" for name in ("file", *SCHEMES)))
    if not authority or set(authority) & set("*?["):
        raise UsageError("the path names no bucket or host", where, got=path,
                         expected=f"such as {scheme}://name/folder/*.csv")
    return path


def is_remote(path: str) -> bool:
    found = _URI.match(path)
    return found is not None and found[1].lower() in SCHEMES


def absolute(path: str) -> str:
    """What leads to it from any folder."""
    return path if is_remote(path) else os.path.abspath(path)


def is_file(path: str) -> bool:
    return _info(path).is_file if is_remote(path) else os.path.isfile(path)


def is_folder(path: str) -> bool:
    if not is_remote(path):
        return os.path.isdir(path)
    from pyarrow.fs import FileType

    return _info(path).type == FileType.Directory


def exists(path: str) -> bool:
    if not is_remote(path):
        return os.path.exists(path)
    from pyarrow.fs import FileType

    return _info(path).type != FileType.NotFound


def size_of(path: str) -> int:
    return _info(path).size or 0 if is_remote(path) else os.path.getsize(path)


class Entry(NamedTuple):
    """What is in a folder; what is neither a file nor a folder of a store is nothing."""

    name: str
    is_file: bool
    is_folder: bool


def entries(folder: str) -> list[Entry]:
    """What is in a folder; `OSError` if it cannot be read."""
    if not is_remote(folder):
        with os.scandir(folder) as found:
            return [Entry(one.name, one.is_file(), one.is_dir()) for one in found]
    from pyarrow.fs import FileSelector, FileType

    store, inner = _at(folder)
    with _told_as_system():
        found = store.get_file_info(FileSelector(inner))
    # Some tools put an empty object without a name in the place of a folder.
    return [Entry(info.base_name, info.is_file, info.type == FileType.Directory)
            for info in found if info.base_name]


def names_in(folder: str) -> list[str]:
    return [entry.name for entry in entries(folder)]


@contextmanager
def opened_bytes(path: str) -> Iterator[BinaryIO]:
    """The bytes of a file from its beginning on; `OSError` if they cannot be read."""
    if not is_remote(path):
        with open(path, "rb") as stream:
            yield stream
        return
    store, inner = _at(path)
    with _told_as_system(), store.open_input_stream(inner, compression=None) as stream:
        yield io.BufferedReader(ArrowBytes(stream), 1 << 20)


@contextmanager
def opened_anywhere(path: str) -> Iterator[str | pa.NativeFile]:
    """What Arrow reads a file from that is read at several places."""
    if not is_remote(path):
        yield path
        return
    store, inner = _at(path)
    with store.open_input_file(inner) as stream:
        yield stream


def put(path: str, data: bytes | memoryview) -> None:
    """Makes a file of these bytes, which is there whole or not at all; `OSError` if it cannot be.

    An object store shows an object when all of it has come. Elsewhere the file gets its name last.
    """
    store, inner = _at(path)
    scheme = _URI.match(path)[1].lower()
    with _told_as_system():
        aside = f"{os.path.dirname(inner)}/.{os.path.basename(inner)}.tmp"
        target = aside if scheme in WITH_RENAMES else inner
        if target is aside:
            store.create_dir(os.path.dirname(inner), recursive=True)
        # By a single call: an interrupt comes before it, or behind it.
        with store.open_output_stream(target, compression=None) as out:
            out.write(data)
        if target is aside:
            if exists(path):
                store.delete_file(inner)
            store.move(aside, inner)


def remove(path: str) -> None:
    store, inner = _at(path)
    with _told_as_system():
        store.delete_file(inner)


def _info(path: str) -> FileInfo:
    store, inner = _at(path)
    try:
        return store.get_file_info(inner)
    except Exception as error:
        raise _unreachable(path, error) from None


def _at(path: str) -> tuple[FileSystem, str]:
    """The store of a path, and how it calls it."""
    scheme, authority, rest = _URI.match(path).groups()
    try:
        store, base = _store(SCHEMES[scheme.lower()], authority)
    except Exception as error:
        raise _unreachable(path, error) from None
    return store, "/".join(filter(None, (base, rest.rstrip("/")))) or "/"


@lru_cache(maxsize=16)
def _store(scheme: str, authority: str) -> tuple[FileSystem, str]:
    from pyarrow import fs

    if scheme == "s3":
        # Small objects are sent by one request, without parts to be put together.
        given = {"allow_delayed_open": True,
                 "endpoint_override": _variable("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
                 "region": _variable("AWS_REGION", "AWS_DEFAULT_REGION")}
        return fs.S3FileSystem(**{k: v for k, v in given.items() if v}), authority
    store, base = fs.FileSystem.from_uri(f"{scheme}://{authority}/")
    return store, base.rstrip("/")


def _variable(*names: str) -> str | None:
    return next(filter(None, map(os.environ.get, names)), None)


def _unreachable(path: str, error: Exception) -> RunError:
    return RunError(f"cannot reach '{path}'", got=" ".join(str(error).split())[:300],
                    help="are the credentials there, the endpoint and the region? "
                         "See docs/files.md for what is looked at")


@contextmanager
def _told_as_system() -> Iterator[None]:
    """Arrow raises errors of its own too."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowException as error:
        raise OSError(" ".join(str(error).split())) from error


class ArrowBytes(io.RawIOBase):
    """A stream of Arrow's as one of Python's, which gives lines."""

    def __init__(self, stream: pa.NativeFile):
        self.stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        found = self.stream.read(len(buffer))
        buffer[:len(found)] = found
        return len(found)
