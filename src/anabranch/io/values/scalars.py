"""Single values in three carriers: a cell's text, a JSON value, a native value.

Each table maps the name of a scalar type to the function that decodes or encodes one value. All of
them raise `BadValue`, which says what was expected and what came, and in which place.

>>> TEXT_DECODERS["timestamp"]("2024-05-01T12:00:00")
datetime.datetime(2024, 5, 1, 12, 0)
>>> TEXT_DECODERS["timestamp"]("2024-05-01T12:00:00+02:00")
datetime.datetime(2024, 5, 1, 10, 0, tzinfo=datetime.timezone.utc)
>>> TEXT_ENCODERS["bool"](True), JSON_ENCODERS["float"](float("inf"))
('true', 'Infinity')
"""

from __future__ import annotations

import base64
import json
import math
import numbers
import operator
import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time
from decimal import Context, Decimal, InvalidOperation
from uuid import UUID

from anabranch.core.lazy import numpy_types

Coder = Callable[[object], object]


class BadValue(Exception):
    """What was expected and what came; `path` leads to it from the item, like `legs[2].price`."""

    def __init__(self, expected: str, got: str, reason: str | None = None, path: str = "",
                 position: int | None = None):
        super().__init__(expected, got)
        self.expected, self.got, self.path, self.position = expected, got, path, position
        self.own_reason = reason

    @property
    def reason(self) -> str:
        return self.own_reason or f"{self.path or 'the value'} cannot be read as {self.expected}"

    @property
    def root(self) -> str:
        """The attribute of the item in which the value lies."""
        return re.match(r"\w*", self.path).group()

    def within(self, step: str) -> BadValue:
        """The same as seen from outside.

        >>> BadValue("int", "'x'", path="price").within("[2]").within("legs").path
        'legs[2].price'
        """
        dot = "." if self.path and not self.path.startswith("[") else ""
        return BadValue(self.expected, self.got, self.own_reason, f"{step}{dot}{self.path}")

    def at(self, position: int | None) -> BadValue:
        """The same in a numbered column."""
        return BadValue(self.expected, self.got, self.own_reason, self.path, position)


def coded_fields(names: Iterable[str], coders: Iterable[Coder], values: Iterable) -> list:
    """Each value through its coder; an error is one within the field of that name."""
    coded, name = [], ""
    try:
        for name, coder, value in zip(names, coders, values):  # noqa: B007 (for the error)
            coded.append(coder(value))
    except BadValue as error:
        raise error.within(name) from None
    return coded


def coded_items(coder: Coder, values: Iterable) -> list:
    """All values through one coder; an error is one within the item of that index."""
    coded = []
    try:
        for value in values:
            coded.append(coder(value))  # noqa: PERF401 (its length tells where an error was)
    except BadValue as error:
        raise error.within(f"[{len(coded)}]") from None
    return coded


def shown(value: object, limit: int = 120) -> str:
    """A value as an error shows it.

    >>> shown("x"), shown(None)
    ("'x'", 'nothing')
    """
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= limit else f"{text[:limit]}... ({len(text)} characters)"


LOWEST, HIGHEST = -2**63, 2**63 - 1
_BOOLS = {"true": True, "1": True, "false": False, "0": False}
_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_BEYOND_MICROSECONDS = re.compile(r"[.,]\d{6}\d*[1-9]")


def in_utc(value: datetime) -> datetime:
    """A wall-clock time as it is, and an instant in UTC; `OverflowError` where UTC has no such
    year."""
    return value if value.utcoffset() is None else value.astimezone(UTC)


