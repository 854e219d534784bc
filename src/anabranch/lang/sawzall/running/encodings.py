"""Integers as bytes, in the encodings that conversions name.

>>> int_bytes(1, "fixed32-big"), int_of_bytes(b"\\x80\\x01", "varint")
(b'\\x00\\x00\\x00\\x01', 128)
"""

from __future__ import annotations

from anabranch.lang.sawzall.running.undefined import Undefined
from anabranch.lang.sawzall.running.values import WHOLE, as_int

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
