"""The lines of a text that begin between two of its bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO


def lines_between(stream: BinaryIO, start: int, end: int) -> Iterator[bytes]:
    r"""The lines that begin there.

    >>> from io import BytesIO
    >>> list(lines_between(BytesIO(b"ab\ncd\nef\n"), 1, 4))
    [b'cd\n']
    """
    at = _first_line(stream, start)
    while at < end and (line := stream.readline()):
        at += len(line)
        yield line


def text_between(stream: BinaryIO, start: int, end: int) -> bytes:
    """The same lines as one text."""
    begin = _first_line(stream, start)
    text = stream.read(max(0, end - begin))
    return text if not text or text.endswith(b"\n") else text + stream.readline()


def _first_line(stream: BinaryIO, start: int) -> int:
    """Goes to the first line that begins at a place or behind it, and says where that is."""
    stream.seek(max(0, start - 1))
    # The line around the first byte belongs to the part before, unless it begins just there.
    return stream.tell() + (len(stream.readline()) if start else 0)