def parsed_json(text: str) -> object:
    """The value of a JSON text.

    >>> parsed_json('[1, 2')
    Traceback (most recent call last):
    anabranch.io.values.scalars.BadValue: ('JSON', "'[1, 2'")
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"{error.msg} at character {error.pos + 1}"
        raise BadValue("JSON", shown(text), f"not JSON: {place}") from None
    except (TypeError, ValueError, RecursionError):
        raise BadValue("JSON", shown(text)) from None


def json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# Text. None stands for a cell with nothing in it, "" for an empty text in quotes.

def text_bool(text: str | None) -> bool:
    value = _BOOLS.get((text or "").strip().lower())
    if value is None:
        raise BadValue("bool (true, false, 1 or 0)", shown(text))
    return value


def text_int(text: str | None) -> int:
    try:
        value = int(text)
    except (TypeError, ValueError):
        raise BadValue("int", shown(text)) from None
    if "_" in text or not text.isascii():
        raise BadValue("int", shown(text))
    return _int64(value)


def text_float(text: str | None) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        raise BadValue("float", shown(text)) from None
    if "_" in text or not text.isascii():
        raise BadValue("float", shown(text))
    return value


def text_str(text: str | None) -> str:
    return text or ""


def text_bytes(text: str | None) -> bytes:
    try:
        return base64.b64decode(text or "", validate=True)
    except ValueError:
        raise BadValue("bytes in base64", shown(text)) from None


def text_timestamp(text: str | None) -> datetime:
    try:
        value = in_utc(datetime.fromisoformat(text.strip()))
    except (AttributeError, ValueError, OverflowError):
        raise BadValue("timestamp in ISO 8601", shown(text)) from None
    if _BEYOND_MICROSECONDS.search(text):
        raise BadValue("timestamp of whole microseconds", shown(text))
    return value


def text_none(text: str | None) -> None:
    if text:
        raise BadValue("an empty cell", shown(text))


# JSON.

def json_bool(value: object) -> bool:
    if value is True or value is False or (type(value) is int and value in (0, 1)):
        return bool(value)
    raise BadValue("bool", shown(value))


def json_int(value: object) -> int:
    if type(value) is not int:
        raise BadValue("int", shown(value))
    return _int64(value)


def json_float(value: object) -> float:
    if type(value) is float:
        return value
    if type(value) is int:
        return native_float(value)
    if isinstance(value, str) and value in _NOT_FINITE:
        return _NOT_FINITE[value]
    raise BadValue("float", shown(value))


def json_bytes(value: object) -> bytes:
    if not isinstance(value, str):
        raise BadValue("bytes in base64", shown(value))
    return text_bytes(value)


def json_timestamp(value: object) -> datetime:
    if not isinstance(value, str):
        raise BadValue("timestamp in ISO 8601", shown(value))
    return text_timestamp(value)


def standard_float(value: object) -> float | str:
    """JSON has no NaN and no infinities, so they are written as strings."""
    value = native_float(value)
    if math.isfinite(value):
        return value
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


# Native: the Python values of the types themselves.

def native_bool(value: object) -> bool:
    if not isinstance(value, (bool, *numpy_types("bool_"))):
        raise BadValue("bool", shown(value))
    return bool(value)


def native_int(value: object) -> int:
    try:
        return _int64(operator.index(value))
    except TypeError:
        raise BadValue("int", shown(value)) from None


def native_float(value: object) -> float:
    if type(value) is float:
        return value
    if not isinstance(value, numbers.Real):
        raise BadValue("float", shown(value))
    try:
        converted = float(value)
    except OverflowError:
        converted = math.inf
    if isinstance(value, numbers.Rational) and converted != value:
        raise BadValue("a number that a float can hold", shown(value))
    return converted


def native_str(value: object) -> str:
    if not isinstance(value, str):
        raise BadValue("str", shown(value))
    if not value.isascii():
        _check_unicode(value)
    return str(value)


def native_bytes(value: object) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise BadValue("bytes", shown(value))
    return bytes(value)


def native_timestamp(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise BadValue("timestamp", shown(value))
    return value


def native_none(value: object) -> None:
    if value is not None:
        raise BadValue("None", shown(value))


def native_date(value: object) -> date:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise BadValue("date", shown(value))
    return value


def native_time(value: object) -> time:
    if not isinstance(value, time) or value.tzinfo is not None:
        raise BadValue("time without a zone", shown(value))
    return value


def time_of_column(value: object) -> time:
    """Spark's columns have times of day as texts."""
    return time_of_text(value) if isinstance(value, str) else native_time(value)


def native_decimal(value: object) -> Decimal:
    if not isinstance(value, Decimal) or not value.is_finite():
        raise BadValue("Decimal, and finite", shown(value))
    return value


def column_decimal(value: object) -> Decimal:
    """A number that a column of 38 digits can hold, 18 of them behind the point."""
    if native_decimal(value).as_tuple().exponent < -18 or value.adjusted() > 19:
        raise BadValue("at most 20 digits before the point and 18 behind it", shown(value))
    return value


