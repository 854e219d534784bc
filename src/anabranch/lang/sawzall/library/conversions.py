"""Conversions between basic types, with parameters: bases, encodings, zones.

Conversions between basic types, with their parameters: bases, encodings, and time zones.

>>> int_of("0x1f"), int_text(-255, 16), float_of("0x1p-1")
(31, '-ff', 0.5)

Integers as bytes, in the encodings that conversions name.

>>> int_bytes(1, "fixed32-big"), int_of_bytes(b"\\x80\\x01", "varint")
(b'\\x00\\x00\\x00\\x01', 128)
"""

from __future__ import annotations

import math
import re

from anabranch.lang.sawzall.library.values import (
    HALF,
    WHOLE,
    Undefined,
    as_int,
    bytes_literal,
    quoted,
    rune,
)

NUMBER = re.compile(r"\s*([-+]?)(0[xX](?=[0-9a-fA-F]))?([0-9a-zA-Z]*)(.*)", re.DOTALL)
FLOATING = re.compile(r"\s*[-+]?((?P<hex>0x[0-9a-f]+\.?[0-9a-f]*(p[-+]?\d+)?)"
                      r"|(?P<digits>\d+\.?\d*|\.\d+)(e[-+]?\d+)?|inf(inity)?|nan)",
                      re.IGNORECASE | re.ASCII)
LARGEST = 1 << 64
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def _parsed(text: str, base: int, what: str) -> int:
    """As C's `strtoll` reads it; nothing may follow."""
    if base != 0 and not 2 <= base <= 36:
        raise Undefined("illegal base")
    sign, prefix, digits, rest = NUMBER.match(text).groups()
    if prefix and base not in (0, 16):
        digits, rest = "0", prefix[1:] + digits + rest
    elif base == 0:
        base = 16 if prefix else 8 if digits[:1] == "0" else 10
    valid = len(digits) - len(digits.lower().lstrip(DIGITS[:base]))
    if not valid:
        raise Undefined(f"string {quoted(text)} contains no {what}")
    if valid < len(digits) or rest:
        raise Undefined(f"string {quoted(text)} contains extra chars")
    value = int(digits, base)
    return -value if sign == "-" else value


def int_of(text: str, base: int = 0) -> int:
    # Most numbers are short and plain, and reading those need not be careful.
    if len(text) < 19 and text.isascii() and text.isdecimal() and (
            base == 10 or (base == 0 and text[0] != "0")):
        return int(text)
    value = _parsed(text, base, "int")
    if not -HALF <= value < HALF:
        raise Undefined(f"string {quoted(text)} overflows when converting to int")
    return value


def decimal(data: bytes) -> int:
    """`int(string(data), 10)`, of which most numbers need neither step."""
    if (data.isdigit() or (data[:1] == b"-" and data[1:].isdigit())) and len(data) < 19:
        return int(data)
    return int_of(text_of_bytes(data), 10)


def uint_of(text: str, base: int = 0) -> int:
    value = _parsed(text, base, "uint")
    if abs(value) >= LARGEST:
        raise Undefined(f"string {quoted(text)} overflows when converting to uint")
    return value & WHOLE


def float_of(text: str) -> float:
    found = FLOATING.fullmatch(text)
    if found is None:
        raise Undefined(f"string {quoted(text)} contains no float")
    try:
        value = float.fromhex(text) if found["hex"] else float(text)
    except OverflowError:
        value = math.inf
    vanished = value == 0 and (found["digits"] or "").strip("0.")
    if vanished or (value == math.inf and "n" not in text.lower()):
        raise Undefined(f"string {quoted(text)} has range error when converting to float")
    return value


def int_of_float(value: float) -> int:
    """Towards zero; what does not fit becomes the least integer, as it does in C."""
    if not -9.3e18 < value < 9.3e18 or not -HALF <= int(value) < HALF:
        return -HALF
    return int(value)


def uint_of_float(value: float) -> int:
    return int(value) & WHOLE if math.isfinite(value) and abs(value) < 2e19 else HALF


def int_text(value: int, base: int = 10) -> str:
    if base == 10:
        return str(value)
    if not 2 <= base <= 36:
        raise Undefined(f"illegal base {base}")
    digits, rest = [], abs(value)
    while rest or not digits:
        rest, digit = divmod(rest, base)
        digits.append(DIGITS[digit])
    return "-" * (value < 0) + "".join(reversed(digits))


def fingerprint_text(value: int) -> str:
    return f"0x{value:016x}P"


def bool_of(text: str) -> bool:
    return text[:1] in ("t", "T") and text != ""


def text_of_bytes(data: bytes, encoding: str = "utf-8") -> str:
    if encoding == "utf-8" and 0 not in data:
        return data.decode(errors="replace")
    encoding = encoding.lower()
    if encoding == "hex":
        return data.hex()
    if encoding == "array-literal":
        return bytes_literal(data)
    if encoding not in ("utf-8", "latin-1"):
        raise Undefined("unknown encoding for conversion of bytes to string")
    if 0 in data:
        raise Undefined(f"encountered 0 byte at index {data.index(0)} converting from bytes to "
                        "string")
    return data.decode(encoding, errors="replace")


