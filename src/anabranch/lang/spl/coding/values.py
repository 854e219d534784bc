"""What generated code calls: what is not as in Python, and the library.

Compiled code is made of these functions too, where they are plain arithmetic.

>>> wrap64(2**63), wrap_u64(-1), quotient(-7, 2), remainder(-7, 2)
(-9223372036854775808, 18446744073709551615, -3, -1)
>>> shown(1.0), shown([1, 2]), shown({"a": True})
('1', '[1,2]', '{a:true}')
"""

from __future__ import annotations

import cmath
import math
import random
import re
import struct
import time
import zlib
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation

from anabranch.core.errors import RunError
from anabranch.ir.records import Record

LARGEST = 9223372036854775807
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
QUOTED = str.maketrans({'"': '\\"', "\\": "\\\\"} | {
    character: f"\\{letter}" for letter, character in ESCAPES.items()})


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


def single_complex(x: complex) -> complex:
    return complex(single(x.real), single(x.imag))


def complex_ratio(a: complex, b: complex) -> complex:
    if b != 0:
        return a / b
    return complex(ratio(a.real, 0.0), ratio(a.imag, 0.0))


def complex_function(name: str, *values: complex) -> complex:
    try:
        return complex(values[0] ** values[1] if name == "pow" else getattr(cmath, name)(*values))
    except (ValueError, ZeroDivisionError):
        return complex(-math.inf if name.startswith("log") else math.nan, 0.0)
    except OverflowError:
        return complex(math.inf, math.nan)


def complex_of(text: str) -> complex:
    """The number that `(1.5,2)` shows."""
    try:
        real, imaginary = text.strip().removeprefix("(").removesuffix(")").split(",")
        return complex(float(real), float(imaginary))
    except ValueError:
        raise RunError(f"{text!r} is no complex number", expected="(1.5,2.0)") from None


def some(x: object) -> object:
    """A value where one may be null."""
    return x


def present(x: object) -> object:
    """A value that has to be there."""
    if x is None:
        raise RunError("an optional value is null", help="ask isPresent(...), or write ?: and a "
                                                         "value for this case")
    return x


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


def single_text(x: float) -> str:
    """The shortest text that gives a float of 32 bits again.

    >>> single_text(single(0.1)), single_text(single(1e20)), single_text(3.0)
    ('0.1', '1e20', '3')
    """
    short = (float(f"{x:.{digits}g}") for digits in range(6, 10))
    return float_text(next((each for each in short if single(each) == x), x))


def one_of(text: str, names: tuple) -> str:
    """The name of an enumeration that a text is."""
    if text.strip() not in names:
        raise RunError(f"{text!r} is none of the names of the enumeration",
                       expected=" or ".join(names))
    return text.strip()


def float_text(x: float) -> str:
    """The shortest text that gives the number again.

    >>> float_text(3.0), float_text(0.1), float_text(1e300)
    ('3', '0.1', '1e300')
    """
    return repr(x).removesuffix(".0").replace("e+", "e")


def complex_text(x: complex) -> str:
    text = single_text if type(x) is SingleComplex else float_text
    return f"({text(x.real)},{text(x.imag)})"


def shown(x: object, quoted: bool = False) -> str:
    """A value as text; texts within others stand in quotes, as literals do, where that is asked."""
    if isinstance(x, str):
        return quote(x) if quoted and type(x) is not EnumName else str(x)
    if isinstance(x, bool):
        return "true" if x else "false"
    if x is None:
        return "null"
    if isinstance(x, float):
        return single_text(x) if type(x) is Single else float_text(x)
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
    if isinstance(x, complex):
        return complex_text(x)
    return x.hex() if isinstance(x, bytes) else str(x)


class EnumName(str):
    """The name of a value of an enumeration, which is shown without quotes."""


class Single(float):
    """A float of 32 bits, which is shown with fewer digits."""


class SingleComplex(complex):
    """A complex number of two of them."""


