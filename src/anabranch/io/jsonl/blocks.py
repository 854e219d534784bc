"""Large JSON Lines in columns, by compiled loops."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from anabranch.core.lazy import compute as pc
from anabranch.core.once import once
from anabranch.core.source import Span
from anabranch.io.arrow.extract import Extract, Names
from anabranch.io.columns import columns_of
from anabranch.io.jsonl import scan as jsonl_scan
from anabranch.io.text.blocks import ROWS_OF_A_BLOCK, Cells, TextRows, mapped
from anabranch.io.text.columns import Unusual, converted, unread
from anabranch.io.text.scan import COMPLETE, DECIMAL, LATER, TEXT, TRUTH, WHOLE
from anabranch.io.text.stretches import PartsOfText, ReadRows, Stretch, unpacked_parts
from anabranch.ir.types import BOOL, FLOAT, INT, OptionalOf, RecordOf, without_none

KINDS = {INT: WHOLE, FLOAT: DECIMAL, BOOL: TRUTH}


def extracts(file: str, item: RecordOf, wanted: Names | None = None, threads: int = 1,
             block: int = ROWS_OF_A_BLOCK) -> Iterator[Extract]:
    """The rows of a file, in blocks of about so many; `Unusual` for a row that only the reading of
    rows can judge."""
    return JsonRows(mapped(file), item, unread(item, wanted)).extracts(0, threads, block)


def parts(file: str, item: RecordOf, wanted: Names | None, threads: int, read: ReadRows
          ) -> Iterator[Extract | Stretch]:
    """The same, with rows that only the reading of rows can judge in stretches."""
    return PartsOfText(JsonRows(mapped(file), item, unread(item, wanted)), 0, read).parts(threads)


def unpacked(file: str, item: RecordOf, wanted: Names | None, threads: int, read: ReadRows,
             where: Span | None) -> Iterator[Extract | Stretch]:
    """The same of a compressed file."""
    for text, lines in unpacked_parts(file, where, quote=None):
        rows = JsonRows(text, item, unread(item, wanted))
        yield from PartsOfText(rows, 0, read, lines).parts(threads)


@dataclass(frozen=True, eq=False)
class JsonRows(TextRows):
    """Rows that are objects on lines of their own."""

    @property
    def shortest(self):
        """The braces, the line end, and a colon, a comma and two quotes for what has to be there.
        """
        there = [name for name, may in zip(columns_of(self.item), self.may_miss) if not may]
        return 3 + sum(len(name.encode()) + 4 for name in there)

    @once
    def kinds(self):
        return np.array([KINDS.get(without_none(kind), TEXT)
                         for kind in columns_of(self.item).values()], np.int8)

    @once
    def optional(self) -> np.ndarray:
        return np.array([isinstance(kind, OptionalOf) for kind in columns_of(self.item).values()])

    @once
    def may_miss(self) -> np.ndarray:
        """Whether a column that is not there is None."""
        defaults = self.item.cls.__record_fields__
        return np.array([isinstance(kind, OptionalOf) and defaults[name] in (..., None)
                         for name, kind in columns_of(self.item).items()])

    @once
    def names(self) -> tuple[np.ndarray, np.ndarray]:
        """The names one behind the other, and where each begins."""
        names = [name.encode() for name in columns_of(self.item)]
        return np.frombuffer(b"".join(names), np.uint8), np.cumsum([0, *map(len, names)])

    def scanned(self, cells: Cells, size: int, is_last: bool) -> int:
        room, seen = cells.room, np.empty(len(self.kinds), np.int64)
        cells.rows, at, ended = jsonl_scan.scan(
            cells.text, size, cells.kinds, self.optional, self.may_miss, *self.names, seen,
            room.words, room.states, room.starts, room.ends)
        if ended != COMPLETE:
            raise Unusual("a row that is not plain")
        return at

    def column(self, cells: Cells, name: str) -> pa.Array | None:
        number = list(columns_of(self.item)).index(name)
        if self.kinds[number] != TEXT:
            return converted(cells.column(number), columns_of(self.item)[name])
        with_escapes = cells.room.states[number, :cells.rows] == LATER
        texts = _unescaped(cells, number, with_escapes) if with_escapes.any() else None
        if name in self.unread:
            return None
        return converted(cells.texts(number) if texts is None else pc.replace_with_mask(
            cells.texts(number), with_escapes, texts), columns_of(self.item)[name])


def _unescaped(cells: Cells, number: int, where: np.ndarray) -> pa.Array:
    """The texts at some places of a column, by Python; a failure for half a character."""
    raw = cells.texts(number).filter(pa.array(where)).to_pylist()
    return pa.array([json.loads(f'"{text}"') for text in raw], pa.string())