def bytes_of_text(text: str, encoding: str = "utf-8") -> bytes:
    encoding = encoding.lower()
    try:
        if encoding == "hex":
            return bytes.fromhex(text) if " " not in text else _no_bytes(text)
        if encoding == "utf-8":
            return text.encode(errors="surrogatepass")
        if encoding == "latin-1":
            return text.encode("latin-1")
    except ValueError:
        return _no_bytes(text)
    raise Undefined("unknown encoding for string to bytes")


def _no_bytes(text: str) -> bytes:
    raise Undefined(f"string {quoted(text)} cannot be converted to bytes")


def fingerprint_of_bytes(data: bytes) -> int:
    if len(data) != 8:
        raise Undefined("converting bytes to fingerprint: input must be exactly 64 bits long")
    return int.from_bytes(data)


def text_of_codes(codes: list, encoding: str) -> str:
    if encoding.lower() != "unicode":
        raise Undefined("unknown encoding converting to string from compound value")
    return text_of_runes(codes)


def codes_of_text(text: str, encoding: str) -> list:
    if encoding.lower() != "unicode":
        raise Undefined("unknown encoding converting from string to array")
    return list(map(ord, text))


def map_of(values: list, key, value) -> dict:
    """A map of an array of keys and values in turn."""
    if len(values) % 2:
        raise Undefined("an array with an odd number of elements is no map")
    return {key(k): value(v) for k, v in zip(values[::2], values[1::2])}


def tuple_of(values: list, *fields) -> list:
    if len(values) != len(fields):
        raise Undefined(f"an array of {len(values)} elements is no tuple of {len(fields)}")
    return [field(v) for field, v in zip(fields, values)]


def text_of_runes(codes: list) -> str:
    return "".join(map(rune, codes))


def bytes_of_ints(values: list) -> bytes:
    return bytes(v & 255 for v in values)


FIXED = {"fixed64-little": (8, "little"), "fixed64-big": (8, "big"), "szl": (8, "big"),
         "saw": (8, "big"), "fixed32-little": (4, "little"), "fixed32-big": (4, "big")}


def int_bytes(value: int, encoding: str) -> bytes:
    encoding = encoding.lower()
    if encoding in ("varint", "zigzag"):
        bits = value & WHOLE
        zigzag = (bits << 1 & WHOLE) ^ -(bits >> 63) & WHOLE
        return _varint(zigzag if encoding == "zigzag" else bits)
    return _fixed_bytes(value, encoding, "int", -(1 << 31), 1 << 31)


def uint_bytes(value: int, encoding: str) -> bytes:
    if encoding.lower() in ("varint", "zigzag"):
        return int_bytes(value, encoding)
    return _fixed_bytes(value, encoding.lower(), "uint", 0, 1 << 32)


def _fixed_bytes(value: int, encoding: str, kind: str, least: int, end: int) -> bytes:
    width, order = _fixed(encoding)
    if width == 4 and not least <= value < end:
        raise Undefined(f"{kind} value {value} out of range for 32-bit encoding")
    return (value & (1 << 8 * width) - 1).to_bytes(width, order)


def int_of_bytes(data: bytes, encoding: str) -> int:
    encoding = encoding.lower()
    if encoding in ("varint", "zigzag"):
        return as_int(_unvaried(data, encoding))
    return int.from_bytes(data, _fixed(encoding, data)[1], signed=True)


def uint_of_bytes(data: bytes, encoding: str) -> int:
    encoding = encoding.lower()
    if encoding in ("varint", "zigzag"):
        return _unvaried(data, encoding)
    return int.from_bytes(data, _fixed(encoding, data)[1])


def _fixed(encoding: str, data: bytes | None = None) -> tuple[int, str]:
    if encoding not in FIXED:
        raise Undefined(f"unknown encoding '{encoding}' for an integer as bytes")
    width, order = FIXED[encoding]
    if data is not None and len(data) != width:
        raise Undefined(f"length of bytes value ({len(data)}) wrong for conversion to int; "
                        f"should be {width}")
    return width, order


def _varint(bits: int) -> bytes:
    out = bytearray()
    while bits > 127:
        out.append(bits & 127 | 128)
        bits >>= 7
    return bytes((*out, bits))


def _unvaried(data: bytes, encoding: str) -> int:
    well_formed = 0 < len(data) <= 10 and data[-1] < 128 and all(b > 127 for b in data[:-1])
    if not well_formed:
        raise Undefined("invalid varint value for decoding")
    bits = sum((b & 127) << 7 * i for i, b in enumerate(data)) & WHOLE
    return (bits >> 1) ^ -(bits & 1) & WHOLE if encoding == "zigzag" else bits
