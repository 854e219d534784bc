"""Places of a text as the protocol counts them, in the units of the client."""

from __future__ import annotations

from lsprotocol.types import Position, Range
from pygls.workspace import TextDocument


def position(document: TextDocument, line: int, column: int) -> Position:
    """A line that counts from 0 and a column in characters, which need not be there any more."""
    lines = document.lines
    if line >= len(lines):
        return Position(max(len(lines) - 1, 0), 0)
    text = lines[line].rstrip("\r\n")
    units = document.position_codec.client_num_units(text[:max(column, 0)])
    return Position(max(line, 0), units)


def range_of(document: TextDocument, span: dict) -> Range:
    """Of a span as findings have it: its lines count from 1."""
    return Range(position(document, span["line"] - 1, span["column"]),
                 position(document, span["end_line"] - 1, span["end_column"]))


def place(document: TextDocument, at: Position) -> tuple[int, int]:
    """The line and the column in characters."""
    found = document.position_codec.position_from_client_units(document.lines, at)
    return found.line, found.character


def covers(span: dict | None, line: int, column: int) -> bool:
    """Whether a place, its line counted from 0, lies in a span."""
    return span is not None and (
        (span["line"] - 1, span["column"]) <= (line, column)
        <= (span["end_line"] - 1, span["end_column"]))


def size(span: dict) -> tuple[int, int]:
    return span["end_line"] - span["line"], span["end_column"] - span["column"]
