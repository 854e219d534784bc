r"""What literals are worth: numbers with suffixes, characters, strings, bytes and times.

>>> number("0x1f"), number("033"), number("0b11")
(31, 27, 3)
>>> text(r'"a\x41\u65e5\n"')
'aA日\n'
"""

from __future__ import annotations

import re

from anabranch.errors import ProgramError
from anabranch.ir.types import BYTES, Type
from anabranch.lang.sawzall.running.times import time_of
from anabranch.lang.sawzall.running.undefined import Undefined
from anabranch.lang.sawzall.types import FINGERPRINT, TIME, UINT
from anabranch.source import Span

NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
ESCAPE = re.compile(r"\\([0-7]{1,3}|x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
SUFFIXES = {"p": FINGERPRINT, "t": TIME, "u": UINT}
UNSIGNED = 1 << 64


def number(digits: str) -> int:
    """An integer in the notation of C, with `0b` for binary digits."""
    prefix = digits[:2].lower()
    if prefix in ("0x", "0b"):
        return int(digits[2:], 16 if prefix == "0x" else 2)
    return int(digits, 8 if digits[0] == "0" and len(digits) > 1 else 10)


def integer(digits: str, span: Span, limit: int = UNSIGNED) -> int:
    try:
        value = number(digits)
    except ValueError:
        raise ProgramError("this is not a number", span,
                           help="a leading 0 makes a number octal") from None
    if value >= limit:
        raise ProgramError("this number is too large", span, expected="64 bits")
    return value


def suffixed(literal: str, span: Span) -> tuple[int, Type]:
    """A fingerprint, a time or an unsigned integer, such as `10T`."""
    return integer(literal[:-1], span), SUFFIXES[literal[-1].lower()]


def text(literal: str) -> str:
    """The text between quotes; between back quotes, nothing is escaped."""
    inner = literal[1:-1]
    return inner if literal[0] == "`" else ESCAPE.sub(_unescaped, inner)


def _unescaped(found: re.Match) -> str:
    code = found[1]
    if code[0] in "01234567":
        return chr(int(code, 8))
    if code[0] in "xuU" and len(code) > 1:
        value = int(code[1:], 16)
        return chr(value) if value < 0x110000 else "\ufffd"
    return NAMED.get(code, code)


def character(literal: str, span: Span) -> int:
    value = text(literal)
    if len(value) != 1:
        raise ProgramError("this is not one character", span, help='a text stands in "quotes"')
    return ord(value)


def prefixed(literal: str, span: Span, zone: str) -> tuple[object, Type]:
    """Bytes as `B"text"` or `X"0a"`, or a time as `T"date"`."""
    kind, value = literal[0], text(literal[1:])
    try:
        if kind == "B":
            return value.encode("latin-1"), BYTES
        return (bytes.fromhex(value), BYTES) if kind == "X" else (time_of(value, zone), TIME)
    except (UnicodeEncodeError, ValueError):
        raise ProgramError("these are not bytes", span, expected={
            "B": "characters below 256", "X": "pairs of hexadecimal digits"}[kind]) from None
    except Undefined as error:
        raise ProgramError(error.what, span) from None