def decimal_of_column(value: object) -> Decimal:
    """A number without the zeros behind the point that the column has added."""
    plain = native_decimal(value).normalize(WIDE)
    return plain if plain.as_tuple().exponent <= 0 else plain.quantize(Decimal(1), context=WIDE)


WIDE = Context(prec=80)
"""Room for every decimal of a column: the context of a thread rounds to 28 digits."""


def native_uuid(value: object) -> UUID:
    if not isinstance(value, UUID):
        raise BadValue("UUID", shown(value))
    return value


def uuid_of_text(text: object) -> UUID:
    try:
        return UUID(text.strip())
    except (AttributeError, ValueError):
        raise BadValue("UUID", shown(text)) from None


def date_of_text(text: object) -> date:
    try:
        return date.fromisoformat(text.strip())
    except (AttributeError, TypeError, ValueError):
        raise BadValue("date in ISO 8601", shown(text)) from None


def time_of_text(text: object) -> time:
    try:
        return native_time(time.fromisoformat(text.strip()))
    except (AttributeError, TypeError, ValueError):
        raise BadValue("time in ISO 8601", shown(text)) from None


def decimal_of_text(text: object) -> Decimal:
    if not isinstance(text, str) or "_" in text or not text.isascii():
        raise BadValue("Decimal", shown(text))
    try:
        return native_decimal(Decimal(text.strip()))
    except InvalidOperation:
        raise BadValue("Decimal", shown(text)) from None


def json_decimal(value: object) -> Decimal:
    """JSON has it as text, so that no digit is lost, or as a number."""
    is_number = type(value) in (int, float)
    return decimal_of_text(repr(value) if is_number else value)


def _int64(value: int) -> int:
    if LOWEST <= value <= HIGHEST:
        return value
    raise BadValue("int of 64 bits", shown(value))


def _check_unicode(value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadValue("str of whole Unicode characters", shown(value)) from None


def _base64(value: object) -> str:
    return base64.b64encode(native_bytes(value)).decode()


def utc_timestamp(value: object) -> datetime:
    """A time as files have it."""
    try:
        return in_utc(native_timestamp(value))
    except OverflowError:
        raise BadValue("an instant from the year 1 to 9999 in UTC", shown(value)) from None


def _iso(value: object) -> str:
    return utc_timestamp(value).isoformat()


TEXT_DECODERS = {"bool": text_bool, "int": text_int, "float": text_float, "str": text_str,
                 "bytes": text_bytes, "timestamp": text_timestamp, "None": text_none}
TEXT_ENCODERS = {"bool": lambda v: "true" if native_bool(v) else "false",
                 "int": lambda v: str(native_int(v)), "float": lambda v: repr(native_float(v)),
                 "str": native_str, "bytes": _base64, "timestamp": _iso, "None": native_none}
JSON_DECODERS = {"bool": json_bool, "int": json_int, "float": json_float, "str": native_str,
                 "bytes": json_bytes, "timestamp": json_timestamp, "None": native_none}
JSON_ENCODERS = {"bool": native_bool, "int": native_int, "float": standard_float,
                 "str": native_str, "bytes": _base64, "timestamp": _iso, "None": native_none}
NATIVE = {"bool": native_bool, "int": native_int, "float": native_float, "str": native_str,
          "bytes": native_bytes, "timestamp": native_timestamp, "None": native_none}
NATIVE_DECODERS = {**NATIVE, "timestamp": utc_timestamp}

TEXT_DECODERS |= (OF_TEXT := {"date": date_of_text, "time": time_of_text, "UUID": uuid_of_text,
                              "Decimal": decimal_of_text})
TEXT_ENCODERS |= (TO_TEXT := {"date": lambda v: native_date(v).isoformat(),
                              "time": lambda v: native_time(v).isoformat(),
                              "UUID": lambda v: str(native_uuid(v)),
                              "Decimal": lambda v: str(native_decimal(v))})
JSON_DECODERS |= {**OF_TEXT, "Decimal": json_decimal}
JSON_ENCODERS |= TO_TEXT
NATIVE |= {"date": native_date, "time": native_time, "Decimal": column_decimal,
           "UUID": TO_TEXT["UUID"]}
NATIVE_DECODERS |= {"date": native_date, "time": time_of_column, "Decimal": decimal_of_column,
                    "UUID": uuid_of_text}
