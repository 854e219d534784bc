"""Operations on values, and values as text. What has no value raises `Undefined`.

Operations on values. What has no value raises `Undefined`.

Arrays and tuples are lists and maps are dicts. Keys of maps are frozen: lists become tuples.

>>> as_int(1 << 63), as_uint(-1)
(-9223372036854775808, 18446744073709551615)

Values as text: how `emit` prints them, how tables do, and what `string(x)` gives.

>>> quoted('a"b\\n')
'"a\\\\"b\\\\n"'
>>> float_text(3.0), float_text(1e300), float_text(1 / 3)
('3.0', '1e+300', '0.333333333333333')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from anabranch.core.errors import RunError

HALF, WHOLE = 1 << 63, (1 << 64) - 1
MOST_SIZE, HIGH = (1 << 31) - 1, 0x110000


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


def sized(size: int) -> int:
    """The size of a table."""
    if not 0 <= size <= MOST_SIZE:
        raise Stopped(f"{size} cannot be the size of a table")
    return size


def counted(size: int) -> int:
    """How many items `new` makes."""
    if size < 0:
        raise Undefined(f"new cannot make {size} items")
    return size


def rune(code: int) -> str:
    if not 0 < code < HIGH or 0xD800 <= code < 0xE000:
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


class Message(list):
    """A tuple of which fields may be absent: those that it did not have among the bytes that it
    came from. What is assigned to is there."""

    __slots__ = ("absent",)

    def __init__(self, values: list, absent: Iterable[int] = ()):
        super().__init__(values)
        self.absent = set(absent)

    def __setitem__(self, place: int, value: object) -> None:
        super().__setitem__(place, value)
        self.absent.discard(place)

    def __reduce__(self) -> tuple:
        return Message, (list(self), self.absent)


def copied(value: object) -> object:
    """A value of its own: whatever changes in one does not change in the other."""
    if isinstance(value, list):
        own = [copied(v) if isinstance(v, (list, dict)) else v for v in value]
        return Message(own, value.absent) if isinstance(value, Message) else own
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


class Undefined(RunError):
    """An expression that has no value; `def` looks for it."""


class Stopped(RunError):
    """A failed assertion, or another end of the program, which is no undefined value."""


class Resulting(Exception):
    """Carries the undefined value of a statement expression past its statements."""


def resulted(compute: Callable[[], object]) -> object:
    """The result of a statement expression."""
    try:
        return compute()
    except Resulting as undefined:
        raise undefined.args[0] from None


def ended(error: Undefined) -> Stopped:
    """What ends the run where a statement of a function needs an undefined value: who has called
    the function gets no value of it, not even an undefined one."""
    return Stopped(error.what, error.where, expected=error.expected, got=error.got,
                   help=error.help).with_traceback(error.__traceback__)


def undefined(name: str) -> None:
    """Raises what reading a variable without a value raises."""
    raise Undefined(f"the variable '{name}' is not defined")


def no_result(name: str) -> None:
    """Raises what a function gives that returned nothing."""
    raise Undefined(f"the function '{name}' returned an undefined value")


def is_defined(compute: Callable[[], object]) -> bool:
    """Whether an expression has a value; a table is one that always has."""
    try:
        return compute() is not None
    except Undefined:
        return False


def asserted(condition: bool, message: str = "") -> None:
    if not condition:
        raise Stopped(f"assertion failed: {message}" if message else "assertion failed")


def nothing_returned(name: str) -> None:
    raise Stopped(f"the function '{name}' ended without a return")


def nothing_resulted() -> None:
    raise Stopped("the statement expression ended without a result")


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
