"""Strings and bytes: replacing, lines of CSV, compression, and base 64."""

from __future__ import annotations

import base64
import binascii
import gzip as compression
import os
import zlib
from pathlib import Path

from anabranch.lang.sawzall.running.undefined import Undefined

COMMA, QUOTE = ord(","), ord('"')


def replaced(text: str, old: str, new: str, everywhere: bool) -> str:
    return text.replace(old, new, -1 if everywhere else 1) if old else text


def lowercase(text: str) -> str:
    """Each character for itself: the length stays the same."""
    return text.lower() if text.isascii() else "".join(map(_lower, text))


def uppercase(text: str) -> str:
    return text.upper() if text.isascii() else "".join(map(_upper, text))


def _lower(character: str) -> str:
    return character.lower()[0]


def _upper(character: str) -> str:
    found = character.upper()
    return found if len(found) == 1 else character


def split_csv_line(line: bytes) -> list:
    """The cells of a line; a quoted one may have commas and doubled quotes in it.

    >>> split_csv_line(b'1, "a, b",c')
    [b'1', b'a, b', b'c']
    """
    if b'"' not in line:
        cells = line.split(b",") if line else []
        # Most lines have no blanks, which is found out faster than each cell is stripped.
        return cells if line.split(None, 1) == [line] else [cell.strip() for cell in cells]
    cells, place = [], 0
    while place <= len(line):
        cell, place = _quoted_cell(line, place) if line[place:].lstrip().startswith(b'"') else \
            _plain_cell(line, place)
        cells.append(cell)
    return cells


def _plain_cell(line: bytes, place: int) -> tuple[bytes, int]:
    end = line.find(b",", place)
    end = len(line) if end < 0 else end
    return line[place:end].strip(), end + 1


def _quoted_cell(line: bytes, place: int) -> tuple[bytes, int]:
    place = line.index(b'"', place) + 1
    cell = bytearray()
    while place < len(line):
        if line[place] == QUOTE:
            if line[place + 1:place + 2] != b'"':
                break
            place += 1
        cell.append(line[place])
        place += 1
    end = line.find(b",", place)
    return bytes(cell), (len(line) if end < 0 else end) + 1


def split_csv(lines: bytes, fields: list) -> list:
    """The chosen cells of all lines; the first cell is number 1. A cell that a line does not have
    is empty."""
    found = []
    for line in lines.removesuffix(b"\n").split(b"\n") if lines else []:
        cells = split_csv_line(line)
        for field in fields:
            if field < 1:
                raise Undefined(f"splitcsv: field {field} > {len(cells)} max")
            found.append(cells[field - 1] if field <= len(cells) else b"")
    return found


def to_base64(data: bytes, websafe: bool) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=") if websafe else base64.b64encode(data)


def from_base64(data: bytes, websafe: bool) -> bytes:
    data = b"".join(data.split())
    data = data.rstrip(b"=") + b"=" * (-len(data.rstrip(b"=")) % 4)
    try:
        return base64.b64decode(data, b"-_" if websafe else None, validate=True)
    except (binascii.Error, ValueError):
        raise Undefined("this is not base 64") from None


def gzip(data: bytes) -> bytes:
    return compression.compress(data, mtime=0)


def gunzip(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(data)
    except zlib.error as error:
        raise Undefined(f"this is not gzip data: {error}") from None


def zlib_compress(data: bytes, skip_header: bool) -> bytes:
    made = zlib.compressobj(wbits=-15 if skip_header else 15)
    return made.compress(data) + made.flush()


def zlib_uncompress(data: bytes, skip_header: bool) -> bytes:
    try:
        return zlib.decompress(data, -15 if skip_header else 15)
    except zlib.error as error:
        raise Undefined(f"this is not zlib data: {error}") from None


def loaded(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise Undefined(f"the file '{path}' cannot be read: {error}") from None


def environment(name: str) -> str:
    try:
        return os.environ[name]
    except (KeyError, ValueError):
        raise Undefined(f"the environment has no variable '{name}'") from None
