r"""Tuples as bytes: the format bin, in SPL's binary encoding.

Numbers stand in network byte order, sizes below 128 in one byte, others behind a byte 128 in four.

>>> from anabranch.lang.spl.types import INT32, RSTRING, Collection, TupleOf
>>> kind = TupleOf((("id", INT32), ("tags", Collection("list", (RSTRING,)))))
>>> packed(read_all(b"\0\0\0\7\1\2hi", kind)[0][0], kind)
b'\x00\x00\x00\x07\x01\x02hi'
>>> read_all(b"\0\0\0\7\0\0\0", kind)
([Tuple(id=7, tags=[])], 5)
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from anabranch.core.errors import ProgramError, RunError
from anabranch.core.source import Span
from anabranch.io.files.paths import files_of, opened
from anabranch.io.rows import BadRows, TimeOrder
from anabranch.lang.spl.coding.values import Timestamp, set_of
from anabranch.lang.spl.formats import SplSource
from anabranch.lang.spl.types import (
    BLOB,
    BOOLEAN,
    COMPLEX,
    RSTRING,
    TIMESTAMP,
    USTRING,
    Collection,
    EnumOf,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
    record_of,
)

CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
         "int64": "q", "uint64": "Q", "float32": "f", "float64": "d", "boolean": "?"}
PIECE = 1 << 20
Writer = Callable[[object], bytes]
Reader = Callable[["Cursor"], object]


def check_binary(kind: SplType, where: Span) -> None:
    """That values of a type have an encoding here."""
    if isinstance(kind, TupleOf):
        for _, each in kind.fields:
            check_binary(each, where)
    elif isinstance(kind, (Collection, OptionalOf)):
        for each in kind.parts if isinstance(kind, Collection) else (kind.item,):
            check_binary(each, where)
    if getattr(kind, "bound", None) is not None or (
            isinstance(kind, Primitive) and kind.name.startswith("decimal")):
        raise ProgramError(f"the format bin has no {kind}", where,
                           help="leave the bound out" if getattr(kind, "bound", None) else
                           "take a float64")


class Short(Exception):
    """The bytes end within a value."""


class Cursor:
    """A place in bytes, which goes on as they are read."""

    def __init__(self, data: bytes, at: int = 0):
        self.data, self.at = data, at

    def take(self, size: int) -> bytes:
        if self.at + size > len(self.data):
            raise Short
        self.at += size
        return self.data[self.at - size:self.at]

    def size(self) -> int:
        first = self.take(1)[0]
        return first if first < 128 else int.from_bytes(self.take(4), "big")


def packed(item: object, kind: TupleOf) -> bytes:
    return writer(kind)(item)


@dataclass(frozen=True)
class Packed:
    """What writes tuples of a type, wherever a sink is."""

    kind: TupleOf

    def __call__(self, item: object) -> bytes:
        return packed(item, self.kind)


def read_all(data: bytes, kind: TupleOf) -> tuple[list, int]:
    """The tuples that bytes begin with, and where the last whole one ends."""
    cursor, one, found, end = Cursor(data), reader(kind), [], 0
    while cursor.at < len(data):
        try:
            found.append(one(cursor))
        except Short:
            break
        end = cursor.at
    return found, end


def _size(count: int) -> bytes:
    return bytes([count]) if count < 128 else b"\x80" + count.to_bytes(4, "big")


@cache
def writer(kind: SplType) -> Writer:
    """From a value of a type to its bytes."""
    if isinstance(kind, TupleOf):
        parts = [writer(each) for _, each in kind.fields]
        return lambda item: b"".join(one(v) for one, v in zip(parts, item, strict=True))
    if isinstance(kind, Collection):
        return _collection_writer(kind)
    if isinstance(kind, OptionalOf):
        inner = writer(kind.item)
        return lambda item: b"\0" if item is None else b"\1" + inner(item)
    if isinstance(kind, EnumOf):
        return lambda item: kind.names.index(item).to_bytes(4, "big")
    if kind in (RSTRING, BLOB, USTRING):
        return {RSTRING: lambda text: _sized(text.encode()), BLOB: _sized,
                USTRING: lambda text: _sized(text.encode("utf-16-be"), 2)}[kind]
    if kind == TIMESTAMP:
        return lambda t: struct.pack(">qIi", t.seconds, t.nanoseconds, t.machineId)
    if kind.name in COMPLEX:
        code = f">2{CODES[COMPLEX[kind.name]]}"
        return lambda x: struct.pack(code, x.real, x.imag)
    return struct.Struct(f">{CODES[kind.name]}").pack


def _sized(data: bytes, unit: int = 1) -> bytes:
    return _size(len(data) // unit) + data


def _collection_writer(kind: Collection) -> Writer:
    parts = [writer(each) for each in kind.parts]
    if kind.kind == "map":
        return lambda items: _size(len(items)) + b"".join(
            parts[0](k) + parts[1](v) for k, v in items.items())
    return lambda items: _size(len(items)) + b"".join(map(parts[0], items))


@cache
def reader(kind: SplType) -> Reader:
    """From bytes to a value of a type."""
    if isinstance(kind, TupleOf):
        parts, make = [reader(each) for _, each in kind.fields], record_of(kind)
        return lambda cursor: make(*(one(cursor) for one in parts))
    if isinstance(kind, Collection):
        return _collection_reader(kind)
    if isinstance(kind, OptionalOf):
        inner = reader(kind.item)
        return lambda cursor: inner(cursor) if cursor.take(1)[0] else None
    if isinstance(kind, EnumOf):
        return lambda cursor: kind.names[int.from_bytes(cursor.take(4), "big")]
    if kind in (RSTRING, BLOB, USTRING):
        return {RSTRING: lambda c: c.take(c.size()).decode(errors="replace"),
                BLOB: lambda c: c.take(c.size()),
                USTRING: lambda c: c.take(2 * c.size()).decode("utf-16-be", "replace")}[kind]
    if kind == TIMESTAMP:
        return lambda cursor: Timestamp(*struct.unpack(">qIi", cursor.take(16)))
    if kind.name in COMPLEX:
        code = struct.Struct(f">2{CODES[COMPLEX[kind.name]]}")
        return lambda cursor: complex(*code.unpack(cursor.take(code.size)))
    one = struct.Struct(f">{CODES[kind.name]}")
    if kind == BOOLEAN:
        return lambda cursor: cursor.take(1) != b"\0"
    return lambda cursor: one.unpack(cursor.take(one.size))[0]


def _collection_reader(kind: Collection) -> Reader:
    parts = [reader(each) for each in kind.parts]
    make = {"list": list, "set": set_of, "map": dict}[kind.kind]
    if kind.kind == "map":
        return lambda c: make([(parts[0](c), parts[1](c)) for _ in range(c.size())])
    return lambda cursor: make([parts[0](cursor) for _ in range(cursor.size())])


def parsed_bytes(rest: bytes, kind: TupleOf, last: bool, permissive: bool) -> tuple[list, bytes]:
    """The tuples that bytes have, and those bytes of which more have to come."""
    try:
        found, end = read_all(rest, kind)
    except IndexError:
        raise RunError("the bytes are no tuple: an enumeration has no such name") from None
    if last and end < len(rest) and not permissive:
        raise RunError("the last tuple is cut off", expected=str(kind),
                       got=f"{len(rest) - end} bytes")
    return found, rest[end:]


@dataclass(frozen=True)
class BinarySource(SplSource):
    """The tuples of files in the format bin."""

    def items(self, rows: BadRows) -> Iterator[object]:
        order = TimeOrder(self.time)
        if not self.replayable:
            yield from self._tuples(sys.stdin.buffer.read, order)
            return
        for file in files_of(self.path, (".bin", ".dat"), self.span):
            with opened(file, self.span) as stream:
                yield from self._tuples(stream.read, order)

    def _tuples(self, read: Callable[[int], bytes], order: TimeOrder) -> Iterator[object]:
        rest = b""
        for data in iter(partial(read, PIECE), b""):
            found, rest = parsed_bytes(rest + data, self.kind, False, self.permissive)
            for item in found:
                order.check(item)
                yield item
        parsed_bytes(rest, self.kind, True, self.permissive)
