"""The lines of a byte stream as text, counted; bytes that are not UTF-8 are kept."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from anabranch.io.files.packing import codec_of, lines_about_from_start
from anabranch.io.files.stores import is_remote
from anabranch.io.values.scalars import BadValue

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SAMPLE, SAMPLES = 1 << 14, 16
"""So many bytes tell how long a file's lines are there, at so many places."""


class Lines:
    """An iterator over lines; `take` gives those handed out since the last `take` as one row.

    Only a line feed ends a line, so that a row in which a quoted cell has line breaks of its own
    still starts at the line that an editor shows.

    >>> lines = Lines([b"a,b\\n", b"1,\\xff\\n"])
    >>> next(lines), lines.take()
    ('a,b\\n', (1, 'a,b', None))
    >>> _ = next(lines); number, raw, problem = lines.take(); number, raw, problem.got
    (2, '1,\\udcff', 'byte 0xff at position 3')
    """

    def __init__(self, stream: Iterable[bytes], first: int = 1):
        self._stream = iter(stream)
        self._number = first - 1
        self._start()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._stream)
        self._number += 1
        if self._number == 1:
            line = line.removeprefix(BYTE_ORDER_MARK)
        text = self._decoded(line)
        self._held.append(text)
        return text

    def take(self) -> tuple[int, str, BadValue | None]:
        """The number of the first of these lines, their text, and what is wrong with it."""
        taken = self._first, _without_end("".join(self._held)), self._problem
        self._start()
        return taken

    def _start(self) -> None:
        self._first, self._held, self._problem = self._number + 1, [], None

    def _decoded(self, line: bytes) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            got = f"byte 0x{line[error.start]:02x} at position {error.start + 1}"
            self._problem = self._problem or BadValue("UTF-8", got, "the text is not UTF-8")
            return line.decode(errors="surrogateescape")


def _without_end(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r")


def lines_about(file: str) -> int:
    """How many lines a file has, going by those at some places of it, which are far apart: numbers
    that count lines grow. Nothing is read of what is no file."""
    if is_remote(file) or (codec_of(file) and os.path.isfile(file)):
        return lines_about_from_start(file)
    if not os.path.isfile(file):
        return 0
    size = os.path.getsize(file)
    with open(file, "rb") as stream:
        sample = b"".join(_sampled(stream, place) for place in _places(size))
    return size * sample.count(b"\n") // max(len(sample), 1)


def _places(size: int) -> list[int]:
    """Where samples of a file begin: in the middle of each of its parts; a small one is read whole.

    >>> _places(40_000), len(_places(4_000_000))
    ([0, 16384, 32768], 16)
    """
    part = max(SAMPLE, -(-size // SAMPLES))
    return list(range((part - SAMPLE) // 2, size, part))


def _sampled(stream: BinaryIO, place: int) -> bytes:
    stream.seek(place)
    return stream.read(SAMPLE)
