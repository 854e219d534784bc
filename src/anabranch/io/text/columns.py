"""Text in columns: names and cells that need no second look."""

from __future__ import annotations

import csv
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from anabranch.core.lazy import compute as pc
from anabranch.io.arrow.arrays import numbers
from anabranch.io.arrow.extract import Names
from anabranch.io.arrow.schema import written_as
from anabranch.io.columns import columns_of
from anabranch.ir.types import BOOL, FLOAT, INT, STR, TIMESTAMP, OptionalOf, Type, without_none

USUAL = {
    INT: r"^-?[0-9]{1,18}$",
    FLOAT: r"^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,2})?$",
    BOOL: r"^(true|false)$",
    TIMESTAMP: r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{6})?$",
}
MARKS = (b'"', b"\r", b"\0")
"""What a plain text has none of."""


class Unusual(Exception):
    """A file or a cell that only the reading of rows can judge."""


def has_plain_columns(item: Type) -> bool:
    return all(without_none(kind) in (STR, *USUAL) for kind in columns_of(item).values())


def unread(item: Type, wanted: Names | None) -> Names:
    """The columns that need not be read: any text is a good one, but what is to be a number has to
    be looked at."""
    if wanted is None:
        return frozenset()
    return frozenset(name for name, kind in columns_of(item).items()
                     if without_none(kind) == STR and name not in wanted)


def check_encoding(text: bytes | np.ndarray) -> None:
    """All of a row has to be UTF-8, also what nobody asks for."""
    if len(text) and np.frombuffer(text, np.uint8).max() >= 128:
        str(memoryview(text), "utf-8")


def plain_names(header: bytes, wanted: Iterable[str], delimiter: str = ",", quote: str = '"'
                ) -> list[str] | None:
    """The columns that a header names, those that are wanted among them, if that needs no second
    look: without the spaces around them, as rows are read."""
    line = header.removesuffix(b"\n").removesuffix(b"\r")
    try:
        cells = _names_in(line.decode().removeprefix("\ufeff"), delimiter, quote)
    except UnicodeDecodeError:
        return None
    names = [cell.strip() for cell in cells]
    plain = (len(names) > 1 and len(set(names)) == len(names)
             and not any(mark in line for mark in (b"\r", b"\0"))
             and set(wanted) <= set(names)
             and not any("\ufeff" in name for name in names))
    return names if plain else None


def _names_in(line: str, delimiter: str, quote: str = '"') -> list[str]:
    """The cells of a line, which many programs quote; none where a quote is left open.

    >>> _names_in('at;uid', ";"), _names_in('"at","a, b"', ","), _names_in('"at,uid', ",")
    (['at', 'uid'], ['at', 'a, b'], [])
    """
    if quote not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], strict=True, delimiter=delimiter, quotechar=quote), [])
    except csv.Error:
        return []


def converted(cells: pa.Array, given: Type, by_arrow: bool = True, spaced: bool = False
              ) -> pa.Array:
    """A column of cells as values of a type; nulls are cells with nothing in them. What is NaN in
    numbers that have been read `by_arrow` only the reading of rows can judge. Cells that may be
    `spaced` are read without the spaces around them, but for texts."""
    kind = without_none(given)
    if cells.null_count and not isinstance(given, OptionalOf):
        if kind != STR:
            raise Unusual("an empty cell")
        return cells.fill_null("")
    if kind == STR:
        return cells
    if not pa.types.is_string(cells.type):
        if by_arrow and kind == FLOAT and np.isnan(numbers(_present(cells))).any():
            raise Unusual("NaN, or what Arrow takes for it")
        return cells
    if spaced and not _are_usual(cells, kind):
        cells = pc.ascii_trim(cells, " ")
    if not _are_usual(cells, kind):
        raise Unusual(f"a cell that is not the usual {kind}")
    return cells.cast(written_as(kind))


def _are_usual(cells: pa.Array, kind: Type) -> bool:
    return pc.all(pc.match_substring_regex(cells, USUAL[kind]), min_count=0).as_py()


def _present(cells: pa.Array) -> pa.Array:
    """The cells that are not null: what lies in memory for the others is anything, NaN too."""
    return cells.drop_null() if cells.null_count else cells
