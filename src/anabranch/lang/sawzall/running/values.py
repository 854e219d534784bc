"""Operations on values. What has no value raises `Undefined`.

Arrays and tuples are lists and maps are dicts. Keys of maps are frozen: lists become tuples.

>>> as_int(1 << 63), as_uint(-1)
(-9223372036854775808, 18446744073709551615)
"""

from __future__ import annotations

from collections.abc import Sequence

from anabranch.lang.sawzall.running.undefined import Undefined

HALF, WHOLE = 1 << 63, (1 << 64) - 1


def as_int(value: int) -> int:
    """The value in 64 bits with a sign."""
    return ((value + HALF) & WHOLE) - HALF


def as_uint(value: int) -> int:
    return value & WHOLE


def int_divided(a: int, b: int) -> int:
    """Towards zero, as in C."""
    if b == 0:
        raise Undefined(f"divide by zero error: {a} / 0")
    return as_int(abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1))


def int_modulo(a: int, b: int) -> int:
    if b == 0:
        raise Undefined(f"divide by zero error: {a} % 0")
    return a % abs(b) if a >= 0 else -(-a % abs(b))


def uint_divided(a: int, b: int) -> int:
    if b == 0:
        raise Undefined(f"divide by zero error: {a} / 0")
    return a // b


def uint_modulo(a: int, b: int) -> int:
    if b == 0:
        raise Undefined(f"divide by zero error: {a} % 0")
    return a % b


def float_divided(a: float, b: float) -> float:
    if b == 0:
        raise Undefined(f"divide by zero error: {a:g} / 0.0")
    return a / b


def shifted_left(value: int, by: int) -> int:
    return value << (by & 63)


def shifted_right(value: int, by: int) -> int:
    """Without regard to a sign."""
    return (value & WHOLE) >> (by & 63)


KINDS = {list: "array", bytes: "bytes", str: "string"}


def item(values: Sequence, index: int) -> object:
    if not 0 <= index < len(values):
        raise Undefined(f"index out of bounds (index = {index}, {KINDS[type(values)]} length = "
                        f"{len(values)})")
    return values[index]


def character(text: str, index: int) -> int:
    return ord(item(text, index))


def entry(values: dict, key: object) -> object:
    try:
        return values[key]
    except KeyError:
        raise Undefined("map key was not present") from None


def sliced(values: Sequence, start: int, end: int) -> Sequence:
    """A piece; what lies outside of the whole is left out.

    >>> sliced([1, 2, 3], -5, 2), sliced("abc", 2, 1)
    ([1, 2], '')
    """
    return values[max(0, start):max(0, end)]


def set_item(values: list, index: int, value: object) -> None:
    item(values, index)
    values[index] = value


def text_with(text: str, index: int, code: int) -> str:
    """A string with another character at a place."""
    item(text, index)
    return text[:index] + rune(code) + text[index + 1:]


def rune(code: int) -> str:
    if not 0 < code < 0x110000 or 0xD800 <= code < 0xE000:
        raise Undefined(f"illegal unicode character U+{code:x}")
    return chr(code)


def bytes_with(data: bytes, index: int, value: int) -> bytes:
    item(data, index)
    return data[:index] + bytes((value & 255,)) + data[index + 1:]


def with_slice(values: Sequence, start: int, end: int, part: Sequence) -> Sequence:
    """The values with a piece of them replaced, which may be longer or shorter.

    >>> with_slice("abcd", 1, 3, "xyz")
    'axyzd'
    """
    if start < 0:
        raise Undefined(f"assignment to slice: beginning index {start} < 0")
    if end > len(values):
        raise Undefined(f"assignment to slice: ending index {end} > length of array "
                        f"({len(values)})")
    if start > end:
        raise Undefined(f"assignment to slice: starting index {start} > ending index {end}")
    return values[:start] + part + values[end:]


def frozen(value: object) -> object:
    """A value as a key: lists as tuples, and maps as their pairs in order."""
    if isinstance(value, list):
        return tuple(map(frozen, value))
    if isinstance(value, dict):
        return Pairs((k, frozen(v)) for k, v in sorted(value.items(), key=lambda p: ordering(p[0])))
    return value


class Pairs(tuple):
    """A map that was frozen."""

    __slots__ = ()


def thawed(value: object) -> object:
    """The value that was frozen."""
    if isinstance(value, Pairs):
        return {k: thawed(v) for k, v in value}
    return list(map(thawed, value)) if isinstance(value, tuple) else value


def copied(value: object) -> object:
    """A value of its own: whatever changes in one does not change in the other."""
    if isinstance(value, list):
        return [copied(v) if isinstance(v, (list, dict)) else v for v in value]
    if isinstance(value, dict):
        return {k: copied(v) if isinstance(v, (list, dict)) else v for k, v in value.items()}
    return value


def repeated(value: object, times: int) -> list:
    """An array of so many copies."""
    return [copied(value) for _ in range(times)]


def ordering(value: object) -> tuple:
    """A key that sorts values of one type; a float that is no number comes last."""
    if isinstance(value, (tuple, list)):
        return tuple(map(ordering, value))
    if isinstance(value, dict):
        return ordering(frozen(value))
    return (1, 0) if value != value else (0, value)


def bounds(values: Sequence) -> range:
    """What may be an end of a slice: any index, and the place behind the last."""
    return range(len(values) + 1)


def quantified(*ranges: Sequence) -> Sequence:
    """The values that a quantifier runs over: the keys of a map, or the indices that all have.

    >>> quantified("abc", [1, 2])
    range(0, 2)
    """
    if isinstance(ranges[0], dict):
        return list(map(thawed, ranges[0]))
    return range(min(map(len, ranges)))
