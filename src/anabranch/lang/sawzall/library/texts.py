"""Strings and bytes: `format`, replacing, lines of CSV, compression, and base 64.

`format`: C's verbs, and those of Sawzall.

>>> formatted("%5.1f|%s|%q|%b", "PST8PDT", (2.25, "x", 'a"', True))
'  2.3|x|"a\\\\""|true'
"""

from __future__ import annotations

import base64
import binascii
import gzip as compression
import math
import os
import re
import zlib
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from pathlib import Path

from anabranch.ir.types import BOOL, FLOAT, STR, Type
from anabranch.lang.sawzall.library.times import shown
from anabranch.lang.sawzall.library.values import WHOLE, Undefined, bool_text, quoted, rune

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


VERB = re.compile(r"%([-+ #0']*)(\d*)(\.\d*)?([a-zA-Z%])", re.DOTALL)
UINT, TIME, FINGERPRINT = "uint", "time", "fingerprint"
TAKES = {**dict.fromkeys("diouxX", ("int", UINT)), **dict.fromkeys("ck", ("int", UINT)),
         **dict.fromkeys("eEfFgG", (str(FLOAT),)), **dict.fromkeys("sq", (str(STR),)),
         "b": (str(BOOL),), "p": (FINGERPRINT,), "t": (TIME,)}
Show = Callable[[str, object, str], str]


EXACT = Context(prec=60)
"""Of our own: a program may change the one that all share."""


def problem(pattern: str, types: list[Type]) -> str | None:
    """What is wrong with a format for values of these types, if anything."""
    found = verbs(pattern)
    if "%" in VERB.sub("", pattern):
        return "a verb is not complete"
    if len(found) != len(types):
        return f"the format has {len(found)} verbs, and there are {len(types)} values"
    for (_, verb), kind in zip(found, types):
        if verb != "T" and verb not in TAKES:
            return f"there is no verb %{verb}"
        if verb != "T" and str(kind) not in TAKES[verb]:
            return f"%{verb} does not fit {'string' if kind == STR else kind}"
    return None


def verbs(pattern: str) -> list[tuple[str, str]]:
    """The verbs of a format: flags and letter."""
    return [verb for _, verb in _pieces(pattern) if verb]


def formatted(pattern: str, zone: str, values: tuple) -> str:
    """The text of a format."""
    pieces, out, rest = _pieces(pattern), [], list(values)
    if sum(1 for _, verb in pieces if verb) != len(values):
        raise Undefined(f"the format '{pattern}' does not fit {len(values)} values")
    for literal, verb in pieces:
        out.append(literal)
        if verb:
            out.append(_shown(*verb, rest.pop(0), zone))
    return "".join(out)


def as_python(pattern: str) -> str | None:
    """The same format for Python's own operator, if it has nothing but integers and texts.

    >>> as_python("%03d: 5%% %-4s"), as_python("%t")
    ('%03d: 5%% %-4s', None)
    """
    if any(verb not in "dis" for _, verb in verbs(pattern)):
        return None
    return "".join(literal.replace("%", "%%") + ((verb and _python_verb(*verb)) or "")
                   for literal, verb in _pieces(pattern))


def _python_verb(flags: str, verb: str) -> str:
    return _padding(flags) if verb == "s" else f"%{flags}d"


@lru_cache(1024)
def _pieces(pattern: str) -> list[tuple[str, tuple[str, str] | None]]:
    """Literal texts, each with the verb that follows: its flags and its letter."""
    pieces, place = [], 0
    for found in VERB.finditer(pattern):
        before = pattern[place:found.start()]
        if found[4] == "%":
            pieces.append((before + "%", None))
        else:
            pieces.append((before, (f"{found[1]}{found[2]}{found[3] or ''}".replace("'", ""),
                                    found[4])))
        place = found.end()
    return [*pieces, (pattern[place:], None)]


def _shown(flags: str, verb: str, value: object, zone: str) -> str:
    try:
        return SHOWN[verb](flags, value, zone)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise Undefined(f"%{verb} does not fit {value!r}") from None


def _whole(verb: str) -> Show:
    letter, unsigned = "d" if verb in "iu" else verb, verb in "ouxX"
    return lambda flags, value, zone: f"%{flags}{letter}" % (value & WHOLE if unsigned else value)


def _floating(verb: str) -> Show:
    def show(flags: str, value: float, zone: str) -> str:
        if not isinstance(value, float):
            raise TypeError(value)
        return f"%{flags}{verb}" % half_up(value, verb.lower(), _precision(flags))
    return show


def _precision(flags: str) -> int:
    return int(flags.partition(".")[2] or 0) if "." in flags else 6


def half_up(value: float, verb: str, precision: int) -> float:
    """The number that shows as many digits as asked for, halves rounded away from zero.

    >>> half_up(2.25, "f", 1), half_up(0.5, "f", 0), half_up(-1.005, "f", 2)
    (2.3, 1.0, -1.0)
    """
    if value == 0 or not math.isfinite(value):
        return value
    exact = Decimal(f"{value:.16e}")
    digits = {"e": precision + 1, "g": precision or 1}.get(verb)
    last = -precision if digits is None else exact.adjusted() - digits + 1
    if exact.adjusted() - last > 14:
        return value
    return float(exact.quantize(Decimal(1).scaleb(last, EXACT), ROUND_HALF_UP, EXACT))


def _quoted(flags: str, value: str, zone: str) -> str:
    """In quotes, and never padded; a precision counts characters."""
    return quoted(value[:_precision(flags)] if "." in flags else value)


def _padded(flags: str, text: str) -> str:
    return _padding(flags) % text


def _padding(flags: str) -> str:
    return f"%{flags.replace('#', '').replace('0', '', flags.startswith('0'))}s"


SHOWN: dict[str, Show] = {
    **{verb: _whole(verb) for verb in "diouxX"}, **{verb: _floating(verb) for verb in "eEfFgG"},
    "b": lambda flags, value, zone: bool_text(value), "T": lambda flags, value, zone: value,
    "c": lambda flags, value, zone: _padded(flags, rune(value)), "q": _quoted,
    "k": lambda flags, value, zone: quoted(rune(value), "'"),
    "p": lambda flags, value, zone: f"0x{value:016x}",
    "t": lambda flags, value, zone: shown(value, zone),
    "s": lambda flags, value, zone: _padded(flags, value),
}
