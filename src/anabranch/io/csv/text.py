"""Record batches as CSV text, made by Arrow where it writes a value as Python does.

Numbers between the sizes at which either changes to exponents, and text that needs no quotes, look
the same; other cells are made one by one. For a column of another type `written` gives None, and
the rows are written one by one. The lines of many rows are put together by compiled loops.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from anabranch.core.lazy import compute as pc
from anabranch.io.arrow.arrays import as_texts, called, column_of, numbers, texts_of
from anabranch.ir.types import BOOL, FLOAT, INT, STR, OptionalOf, Type, without_none

SMALLEST, LARGEST = 1e-4, 1e10
NEEDS_QUOTES = '[",\r\n]|^$'
MARKS = np.frombuffer(b'",\r\n', np.uint8)
MANY = 16_384
"""So many rows are worth compiled loops, although Numba has to be loaded: a batch of that size is
one of many."""

LOOPS = "anabranch.io.text.format"

Pieces = list[pa.Array | str]
"""What a cell consists of, one after the other: a text or number of its own, or the same text for
all rows."""


def written(batch: pa.RecordBatch, kinds: list[Type]) -> memoryview | None:
    """The lines of a batch, or None when Python has to write it."""
    cells = [_cells(column, kind) for column, kind in zip(batch.columns, kinds)]
    if not len(batch) or any(pieces is None for pieces in cells):
        return None
    *line, _ = [piece for pieces in cells for piece in (*pieces, ",")]
    return text_of([*line, "\n"])


def text_of(pieces: Pieces, unusual_text: Callable[[float], str] = repr) -> memoryview:
    """The pieces of all rows as one text; `unusual_text` is for floats, as in `floats`."""
    columns = [piece for piece in pieces if not isinstance(piece, str)]
    if _by_loops(len(columns[0])):
        made = _compiled().lines(columns, _between(pieces))
        return text_of(_spelt(pieces, unusual_text)) if made is None else made
    lines = called("binary_join_element_wise", *pieces, "")
    _, offsets, text = lines.buffers()
    ends = np.frombuffer(offsets, np.int32)[[lines.offset, lines.offset + len(lines)]]
    return memoryview(text)[slice(*ends)]


def _spelt(pieces: Pieces, unusual_text: Callable[[float], str]) -> Pieces:
    """The pieces with all floats as text."""
    return [part for piece in pieces for part in (
        [piece] if isinstance(piece, str) or piece.type != pa.float64()
        else spelt(piece, unusual_text))]


def _by_loops(rows: int) -> bool:
    """Whether compiled loops write so many rows: once they are there, any."""
    return rows >= MANY or LOOPS in sys.modules


def _compiled():
    # Numba takes half a second to import.
    from anabranch.io.text import format as line_text

    return line_text


def _between(pieces: Pieces) -> list[bytes]:
    """The texts before, between and behind the columns.

    >>> _between(["{", pa.array([1]), ",", "x", pa.array([2]), pa.array([3])])
    [b'{', b',x', b'', b'']
    """
    between = [b""]
    for piece in pieces:
        if isinstance(piece, str):
            between[-1] += piece.encode()
        else:
            between.append(b"")
    return between


def _cells(column: pa.Array, given: Type) -> Pieces | None:
    kind = without_none(given)
    if kind == STR:
        column = column if _are_plain(column) else replaced(
            column, pc.match_substring_regex(column, NEEDS_QUOTES), quoted)
    elif kind == INT:
        column = whole(column)
    elif kind == BOOL:
        column = as_texts(column)
    elif kind != FLOAT:
        return None
    pieces = floats(column) if kind == FLOAT else [column]
    return [p if isinstance(p, str) else p.fill_null("") for p in pieces] \
        if isinstance(given, OptionalOf) and column.null_count else pieces


def _are_plain(column: pa.Array) -> bool:
    """Whether no text needs quotes, found by a look at all bytes at once.

    >>> _are_plain(pa.array(["a", "b c"])), _are_plain(pa.array(["a", ""]))
    (True, False)
    """
    if not len(column):
        return True
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, np.int32)[column.offset:column.offset + len(column) + 1]
    if (ends[1:] == ends[:-1]).any():
        return False
    text = np.frombuffer(data, np.uint8)[ends[0]:ends[-1]]
    return not any((text == mark).any() for mark in MARKS)


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def whole(column: pa.Array) -> pa.Array:
    """Ints as they are where compiled loops write them, and else as text."""
    return column if _by_loops(len(column)) and not column.null_count else as_texts(column)


def floats(column: pa.Array, unusual_text: Callable[[float], str] = repr) -> Pieces:
    """Floats as they are where compiled loops may write them, and else as text."""
    is_left = _by_loops(len(column)) and not column.null_count
    return [column] if is_left else spelt(column, unusual_text)


def spelt(column: pa.Array, unusual_text: Callable[[float], str]) -> Pieces:
    """Floats as Python writes them; `unusual_text` writes those that Arrow writes in another way.
    """
    values, missing = numbers(column), _missing(column)
    size, whole = np.abs(values), values == np.trunc(values)
    usual = (values == 0.0) | ((size >= SMALLEST) & (size < LARGEST)) | missing
    if not column.null_count and usual.all() and whole.all() and not _has_negative_zero(values):
        return [as_texts(column_of(values.astype(np.int64))), ".0"]
    # Python writes 20.0 where Arrow writes 20.
    ends = _where(whole & usual & ~missing, b".0")
    if usual.all():
        return [as_texts(column), ends]
    return [_respelt(as_texts(column), ~usual, list(map(unusual_text, values[~usual].tolist()))),
            ends]


def _missing(column: pa.Array) -> np.ndarray:
    return numbers(column.is_null()) if column.null_count else np.zeros(len(column), bool)


def _where(places: np.ndarray, text: bytes) -> pa.Array:
    """A text in some places, and nothing in the others.

    >>> _where(np.array([True, False, True]), b".0").to_pylist()
    ['.0', '', '.0']
    """
    ends = np.zeros(len(places) + 1, np.int32)
    np.cumsum(places * len(text), out=ends[1:])
    return pa.Array.from_buffers(pa.string(), len(places), [
        None, pa.py_buffer(ends), pa.py_buffer(text * int(places.sum()))])


def _respelt(texts: pa.Array, places: np.ndarray, others: list[str]) -> pa.Array:
    """The texts with others in some places."""
    return called("replace_with_mask", texts, column_of(places), texts_of(others))


def replaced(texts: pa.Array, where: pa.Array, write: Callable[[object], str]) -> pa.Array:
    """The texts, with those in some places made by `write` of what is there."""
    where = where.fill_null(False)
    if not pc.any(where, min_count=0).as_py():
        return texts
    made = texts_of([write(value) for value in texts.filter(where).to_pylist()])
    return pc.replace_with_mask(texts, where, made)


def _has_negative_zero(values: np.ndarray) -> bool:
    return bool((np.signbit(values) & (values == 0.0)).any())
