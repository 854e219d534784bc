r"""Values as text: how `emit` prints them, how tables do, and what `string(x)` gives.

>>> quoted('a"b\n')
'"a\\"b\\n"'
>>> float_text(3.0), float_text(1e300), float_text(1 / 3)
('3.0', '1e+300', '0.333333333333333')
"""

from __future__ import annotations

from collections.abc import Callable

ESCAPES = {"\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r",
           "\t": "\\t", "\v": "\\v"}
HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


def float_text(value: float) -> str:
    """15 digits, and always a point, an exponent, or a word."""
    text = f"{value:.15g}"
    plain = "." in text or "e" in text or text in ("inf", "nan")
    return text if plain else f"{text}.0"


def quoted(text: str, quote: str = '"') -> str:
    """A text as a literal; what cannot be printed is shown by its number."""
    pieces, after_number = [quote], False
    for c in text:
        if c in ESCAPES or c == quote:
            pieces.append(ESCAPES.get(c, f"\\{c}"))
            after_number = False
        elif (after_number and c in HEXADECIMAL) or c < " " or "\x7f" <= c <= "\xa0":
            pieces.append(f"\\x{ord(c):x}")
            after_number = True
        else:
            pieces.append(c)
            after_number = False
    return "".join([*pieces, quote])


def time_literal(value: int) -> str:
    return f"{value}T"


def fingerprint_literal(value: int) -> str:
    return f"0x{value:016x}P"


def bool_text(value: bool) -> str:
    return "true" if value else "false"


def emitted_bytes(data: bytes) -> str:
    """As numbers with a sign, which is how C's `char` prints."""
    return f"bytes({{{', '.join(str(b - 256 if b > 127 else b) for b in data)}}})"


def bytes_literal(data: bytes) -> str:
    """In quotes if all can be printed, and in hexadecimal digits if not."""
    if all(32 <= b <= 126 for b in data):
        return f"B{quoted(data.decode('ascii'))}"
    return f'X"{data.hex().upper()}"'


def uint_literal(value: int) -> str:
    return f"{value}U"


Show = Callable[[object], str]


def shows_list(items: list[Show] | Show, opening: str, closing: str) -> Show:
    """Shows arrays with one way to show an item, or tuples with one for each."""
    def show(values) -> str:
        each = items if isinstance(items, list) else [items] * len(values)
        return opening + ", ".join(f(v) for f, v in zip(each, values)) + closing
    return show


def shows_map(key: Show, value: Show, opening: str, closing: str, empty: str) -> Show:
    def show(pairs) -> str:
        pairs = pairs.items() if isinstance(pairs, dict) else pairs
        inner = ", ".join(f"{key(k)}: {value(v)}" for k, v in pairs)
        return opening + inner + closing if inner else empty
    return show


def table_float(value: float) -> str:
    return f"{value:.15g}"


def table_bytes(data: bytes) -> str:
    return data.decode(errors="replace")


def function_name(function: Callable) -> str:
    """The name in the program of a function, whose name in Python ends in a number."""
    return function.__name__.rpartition("_")[0]
