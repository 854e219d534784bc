"""What generated code calls: operations whose meaning is not Python's own.

Integers are divided as in SQL and C: towards zero, and the remainder has the dividend's sign.

>>> int_quotient(-7, 2), int_remainder(-7, 2)
(-3, -1)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

from anabranch.core.errors import RunError


def int_quotient(a: int, b: int) -> int:
    _check_divisor(b)
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def int_remainder(a: int, b: int) -> int:
    return a - b * int_quotient(a, b)


def quotient(a: float, b: float) -> float:
    _check_divisor(b)
    return a / b


def fraction(part: float, whole: float) -> float | None:
    """A part of a whole; None as long as there is no whole."""
    return part / whole if whole else None


def _check_divisor(b: float) -> None:
    if b == 0:
        raise RunError("division by zero")


def defined(what: str, compute: Callable, *values: object) -> object:
    """The result of a function of numbers; our error where it has none."""
    try:
        return compute(*values)
    except (ValueError, OverflowError, ZeroDivisionError, TypeError):
        shown = ", ".join(map(repr, values))
        raise RunError(f"{what}({shown}) is not defined") from None


def floor(x: float) -> int:
    return defined("floor", math.floor, x)


def ceil(x: float) -> int:
    return defined("ceil", math.ceil, x)


def rounded(x: float) -> int:
    """The nearest integer, halves away from zero.

    >>> rounded(2.5), rounded(-2.5)
    (3, -3)
    """
    nearest = defined("round", math.floor, abs(x) + 0.5)
    return nearest if x >= 0 else -nearest


def truncated(x: float) -> int:
    return defined("int", int, x)


def root(x: float) -> float:
    return defined("sqrt", math.sqrt, x)


def exponential(x: float) -> float:
    return defined("exp", math.exp, x)


def logarithm(x: float) -> float:
    return defined("ln", math.log, x)


def power(x: float, y: float) -> float:
    return defined("power", math.pow, x, y)


def int_of(text: str) -> int:
    return defined("int", int, text)


def float_of(text: str) -> float:
    return defined("float", float, text)


def later(time: datetime, seconds: float) -> datetime:
    return defined("+", lambda t, s: t + timedelta(seconds=s), time, seconds)


def substring(text: str, start: int, length: int | None = None) -> str:
    """A piece of a text, whose first character is number 1.

    >>> substring("anabranch", 4, 6), substring("abc", -1, 3)
    ('branch', 'a')
    """
    end = None if length is None else max(0, start - 1 + max(0, length))
    return text[max(0, start - 1):end]


def like(text: str, pattern: str) -> bool:
    """Whether a text is as the pattern says: `%` stands for any text, `_` for one character.

    >>> like("anabranch", "ana%"), like("anabranch", "_ranch")
    (True, False)
    """
    return _like(pattern).fullmatch(text) is not None


@lru_cache
def _like(pattern: str) -> re.Pattern:
    pieces = {"%": ".*", "_": "."}
    return re.compile("".join(pieces.get(c, re.escape(c)) for c in pattern), re.DOTALL)


def _pattern(text: str) -> re.Pattern:
    try:
        return re.compile(text)
    except re.error as error:
        raise RunError(f"{text!r} is no regular expression: {error}") from None


def regexp_like(text: str, pattern: str) -> bool:
    """Whether a regular expression is found in a text."""
    return _pattern(pattern).search(text) is not None


def regexp_extract(text: str, pattern: str, group: int = 0) -> str | None:
    """What a regular expression finds first in a text, or one of its groups does.

    >>> regexp_extract("/auction?id=17", "id=([0-9]+)", 1), regexp_extract("/", "id=")
    ('17', None)
    """
    found = _pattern(pattern)
    if not 0 <= group <= found.groups:
        raise RunError(f"{pattern!r} has no group {group}")
    match = found.search(text)
    return match[group] if match else None


def regexp_replace(text: str, pattern: str, by: str) -> str:
    """A text with all that a regular expression finds replaced; `\\1` is its first group."""
    found = _pattern(pattern)
    try:
        return found.sub(by, text)
    except (re.error, IndexError) as error:
        raise RunError(f"{by!r} cannot replace what {pattern!r} finds: {error}") from None


def split_part(text: str, separator: str, number: int) -> str:
    """A part of a text between separators, counted from 1; nothing where there is none.

    >>> split_part("a/b/c", "/", 2), split_part("a/b/c", "/", 4)
    ('b', '')
    """
    return split_index(text, separator, number - 1) or ""


def split_index(text: str, separator: str, index: int) -> str | None:
    """The same counted from 0, and None where there is none."""
    parts = text.split(separator) if separator else [text]
    return parts[index] if 0 <= index < len(parts) else None


def sign_of(x: float) -> int:
    return (x > 0) - (x < 0)


def left_of(text: str, count: int) -> str:
    """The first characters of a text; with a negative number all but so many of its last.

    >>> left_of("abcd", 3), left_of("abcd", -3), right_of("abcd", 3), right_of("abcd", -3)
    ('abc', 'a', 'bcd', 'd')
    """
    return text[:count]


def right_of(text: str, count: int) -> str:
    return text[-count:] if count else ""


def padded(text: str, size: int, by: str, before: bool) -> str:
    """A text of so many characters: filled up with another one, or cut off behind.

    >>> padded("7", 3, "0", True), padded("abc", 2, " ", False), padded("a", 4, "xy", False)
    ('007', 'ab', 'axyx')
    """
    missing = max(size, 0) - len(text)
    filled = (by * (missing // len(by) + 1))[:missing] if missing > 0 and by else ""
    return (filled + text if before else text + filled)[:max(size, 0)]


def lifted(function: Callable, *values: object) -> object:
    """The function of the values, or None when one of them is None."""
    return None if None in values else function(*values)


def both(a: bool | None, b: Callable[[], bool | None]) -> bool | None:
    """`and` of three values: None where the answer depends on what is not known.

    >>> both(None, lambda: False), both(None, lambda: True)
    (False, None)
    """
    if a is False:
        return False
    b = b()
    return False if b is False else None if a is None or b is None else True


def either(a: bool | None, b: Callable[[], bool | None]) -> bool | None:
    """`or` of three values.

    >>> either(None, lambda: True), either(None, lambda: False)
    (True, None)
    """
    if a is True:
        return True
    b = b()
    return True if b is True else None if a is None or b is None else False
