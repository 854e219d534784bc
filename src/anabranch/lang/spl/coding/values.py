"""What generated code calls: what is not as in Python, and the library.

Compiled code is made of these functions too, where they are plain arithmetic.

>>> wrap64(2**63), wrap_u64(-1), quotient(-7, 2), remainder(-7, 2)
(-9223372036854775808, 18446744073709551615, -3, -1)
>>> shown(1.0), shown([1, 2]), shown({"a": True})
('1', '[1,2]', '{a:true}')
"""

from __future__ import annotations

import bisect
import calendar
import math
import random
import re
import struct
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation

from anabranch.core.errors import RunError
from anabranch.ir.records import Record

LARGEST = 9223372036854775807
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}


class Timestamp(Record):
    """Seconds and nanoseconds since 1970, and the machine whose clock it was."""

    seconds: int
    nanoseconds: int = 0
    machineId: int = 0


def wrap64(n: int) -> int:
    if -LARGEST - 1 <= n <= LARGEST:
        return n
    return (n + LARGEST + 1) % (LARGEST + LARGEST + 2) - LARGEST - 1


def wrap_u64(n: int) -> int:
    if 0 <= n <= LARGEST:
        return n
    return n % (LARGEST + LARGEST + 2)


def quotient(a: int, b: int) -> int:
    """Towards zero, as C divides."""
    if b == 0:
        raise RunError("division by zero")
    if (a < 0) == (b < 0):
        return abs(a) // abs(b)
    return -(abs(a) // abs(b))


def remainder(a: int, b: int) -> int:
    """With the sign of the dividend."""
    if b == 0:
        raise RunError("division by zero")
    if a < 0:
        return -(-a % abs(b))
    return a % abs(b)


def ratio(a: float, b: float) -> float:
    """As floating-point hardware divides: there is a result for zero too."""
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def single(x: float) -> float:
    """The nearest float of 32 bits."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def decimal_of(x: object, digits: int) -> Decimal:
    try:
        return Context(prec=digits).plus(Decimal(x))
    except (InvalidOperation, ValueError):
        raise RunError(f"{shown(x)} is no decimal number") from None


def decimal_ratio(a: Decimal, b: Decimal, digits: int) -> Decimal:
    try:
        return Context(prec=digits).divide(a, b)
    except (DivisionByZero, InvalidOperation):
        raise RunError("division by zero") from None


def whole(x: float) -> int:
    """A float without its fraction."""
    if x != x or x in (math.inf, -math.inf):
        raise RunError("what is no number or infinite is no integer")
    return int(x)


def number_of(text: str, kind: str) -> int | float:
    """The number that a text shows."""
    try:
        return float(text) if kind == "float" else int(text.strip(), 10)
    except ValueError:
        raise RunError(f"{text!r} is no {kind}eger" if kind == "int" else
                       f"{text!r} is no number") from None


def truth_of(text: str) -> bool:
    if text.strip() not in ("true", "false"):
        raise RunError(f"{text!r} is neither true nor false")
    return text.strip() == "true"


def float_text(x: float) -> str:
    """The shortest text that gives the number again.

    >>> float_text(3.0), float_text(0.1), float_text(1e300)
    ('3', '0.1', '1e300')
    """
    return repr(x).removesuffix(".0").replace("e+", "e")


def shown(x: object, quoted: bool = False) -> str:
    """A value as text; texts within others stand in quotes, as literals do, where that is asked."""
    if isinstance(x, str):
        return quote(x) if quoted else x
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, float):
        return float_text(x)
    if isinstance(x, Timestamp):
        return f"({x.seconds},{x.nanoseconds},{x.machineId})"
    if isinstance(x, tuple):
        return "{" + ",".join(f"{n}={shown(v, quoted)}" for n, v in zip(x._fields, x)) + "}"
    if isinstance(x, list):
        return "[" + ",".join(shown(v, quoted) for v in x) + "]"
    if isinstance(x, Pieces):
        return "{" + ",".join(shown(v, quoted) for v in x) + "}"
    if isinstance(x, dict):
        return "{" + ",".join(f"{shown(k, quoted)}:{shown(v, quoted)}" for k, v in x.items()) + "}"
    if isinstance(x, Decimal):
        return format(x, "f")
    return x.hex() if isinstance(x, bytes) else str(x)


class Pieces(dict):
    """A set: a dict that keeps the order of its keys, whose values do not count."""


def quote(text: str) -> str:
    """A text as a literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def unescaped(text: str) -> str:
    r"""The characters of a literal.

    >>> unescaped(r"a\tb\"c\\")
    'a\tb"c\\'
    """
    return re.sub(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", _escaped, text)


def _escaped(match: re.Match) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else ESCAPES.get(code, code)


def set_of(items: Iterable) -> Pieces:
    return Pieces(dict.fromkeys(items, 0))


# Places in collections.

def item(values: Sequence, index: int) -> object:
    if 0 <= index < len(values):
        return values[index]
    raise RunError("an index is beyond the list")


def place(values: Sequence, index: int) -> int:
    """An index that is there."""
    if 0 <= index < len(values):
        return index
    raise RunError("an index is beyond the list")


def sliced(values: Sequence, first: int, behind: int | None) -> Sequence:
    return values[max(first, 0):None if behind is None else max(behind, 0)]


def bounded(values: object, size: int) -> object:
    """What a bounded collection keeps of a longer one."""
    if isinstance(values, (str, list)):
        return values[:size]
    return type(values)(list(values.items())[:size])


def pairs(left: list, right: list) -> Iterable:
    """The items of two lists, side by side."""
    if len(left) != len(right):
        raise RunError("lists of different lengths cannot meet item by item")
    return zip(left, right)


# The library: strings.

def substring(text: str, start: int, length: int) -> str:
    if not 0 <= start <= len(text):
        raise RunError("a substring begins behind the end of the string")
    return text[start:start + max(length, 0)]


def find_first(text: str, part: str, start: int = 0) -> int:
    return text.find(part, start)


def find_last(text: str, part: str, last: int | None = None) -> int:
    return text.rfind(part) if last is None else text.rfind(part, 0, last + len(part))


def find_first_of(text: str, characters: str, start: int = 0) -> int:
    return next((n for n in range(start, len(text)) if text[n] in characters), -1)


def tokenized(text: str, delimiters: str, keep_empty: bool) -> list:
    """
    >>> tokenized("a,b;;c", ",;", False), tokenized("a,,b", ",", True)
    (['a', 'b', 'c'], ['a', '', 'b'])
    """
    parts, start = [], 0
    for n, character in enumerate(text):
        if character in delimiters:
            parts.append(text[start:n])
            start = n + 1
    parts.append(text[start:])
    return parts if keep_empty else [part for part in parts if part]


def csv_tokenized(line: str, separator: str = ",") -> list:
    r"""The cells of a line, of which those in double quotes may have separators.

    >>> csv_tokenized('1,"a, b",,[2,3]')
    ['1', 'a, b', '', '[2,3]']
    """
    if '"' not in line and "(" not in line and "[" not in line and "{" not in line:
        return line.split(separator)
    cells, cell, depth, quoted, n = [], [], 0, False, 0
    while n < len(line):
        character = line[n]
        if quoted:
            if character == "\\" and n + 1 < len(line) and depth == 0:
                n += 1
                cell.append({"n": "\n", "t": "\t"}.get(line[n], line[n]))
            elif character == '"' and line[n + 1:n + 2] == '"' and depth == 0:
                n += 1
                cell.append('"')
            elif character == '"':
                quoted = False
                cell.append('"' * (depth > 0))
            else:
                cell.append(character)
        elif character == '"':
            quoted = True
            cell.append('"' * (depth > 0))
        elif character == separator and depth == 0:
            cells.append("".join(cell))
            cell = []
        else:
            depth += (character in "([{") - (character in ")]}")
            cell.append(character)
        n += 1
    return [*cells, "".join(cell)]


def matched(text: str, pattern: str) -> list:
    """The whole match and its groups; none where the pattern is not found."""
    found = re.search(pattern, text)
    return [found[0], *(group or "" for group in found.groups())] if found else []


def replaced(text: str, pattern: str, by: str, every: bool) -> str:
    return re.sub(pattern, re.sub(r"\$(\d)", r"\\\1", by), text, count=0 if every else 1)


def find_first_not_of(text: str, characters: str, start: int = 0) -> int:
    return next((n for n in range(start, len(text)) if text[n] not in characters), -1)


def find_last_of(text: str, characters: str, last: int = 2**31) -> int:
    return next((n for n in range(min(last, len(text) - 1), -1, -1) if text[n] in characters), -1)


def find_last_not_of(text: str, characters: str, last: int = 2**31) -> int:
    return next((n for n in range(min(last, len(text) - 1), -1, -1) if text[n] not in characters),
                -1)


def text_in(data: bytes) -> str:
    return data.decode(errors="replace")


# The library: collections.

def appended(values: list, value: object) -> None:
    values.append(value)


def inserted_at(values: list, value: object, index: int) -> None:
    if not 0 <= index <= len(values):
        raise RunError("an index is beyond the list")
    values.insert(index, value)


def inserted(values: list, value: object, index: int) -> list:
    return [*values[:item_places(values, index)], value, *values[index:]]


def item_places(values: list, index: int) -> int:
    """An index before which there can be one more item."""
    if 0 <= index <= len(values):
        return index
    raise RunError("an index is beyond the list")


def removed(values: list, index: int) -> list:
    return [*values[:place(values, index)], *values[index + 1:]]


def without(values: dict, key: object) -> dict:
    """A set or a map without one key."""
    return type(values)({k: v for k, v in values.items() if k != key})


def sorted_indices(values: list) -> list:
    return sorted(range(len(values)), key=values.__getitem__)


def last_index_of(values: list, value: object) -> int:
    return next((n for n in range(len(values) - 1, -1, -1) if values[n] == value), -1)


def index_among(values: list, others: list, wanted: bool) -> int:
    return next((n for n, value in enumerate(values) if (value in others) == wanted), -1)


def dropped(values: dict, key: object) -> None:
    values.pop(key, None)


def dropped_at(values: list, index: int) -> None:
    del values[place(values, index)]


def cleared(values: object) -> None:
    values.clear()


def total(values: list) -> object:
    return sum(values)


def product(values: list) -> object:
    return math.prod(values)


def mean(values: list) -> float:
    if not values:
        raise RunError("an empty list has no mean")
    return sum(values) / len(values)


def extreme(values: list, largest: bool) -> object:
    if not values:
        raise RunError("an empty list has no largest and no smallest item")
    return max(values) if largest else min(values)


def numbers(first: int, behind: int, step: int = 1) -> list:
    if step == 0:
        raise RunError("a range has a step that is not zero")
    return list(range(first, behind, step))


def index_of(values: list, value: object, start: int = 0) -> int:
    return next((n for n in range(max(start, 0), len(values)) if values[n] == value), -1)


def sorted_place(values: list, value: object) -> int:
    return bisect.bisect_left(values, value)


def deviation(values: list, less: int) -> float:
    """The standard deviation of values, or of those they are a sample of."""
    if len(values) <= less:
        return 0.0
    middle = sum(values) / len(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - less))


def at_extreme(values: list, others: list, largest: bool) -> object:
    """What stands beside the first largest or smallest value."""
    wanted = max(values) if largest else min(values)
    return others[values.index(wanted)]


def all_at_extreme(values: list, others: list, largest: bool) -> list:
    """What stands beside each of the largest or smallest values."""
    wanted = max(values) if largest else min(values)
    return [other for value, other in zip(values, others) if value == wanted]


def counts(values: list) -> list:
    """How often each value comes, in the order in which they come first."""
    return [values.count(value) for value in set_of(values)]


def columns(values: list, fold: Callable) -> list:
    """A fold of the first items of lists, one of the second ones, and so on."""
    if len({len(each) for each in values}) > 1:
        raise RunError("lists of different lengths cannot meet item by item")
    return [fold([each[n] for each in values]) for n in range(len(values[0]))]


def grouped(values: list, key: Callable) -> list:
    """Lists of the values of one key each, in the order in which keys come first."""
    groups: dict = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return list(groups.values())


# The library: numbers.

def rounded(x: float) -> float:
    """To the nearest whole number, halves away from zero.

    >>> rounded(2.5), rounded(-2.5)
    (3.0, -3.0)
    """
    return math.copysign(float(math.floor(abs(x) + 0.5)), x) if math.isfinite(x) else x


def floor(x: float) -> float:
    return float(math.floor(x)) if math.isfinite(x) else x


def ceil(x: float) -> float:
    return float(math.ceil(x)) if math.isfinite(x) else x


def truncated(x: float) -> float:
    return float(math.trunc(x)) if math.isfinite(x) else x


def real(name: str, *values: float) -> float:
    """A function of C's library: not a number where Python refuses."""
    try:
        return getattr(math, name)(*values)
    except ValueError:
        return -math.inf if name.startswith("log") and values[0] == 0 else math.nan
    except OverflowError:
        return math.inf


def root(x: float) -> float:
    if x < 0.0:
        return math.nan
    return math.sqrt(x)


def hash_code(x: object) -> int:
    return zlib.crc32(shown(x, True).encode(errors="surrogatepass"))


def a_random() -> float:
    return random.random()


# The library: times.

def now() -> Timestamp:
    nanoseconds = time.time_ns()
    return Timestamp(nanoseconds // 10**9, nanoseconds % 10**9, 0)


def counter() -> int:
    return time.perf_counter_ns()


def broken_down(t: Timestamp) -> time.struct_time:
    """A time as a date, in UTC: a program tells the same everywhere."""
    try:
        return time.gmtime(t.seconds)
    except (OverflowError, OSError, ValueError):
        raise RunError("a time is beyond the calendar") from None


def time_text(t: Timestamp) -> str:
    return time.strftime("%a %b %e %H:%M:%S %Y", broken_down(t))


def time_of(date: str, clock: str) -> Timestamp:
    """
    >>> time_of("4-OCT-2005", "20:00:00.250")
    Timestamp(seconds=1128456000, nanoseconds=250000000, machineId=0)
    """
    whole_seconds, _, fraction = clock.partition(".")
    try:
        parts = time.strptime(f"{date.title()} {whole_seconds}", "%d-%b-%Y %H:%M:%S")
        return Timestamp(calendar.timegm(parts), int(f"{fraction[:9]:0<9}"), 0)
    except ValueError:
        raise RunError(f"'{date} {clock}' is no time", expected="4-OCT-2005 20:00:00.000") from None


def moved_by(t: Timestamp, nanoseconds: int) -> Timestamp:
    total_nanoseconds = t.nanoseconds + nanoseconds
    return Timestamp(t.seconds + total_nanoseconds // 10**9, total_nanoseconds % 10**9, t.machineId)


def nanoseconds_between(late: Timestamp, early: Timestamp) -> int:
    return (late.seconds - early.seconds) * 10**9 + late.nanoseconds - early.nanoseconds


def decimal_time(t: Timestamp) -> Decimal:
    return Decimal(t.seconds) + Decimal(t.nanoseconds).scaleb(-9)


def moved(t: Timestamp, seconds: float) -> Timestamp:
    whole_seconds = math.floor(seconds)
    nanoseconds = t.nanoseconds + round((seconds - whole_seconds) * 1e9)
    return Timestamp(t.seconds + whole_seconds + nanoseconds // 10**9, nanoseconds % 10**9,
                     t.machineId)


def elapsed(late: Timestamp, early: Timestamp) -> float:
    return (late.seconds - early.seconds) + (late.nanoseconds - early.nanoseconds) / 1e9


def clock() -> float:
    """Seconds, for what goes by the clock."""
    return time.monotonic()


def paced(seconds: float) -> bool:
    """Waits, for what keeps a pace."""
    time.sleep(max(seconds, 0.0))
    return True


def asserted(holds: bool, text: str = "") -> None:
    if not holds:
        raise RunError(f"an assertion does not hold{': ' if text else ''}{text}")


def aborted() -> None:
    raise RunError("the program aborts itself")


SCOPE = {name: value for name, value in globals().items()
         if callable(value) and not name.startswith("_")} | {"math": math, "Decimal": Decimal}
