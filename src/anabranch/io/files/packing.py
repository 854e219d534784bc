"""Compressed texts: the last extension of a name says how they are packed.

>>> codec_of("logs/a.CSV.gz"), bare("a.csv.gz"), codec_of("a.csv")
('gzip', 'a.csv', None)

A compressed file is read from its beginning, by one worker.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from anabranch.core.errors import RunError
from anabranch.core.lazy import Lazy
from anabranch.core.lazy import arrow as pa
from anabranch.core.source import Span
from anabranch.io.files.paths import cannot_read
from anabranch.io.files.stores import ArrowBytes, opened_bytes, size_of

bz2, gzip, zlib = Lazy("bz2"), Lazy("gzip"), Lazy("zlib")

CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""How the extensions are called; what Python has no module for, Arrow reads and writes."""

RATIO = 4
"""A text takes about so many times the bytes of its compressed file."""


def codec_of(path: str) -> str | None:
    """How a file of this name is compressed; None if it is not."""
    return CODECS.get(os.path.splitext(path.rstrip("/"))[1].lower())


def bare(path: str) -> str:
    """The name without the extension that says how it is compressed."""
    return os.path.splitext(path.rstrip("/"))[0] if codec_of(path) else path


def with_compressed(extensions: tuple[str, ...]) -> tuple[str, ...]:
    """The extensions of a format of texts, and those of its compressed files.

    >>> with_compressed((".csv",))
    ('.csv', '.csv.gz', '.csv.bz2', '.csv.zst')
    """
    return (*extensions, *(e + codec for e in extensions for codec in CODECS))


@contextmanager
def opened_text(file: str, where: Span | None = None) -> Iterator[BinaryIO]:
    """The bytes of a text, unpacked if its name says that it is compressed; a failure to open,
    read or unpack it is an error that names it."""
    codec = codec_of(file)
    try:
        with opened_bytes(file) as stream:
            yield stream if codec is None else _unpacked(stream, codec)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _damaged(file, codec, error, where) from error
    except OSError as error:
        # The modules say without a number of the system what is wrong with the bytes.
        if codec is not None and error.errno is None:
            raise _damaged(file, codec, error, where) from error
        raise cannot_read(file, error, where) from error


def _unpacked(stream: BinaryIO, codec: str) -> BinaryIO:
    if codec == "gzip":
        return gzip.GzipFile(fileobj=stream)
    if codec == "bz2":
        return bz2.BZ2File(stream)
    packed = pa.PythonFile(stream, "r")
    return io.BufferedReader(ArrowBytes(pa.CompressedInputStream(packed, codec)))


def _damaged(file: str, codec: str | None, error: Exception, where: Span | None) -> RunError:
    return RunError(f"cannot read '{file}': it is damaged, or not compressed as its name says",
                    where, expected=f"a file of {codec}", got=str(error))


def packing(stream: BinaryIO, codec: str):
    """What takes the bytes of a text and writes them packed; closing it leaves the stream open.
    The bytes are the same in every run: no name and no time go with them."""
    if codec == "gzip":
        return gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
    if codec == "bz2":
        return bz2.BZ2File(stream, "wb")
    return pa.CompressedOutputStream(pa.PythonFile(_Kept(stream), "w"), codec)


class _Kept(io.RawIOBase):
    """A stream that stays open when Arrow closes it."""

    def __init__(self, stream: BinaryIO):
        self.stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        return self.stream.write(data)


def lines_about_from_start(file: str, sample: int = 1 << 16) -> int:
    """How many lines a file has that is read from its beginning, going by its first ones."""
    with opened_text(file) as stream:
        start = stream.read(sample)
    if len(start) < sample:
        return start.count(b"\n")
    ratio = RATIO if codec_of(file) else 1
    return size_of(file) * ratio * start.count(b"\n") // len(start)
