"""Texts of a dialect as usual ones, and their cells as values, in columns.

A text with other quotes or another decimal mark is read as a usual one in which two bytes have
changed places; they change again in the texts that come of it. What means None becomes null, and
times in a format of their own are decoded once for each text that there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from anabranch.core.lazy import compute as pc
from anabranch.core.once import once
from anabranch.io.arrow.schema import held_exactly
from anabranch.io.columns import columns_of
from anabranch.io.csv.dialect import USUAL, USUAL_MARKS, Dialect
from anabranch.io.text.columns import Unusual, converted, plain_names
from anabranch.io.text.lines import BYTE_ORDER_MARK
from anabranch.io.values.scalars import BadValue
from anabranch.ir.types import FLOAT, OptionalOf, Type, without_none

LIKE_A_NUMBER = re.compile(" *-?[0-9]")


@dataclass(frozen=True)
class CsvCells:
    """What the cells of a dialect mean in the fields of a type."""

    item: Type
    dialect: Dialect = USUAL

    @once
    def swapped(self) -> bytes | None:
        """For each byte the one that stands for it in a usual text; None if all are the same."""
        table = bytearray(range(256))
        for mark, usual in zip((self.dialect.quote, self.dialect.decimal), USUAL_MARKS):
            table[ord(mark)], table[ord(usual)] = ord(usual), ord(mark)
        return None if table == bytes(range(256)) else bytes(table)

    def usual(self, text: bytes) -> bytes:
        """The text as a usual one, or the other way round."""
        return text if self.swapped is None else text.translate(self.swapped)

    @once
    def in_texts(self) -> frozenset[str]:
        """The fields of numbers of which some text that looks like one means None."""
        are_there = any(map(LIKE_A_NUMBER.match, self.dialect.null))
        return frozenset(columns_of(self.item) if are_there else ())

    @once
    def null(self) -> list[str]:
        """What means None in a usual text."""
        return ["", *(self.usual(mark.encode()).decode() for mark in self.dialect.null)]

    def begin(self, text: bytes) -> int:
        """Where the rows of a text begin: behind its header, if it has one."""
        if self.dialect.header:
            return text.find(b"\n") + 1 or len(text)
        return len(BYTE_ORDER_MARK) if text[:len(BYTE_ORDER_MARK)] == BYTE_ORDER_MARK else 0

    def names(self, header: bytes) -> tuple[str, ...] | None:
        """The columns of a text that begins so, each called like the field that is read from it;
        None where only the reading of rows can tell."""
        columns = {self.dialect.column(field): field for field in columns_of(self.item)}
        if len(columns) < len(columns_of(self.item)):
            return None
        if not self.dialect.header:
            return tuple(columns.values()) if len(columns) > 1 else None
        found = plain_names(header, list(columns), self.dialect.delimiter, self.dialect.quote)
        return found and tuple(columns.get(name, f"column {n}") for n, name in enumerate(found))

    def decoder(self, name: str) -> Callable[[str], object]:
        """From a cell of a usual text to the value of a field."""
        decode = self.dialect.decoder(columns_of(self.item)[name], name)
        if self.swapped is None:
            return decode
        return lambda cell: decode(cell.translate(self.swapped.decode("latin-1")))

    def column(self, name: str, cells: pa.Array, by_arrow: bool) -> pa.Array:
        """The values of a field: of texts in a usual text, or of numbers that have been read."""
        kind = columns_of(self.item)[name]
        if pa.types.is_string(cells.type):
            cells = self._without_null(self._swapped(cells))
            if name in dict(self.dialect.formats):
                return self._by_format(name, cells)
            if without_none(kind) == FLOAT:
                cells = self._swapped(cells)
        return converted(cells, kind, by_arrow, spaced=True)

    def _swapped(self, cells: pa.Array) -> pa.Array:
        """The texts of cells of a usual text as they are written, or the other way round."""
        if self.swapped is None or not len(cells):
            return cells
        valid, offsets, data = cells.buffers()
        text = b"" if data is None else data.to_pybytes().translate(self.swapped)
        return pa.Array.from_buffers(cells.type, len(cells), [valid, offsets, pa.py_buffer(text)],
                                     offset=cells.offset)

    def _without_null(self, cells: pa.Array) -> pa.Array:
        if not self.dialect.null:
            return cells
        marks = pa.array(self.dialect.null, pa.string())
        return pc.if_else(pc.is_in(cells, marks), pa.scalar(None, pa.string()), cells)

    def _by_format(self, name: str, cells: pa.Array) -> pa.Array:
        """Times in a format, each text of which is decoded once."""
        kind = columns_of(self.item)[name]
        coded = cells.dictionary_encode(null_encoding="encode")
        decode = self.dialect.decoder(kind, name)
        try:
            values = list(map(decode, coded.dictionary.to_pylist()))
        except BadValue as bad:
            raise Unusual("a cell that is none of its type") from bad
        held = held_exactly(values)
        if held is None or (None in values and not isinstance(kind, OptionalOf)):
            raise Unusual("times that no column holds")
        return pa.array(values, held).take(coded.indices) if values else pa.nulls(0, held)
