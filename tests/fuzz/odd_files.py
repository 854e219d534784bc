"""Data files as other programs write them: columns in another order, twice, missing or of another
type, rows too long and too short, keys that repeat, times in every notation, and every way in which
Parquet lays out its pages."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import anabranch as ab


class Numbers(ab.Record):
    """Nothing but numbers, for which there are faster loops."""

    a: int
    b: int
    x: float


class Maybe(ab.Record):
    """Everything may be missing."""

    n: int | None
    x: float | None
    ok: bool | None
    at: datetime | None
    s: str | None


class Defaults(ab.Record):
    id: int
    s: str = "none"
    x: float = 2.5


class Inner(ab.Record):
    p: int
    q: str | None = None


class Deep(ab.Record):
    """Only JSON Lines hold it."""

    id: int
    inner: Inner
    many: list[Inner]
    maybe: list[int | None] | None = None


FLAT = (Numbers, Maybe, Defaults)
KINDS = {Numbers: ("int", "int", "float"), Defaults: ("int", "str", "float"),
         Maybe: ("int?", "float?", "bool?", "time?", "str?")}
TEXTS = ("", "a", "héé", "a,b", 'q"q', "\u2028", "\x85", "null", "NaN", " pad ", "line\nbreak",
         "\\", "\ufeff", "😀", "x" * 70, "\x00", "\r", "\x1c")
VALUES = {
    "int": (0, 1, -1, 2**53 + 1, 2**63 - 1, -2**63, 2**63, -2**63 - 1, 10**18),
    "float": (0.0, -0.0, 1.5, 1e300, 5e-324, 2.0**53, -7.0, 0.1, float("inf"), float("nan"), 3),
    "bool": (True, False), "str": TEXTS,
    "time": ("2026-01-02T03:04:05", "2026-01-02 03:04:05", "2026-01-02T03:04:05Z", "2026-01-02",
             "2026-01-02T03:04:05+02:00", "0001-01-01T00:00:00", "9999-12-31T23:59:59.999999",
             "1969-12-31T23:59:59.5", "2026-03-29T02:30:00", "2026-01-02T03:04:05.123456789",
             "2026-01-02T24:00:00", "20260102T030405", "2026-W01-1", "0001-01-01T00:00:00+05:00",
             "9999-12-31T23:59:59-05:00", "2026-01-02T03:04", "2026-01-02t03:04:05z",
             "2026-01-02T03:04:05,5", "2026-1-2", "1767323045")}
WRONG = (None, 1, 1.0, "1", 2.5, [], [1], {}, True, 10**20, 1e17, -0.0, float("nan"), "\ud800",
         "\udc00x")
LINES = ("", " ", "\t", "\x0b", "\x0c", "\u00a0", "\u2028", "\x1c", "\ufeff", "null", "1", '""',
         "[]", "{}", "//c", "\x00", "nan")


def odd_file(draw: random.Random) -> tuple[str, type, bytes]:
    """The format, the record and the bytes of a file."""
    format = draw.choice(("csv", "csv", "jsonl", "jsonl", "json", "text", "parquet", "parquet",
                          "arrow", "arrow"))
    kind = draw.choice((*FLAT, Deep) if format in ("json", "jsonl") else FLAT)
    count = draw.choice((0, 1, 2, 3, 8, 40))
    if format in ("parquet", "arrow"):
        write = parquet_file if format == "parquet" else arrow_file
        return format, kind, write(_table(kind, count, draw), draw)
    if format == "text":
        return format, str, text_file(count, draw)
    make = _deep if kind is Deep else _flat
    rows = [make(kind, draw) for _ in range(count)]
    return format, kind, {"csv": _csv, "jsonl": _jsonl, "json": _json}[format](rows, kind, draw)


def text_file(count: int, draw: random.Random) -> bytes:
    """Lines with every end."""
    lines = (draw.choice((*TEXTS, *LINES)) + draw.choice(("\n", "\n", "\r\n", "\r"))
             for _ in range(count))
    return ("".join(lines) + draw.choice(("", "", "last", " "))).encode()


def _json(rows: list[dict], kind: type, draw: random.Random) -> bytes:
    space = draw.choice(("", " ", "\n"))
    if len(rows) == 1 and draw.random() < 0.5:
        return _object(rows[0], draw).encode()
    return f"[{space}{f',{space}'.join(_object(row, draw) for row in rows)}]".encode()


def _flat(kind: type, draw: random.Random) -> dict:
    return {name: None if what.endswith("?") and draw.random() < 0.3
            else draw.choice(VALUES[what.rstrip("?")])
            for name, what in zip(kind.__annotations__, KINDS[kind])}


def _deep(kind: type, draw: random.Random) -> dict:
    def inner() -> dict:
        return {"p": draw.choice(VALUES["int"]), "q": draw.choice((None, *TEXTS))}
    return {"id": draw.choice(VALUES["int"]), "inner": inner(),
            "many": [inner() for _ in range(draw.randrange(3))],
            "maybe": draw.choice((None, [], [1, None], [2]))}


def _csv(rows: list[dict], kind: type, draw: random.Random) -> bytes:
    end, quotes = draw.choice(("\n", "\r\n", "\n", "\r")), draw.choice((0.0, 1.0, 0.3))
    names = _columns(list(kind.__annotations__), draw)
    lines = [",".join(_header(names, draw))]
    for row in rows:
        cells = [_cell(row[name] if name in row else draw.choice(TEXTS), draw.random() < quotes)
                 for name in names]
        lines.append(",".join(_row(cells, draw)))
    last = draw.choice((end, end, "", end * 2, "\x1a", " "))
    return (end.join(lines) + last).encode()


def _columns(names: list[str], draw: random.Random) -> list[str]:
    change = draw.randrange(12)
    if change == 0:
        draw.shuffle(names)
    elif change == 1:
        names.insert(draw.randrange(len(names)), "extra")
    elif change == 2:
        names.insert(draw.randrange(len(names)), draw.choice(names))
    elif change == 3:
        names.pop(draw.randrange(len(names)))
    return names


def _header(names: list[str], draw: random.Random) -> list[str]:
    change = draw.randrange(12)
    if change == 0:
        return [f'"{name}"' for name in names]
    if change == 1:
        return [f" {name}" for name in names]
    if change == 2:
        return [names[0].upper(), *names[1:]]
    return ["", *names[1:]] if change == 3 else names


def _cell(value: object, quoted: bool) -> str:
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    special = quoted or any(c in text for c in ',"\r\n') or (value is not None and not text)
    return '"' + text.replace('"', '""') + '"' if special else text


def _row(cells: list[str], draw: random.Random) -> list[str]:
    change = draw.randrange(25)
    if change == 0:
        return cells[:-1]
    if change == 1:
        return [*cells, "more"]
    if change == 2:
        return []
    if change == 3:
        return ['""'] * draw.randrange(1, 4)
    if change == 4:
        return [f' "{cells[0]}"', *cells[1:]]
    return [*cells[:-1], '"' + cells[-1].strip('"') + '"x'] if change == 5 else cells


def _jsonl(rows: list[dict], kind: type, draw: random.Random) -> bytes:
    end = draw.choice(("\n", "\n", "\r\n"))
    text = end.join(_line(_object(row, draw), draw) for row in rows)
    return (text + draw.choice((end, end, "", end * 3, " "))).encode()


def _object(row: dict, draw: random.Random) -> str:
    space, ascii_only = draw.choice(("", "", " ", "\t")), draw.random() < 0.5

    def key(name: str) -> str:
        coded = draw.random() < 0.05
        return '"' + ("".join(f"\\u{ord(c):04x}" for c in name) if coded else name) + '"'
    # Half of a character can be written as an escape only.
    pairs = (f"{key(name)}{space}:{space}" + json.dumps(value, ensure_ascii=ascii_only or any(
        "\ud800" <= c < "\ue000" for c in str(value))) for name, value in _members(row, draw))
    return "{" + space + f",{space}".join(pairs) + space + "}"


def _members(row: dict, draw: random.Random) -> list[tuple[str, object]]:
    members = list(row.items())
    if draw.random() < 0.2:
        draw.shuffle(members)
    if draw.random() < 0.1:
        members.pop(draw.randrange(len(members)))
    if draw.random() < 0.1:
        members.append(("extra", draw.choice(([1, {"a": [None]}], {"x": {}}, *WRONG))))
    for often in (0.08, 0.08):
        if members and draw.random() < often:
            place = draw.randrange(len(members))
            changed = (members[place][0], draw.choice(WRONG))
            if draw.random() < 0.5:
                members[place] = changed
            else:
                members.append(changed)
    return members


def _line(text: str, draw: random.Random) -> str:
    around = ("", " ", "\ufeff", "\u00a0", "\x0c", "\r", "\x00")
    changes: dict[int, Callable[[], str]] = {
        0: lambda: text[:draw.randrange(len(text))], 1: lambda: text + text,
        2: lambda: f"[{text}]", 3: lambda: text + ",", 4: lambda: draw.choice(LINES),
        5: lambda: draw.choice(around) + text + draw.choice(around),
        6: lambda: text.replace('"', "'")}
    return changes.get(draw.randrange(40), lambda: text)()


# The first of each kind is what the record declares.
TYPES: dict[str, tuple[pa.DataType, ...]] = {
    "int": (pa.int64(), pa.int32(), pa.int8(), pa.uint64(), pa.uint8(), pa.float64(), pa.string(),
            pa.bool_(), pa.decimal128(20, 0), pa.decimal128(20, 2), pa.null(), pa.date32(),
            pa.dictionary(pa.int32(), pa.int64()), pa.duration("us"), pa.timestamp("us")),
    "float": (pa.float64(), pa.float32(), pa.float16(), pa.int64(), pa.decimal128(10, 3),
              pa.string(), pa.null(), pa.dictionary(pa.int8(), pa.float64())),
    "str": (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary(3),
            pa.dictionary(pa.int32(), pa.string()), pa.int64(), pa.null()),
    "bool": (pa.bool_(), pa.int8(), pa.string(), pa.null()),
    "time": (pa.timestamp("us"), *(pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns")
                                   for zone in (None, "UTC", "Europe/Berlin", "+02:00")),
             pa.date32(), pa.date64(), pa.string(), pa.int64(), pa.time64("us"), pa.null(),
             pa.dictionary(pa.int32(), pa.timestamp("us")))}
EPOCHS = (0, -1, 1767323045, -62135596800, 253402300799, 1774751400, 951782400)
BEYOND = (-62135596801, 253402300800, -10**12)
"""Seconds of times that Python has not."""


def _table(kind: type, count: int, draw: random.Random) -> pa.Table:
    made = [_column(name, what, count, draw)
            for name, what in zip(kind.__annotations__, KINDS[kind])]
    change = draw.randrange(10)
    if change == 0:
        draw.shuffle(made)
    elif change == 1:
        made.pop()
    elif change == 2:
        made.append(made[0])
    elif change == 3:
        made.append(("extra", pa.array([[1]] * count, pa.list_(pa.int64()))))
    return pa.Table.from_arrays([array for _, array in made], [name for name, _ in made])


def parquet_file(table: pa.Table, draw: random.Random) -> bytes:
    out = io.BytesIO()
    try:
        parquet.write_table(table, out, **_layout(draw))
    except pa.ArrowException:
        # An old version of the format has not all types.
        out = io.BytesIO()
        parquet.write_table(table, out)
    return out.getvalue()


def arrow_file(table: pa.Table, draw: random.Random) -> bytes:
    """A file, or a stream that was kept in one."""
    out, options = io.BytesIO(), pa.ipc.IpcWriteOptions(
        compression=draw.choice((None, None, "lz4", "zstd")))
    begun = draw.choice((pa.ipc.new_file, pa.ipc.new_file, pa.ipc.new_stream))
    with begun(out, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=draw.choice((1, 7, 1000)))
    return out.getvalue()


def _layout(draw: random.Random) -> dict[str, object]:
    return {"row_group_size": draw.choice((1, 2, 7, 1000)),
            "compression": draw.choice(("none", "snappy", "zstd", "gzip", "lz4", "brotli")),
            "use_dictionary": draw.random() < 0.5, "store_schema": draw.random() < 0.7,
            "data_page_version": draw.choice(("1.0", "2.0")),
            "write_statistics": draw.random() < 0.5, "version": draw.choice(("1.0", "2.4", "2.6")),
            "data_page_size": draw.choice((1, 50, 1 << 20)),
            "use_deprecated_int96_timestamps": draw.random() < 0.15}


def _column(name: str, what: str, count: int, draw: random.Random) -> tuple[str, pa.Array]:
    kinds = TYPES[what.rstrip("?")]
    kind = kinds[0] if draw.random() < 0.6 else draw.choice(kinds)
    missing = draw.choice((0.0, 0.0, 0.3, 1.0) if what.endswith("?") else (0.0, 0.0, 0.0, 0.2))
    values = [None if draw.random() < missing else _value(kind, draw) for _ in range(count)]
    if pa.types.is_string(kind) and draw.random() < 0.1:
        coded = pa.array([v if v is None else v.encode() + b"\xff" for v in values], pa.binary())
        return name, pa.Array.from_buffers(kind, count, coded.buffers())
    if pa.types.is_dictionary(kind):
        return name, pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    return name, pa.array(values, kind)


def _value(kind: pa.DataType, draw: random.Random) -> object:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_timestamp(kind):
        return _ticks(kind, draw)
    return next(draw.choice(values) for fits, values in _SAMPLES if fits(kind))


def _ticks(kind: pa.TimestampType, draw: random.Random) -> int:
    a_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    given = draw.choice(BEYOND) if draw.random() < 0.05 else draw.choice(EPOCHS)
    seconds = max(-9223372036, min(given, 9223372036)) if kind.unit == "ns" else given
    return seconds * a_second + draw.choice((0, 0, 1 % a_second, 123456789 % a_second))


def _samples() -> Iterator[tuple[Callable[[pa.DataType], bool], tuple]]:
    is_ = pa.types
    yield is_.is_boolean, (True, False)
    yield is_.is_uint64, (0, 1, 2**63, 2**64 - 1)
    yield is_.is_int64, (0, -1, 2**63 - 1, -2**63, 2**53 + 1)
    yield is_.is_integer, (0, 1, 7, 100)
    yield is_.is_float16, (np.float16(0.5), np.float16(-2))
    yield is_.is_floating, (0.0, -0.0, 1.5, float("nan"), float("inf"))
    yield is_.is_decimal, (Decimal("1"), Decimal("-7"), Decimal("0"))
    yield is_.is_date, (date(2026, 1, 2), date(1, 1, 1), date(9999, 12, 31))
    yield is_.is_time, (5,)
    yield is_.is_duration, (timedelta(seconds=3),)
    yield is_.is_fixed_size_binary, (b"abc",)
    yield is_.is_binary, (b"a", b"\xff", b"", "é".encode())
    yield is_.is_null, (None,)
    yield lambda kind: True, TEXTS


_SAMPLES = tuple(_samples())