class Pieces(dict):
    """A set: a dict that keeps the order of its keys, whose values do not count."""


def quote(text: str) -> str:
    """A text as a literal."""
    return '"' + text.translate(QUOTED) + '"'


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
    """
    >>> substring("abcd", 1, 2), substring("abcd", -1, 3), substring("abcd", 3, 9)
    ('bc', 'ab', 'd')
    """
    if start > len(text):
        raise RunError("a substring begins behind the end of the string")
    return text[max(start, 0):max(start + length, 0)]


def find_first(text: str, part: str, start: int = 0) -> int:
    return text.find(part, max(start, 0))


def find_last(text: str, part: str, last: int | None = None) -> int:
    return text.rfind(part) if last is None else text.rfind(part, 0, max(last + len(part), 0))


def find_first_of(text: str, characters: str, start: int = 0) -> int:
    return next((n for n in range(max(start, 0), len(text)) if text[n] in characters), -1)


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


def tokenized_by(text: str, delimiters: str, keep_empty: bool, each: bool) -> list:
    """The tokens between characters, or between one string."""
    if each or not delimiters:
        return tokenized(text, delimiters, keep_empty)
    return [part for part in text.split(delimiters) if part or keep_empty]


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
                cell.append(ESCAPES.get(line[n], line[n]))
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
    return next((n for n in range(max(start, 0), len(text)) if text[n] not in characters), -1)


def find_last_of(text: str, characters: str, last: int = 2**31) -> int:
    return next((n for n in range(min(last, len(text) - 1), -1, -1) if text[n] in characters), -1)


def find_last_not_of(text: str, characters: str, last: int = 2**31) -> int:
    return next((n for n in range(min(last, len(text) - 1), -1, -1) if text[n] not in characters),
                -1)


def interpreted(text: str) -> str:
    """What a literal in double quotes says."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise RunError(f"{text} is no string literal", expected="a text in double quotes")
    return unescaped(text[1:-1])


def encoded(text: str, encoding: str) -> bytes:
    try:
        return text.encode(encoding)
    except (LookupError, UnicodeError):
        raise RunError(f"the string cannot be written in {encoding}") from None


def decoded(data: object, encoding: str) -> str:
    try:
        return bytes(data).decode(encoding)
    except (LookupError, UnicodeError):
        raise RunError(f"the bytes are no text in {encoding}") from None


def text_in(data: bytes) -> str:
    return data.decode(errors="replace")


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


def parsed_start(text: str, base: int, low: int, high: int) -> tuple[int, int]:
    """The integer at the beginning of a text, and how many characters it is; -1 beyond a range."""
    digits = "0-9a-z"[:3] if base and base <= 10 else "0-9a-z"
    found = re.match(rf"\s*[+-]?(0[xX][0-9a-fA-F]+|[{digits}]+)", text, re.IGNORECASE)
    for end in range(found.end() if found else 0, 0, -1):
        try:
            value = int(text[:end], base)
        except ValueError:
            try:
                # C reads 017 as octal where no base is given.
                value = int(text[:end], base or 8)
            except ValueError:
                continue
        return (value, end) if low <= value <= high else (min(max(value, low), high), -1)
    return 0, 0


def number_at_start(text: str) -> tuple[float, int]:
    """The number at the beginning of a text, and how many characters it is.

    >>> number_at_start("2.5e1kg"), number_at_start("kg")
    ((25.0, 5), (0.0, 0))
    """
    found = re.match(r"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|nan)", text,
                     re.IGNORECASE)
    return (float(found[0]), found.end()) if found else (0.0, 0)


def whole_power(x: int, n: int) -> int:
    """Integers to a power: below zero what C's cast makes of a fraction."""
    if n >= 0:
        return x ** n
    return {1: 1, -1: -1 if n % 2 else 1}.get(x, 0)


def seeded(seed: int) -> int:
    random.seed(seed)
    return 0
