"""Text files as sources: each line is an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anabranch.io.files.sources import FileSource, estimated
from anabranch.io.formats import EXTENSIONS
from anabranch.io.rows import BadRows, Row, TimeOrder, decoded
from anabranch.io.text.lines import Lines, lines_about


@dataclass(frozen=True)
class TextSource(FileSource):
    format = "text"
    extensions = EXTENSIONS["text"]
    is_divisible = True

    def read(self, stream, file, order, rows, fixed=None):
        return read(stream, file, order, rows)

    def rows_about(self) -> int:
        return estimated(lines_about, self.files())


def read(stream: Iterable[bytes], file: str, order: TimeOrder, rows: BadRows, first_line: int = 1
         ) -> Iterator[str]:
    """The lines of a text, or of a part of it that begins with some other line."""
    return decoded(_rows(Lines(stream, first_line), file), _unchanged, order, rows)


def _rows(lines: Lines, file: str) -> Iterator[Row]:
    for _ in lines:
        number, raw, problem = lines.take()
        yield Row(file, number, raw, problem or raw)


def _unchanged(line: str) -> str:
    return line
