"""The end of a Parquet file: where its row groups are, in Thrift's compact protocol.

Arrow can encode row groups apart, each as a file of its own. To put them behind each other in one
file, the places in their ends have to be moved; Arrow has no way to do that. Only what is needed
for it is understood here: a structure is a list of its fields, each with a number, a type
and a value, and everything else is handed on as it is.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAGIC = b"PAR1"

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

# Numbers of fields, as parquet.thrift has them.
FILE_ROWS, FILE_GROUPS = 3, 4
GROUP_COLUMNS, GROUP_PLACE, GROUP_ORDINAL = 1, 5, 7
CHUNK_PLACE, CHUNK_META, CHUNK_PLACES = 2, 3, (4, 6)
META_PLACES = (9, 10, 11, 14)
"""Where the pages of data, of the index and of the dictionary begin, and the Bloom filter."""


class Field(NamedTuple):
    number: int
    kind: int
    value: object


Structure = list[Field]


def value_of(structure: Structure, number: int) -> object:
    """The value of a field, None if it is not there."""
    return next((field.value for field in structure if field.number == number), None)


def with_value(structure: Structure, number: int, value: object) -> Structure:
    """The same, in which a field that is there has another value."""
    return [field._replace(value=value) if field.number == number else field
            for field in structure]


class Reader:
    """Bytes of the compact protocol, from a place on."""

    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def varint(self) -> int:
        found = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            found |= (byte & 0x7F) << shift
            if byte < 0x80:
                return found
            shift += 7

    def signed(self) -> int:
        found = self.varint()
        return (found >> 1) ^ -(found & 1)

    def taken(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size:self.at]

    def structure(self) -> Structure:
        fields, number = [], 0
        while head := self.taken(1)[0]:
            kind, step = head & 15, head >> 4
            number = number + step if step else self.signed()
            fields.append(Field(number, kind, self.value(kind)))
        return fields

    def value(self, kind: int) -> object:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in (BYTE, DOUBLE):
            return self.taken(1 if kind == BYTE else 8)
        if kind in (I16, I32, I64):
            return self.signed()
        if kind == BINARY:
            return self.taken(self.varint())
        if kind in (LIST, SET):
            return self._elements()
        if kind == STRUCT:
            return self.structure()
        raise ValueError(f"no footer of Parquet has a field of type {kind}")

    def _elements(self) -> tuple[int, list]:
        head = self.taken(1)[0]
        size, kind = head >> 4, head & 15
        size = self.varint() if size == 15 else size
        if kind in (TRUE, FALSE):
            return kind, [self.taken(1) for _ in range(size)]
        return kind, [self.value(kind) for _ in range(size)]


def varint(value: int) -> bytes:
    """
    >>> varint(300).hex()
    'ac02'
    """
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def signed(value: int) -> bytes:
    """
    >>> signed(-1).hex(), signed(64).hex()
    ('01', '8001')
    """
    return varint((value << 1) ^ (value >> 63))


def written(kind: int, value: object) -> bytes:
    """A value as the compact protocol has it."""
    if kind in (BYTE, DOUBLE):
        return value
    if kind in (I16, I32, I64):
        return signed(value)
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, SET):
        return _elements_written(*value)
    return structure_written(value)


def _elements_written(kind: int, values: Sequence) -> bytes:
    size = len(values)
    head = bytes([size << 4 | kind]) if size < 15 else bytes([0xF0 | kind]) + varint(size)
    if kind in (TRUE, FALSE):
        return head + b"".join(values)
    return head + b"".join(written(kind, value) for value in values)


def structure_written(fields: Structure) -> bytes:
    """
    >>> structure = [Field(1, I32, -5), Field(40, TRUE, True), Field(41, LIST, (I64, [1, 300]))]
    >>> Reader(structure_written(structure)).structure() == structure
    True
    """
    parts, before = [], 0
    for number, kind, value in fields:
        step = number - before
        parts.append(bytes([step << 4 | kind]) if 0 < step < 16
                     else bytes([kind]) + signed(number))
        if kind not in (TRUE, FALSE):
            parts.append(written(kind, value))
        before = number
    return b"".join((*parts, b"\0"))


@dataclass(frozen=True)
class Encoded:
    """Row groups as a file of their own: what it has between its magic bytes and its footer, and
    the footer."""

    body: memoryview
    footer: Structure

    @staticmethod
    def of(file: memoryview) -> Encoded:
        size, magic = struct.unpack("<I4s", file[-8:])
        if magic != MAGIC:
            raise ValueError("it does not end as a Parquet file does")
        end = len(file) - 8 - size
        return Encoded(file[len(MAGIC):end], Reader(bytes(file[end:-8])).structure())

    @property
    def rows(self) -> int:
        return value_of(self.footer, FILE_ROWS)

    def groups(self, place: int, number: int) -> list[Structure]:
        """Its row groups, in a file where its body begins at a place, and so many stand before."""
        moved = place - len(MAGIC)
        _, groups = value_of(self.footer, FILE_GROUPS)
        return [_group(group, moved, number + n) for n, group in enumerate(groups)]


def _group(group: Structure, moved: int, number: int) -> Structure:
    kind, chunks = value_of(group, GROUP_COLUMNS)
    group = with_value(group, GROUP_COLUMNS, (kind, [_chunk(chunk, moved) for chunk in chunks]))
    # Its type has no larger numbers; only readers of encrypted files need it.
    ordinal = min(number, (1 << 15) - 1)
    return with_value(_moved(group, (GROUP_PLACE,), moved), GROUP_ORDINAL, ordinal)


def _chunk(chunk: Structure, moved: int) -> Structure:
    meta = _moved(value_of(chunk, CHUNK_META), META_PLACES, moved)
    return _moved(with_value(chunk, CHUNK_META, meta), (CHUNK_PLACE, *CHUNK_PLACES), moved)


def _moved(structure: Structure, places: tuple[int, ...], by: int) -> Structure:
    """Fields that are places, which a 0 is not, point behind where they did."""
    return [field._replace(value=field.value + by) if field.number in places and field.value
            else field for field in structure]


def whole_footer(first: Structure, rows: int, groups: list[Structure]) -> bytes:
    """The end of a file with all these row groups, whose schema is that of the first."""
    footer = structure_written(with_value(with_value(
        first, FILE_ROWS, rows), FILE_GROUPS, (STRUCT, groups)))
    return footer + struct.pack("<I4s", len(footer), MAGIC)
