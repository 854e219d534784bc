"""Records and their data, in lists and files with every oddity that a format allows."""

from __future__ import annotations

import csv
import io
import json
import random
from datetime import datetime, timedelta

import pyarrow as pa
from pyarrow import parquet

ANNOTATIONS = {"int?": "int | None", "float?": "float | None", "str?": "str | None",
               "ints": "list[int]"}
KINDS = ("int", "float", "str", "bool", "datetime", "int?", "float?", "str?", "ints")
FLAT = KINDS[:-1]
ARROW = {"int": pa.int64(), "float": pa.float64(), "str": pa.string(), "bool": pa.bool_(),
         "datetime": pa.timestamp("us"), "ints": pa.list_(pa.int64())}

Fields = dict[str, str]
"""The names of a record's fields with their kinds."""

INTS = (0, 1, -1, 2, 3, 7, 42, 255, -100, 10**6)
ODD_INTS = (2**31, -2**31, 2**53 + 1, 2**63 - 1, -2**63)
FLOATS = (0.0, 1.0, 0.5, -2.25, 3.14159, 1e-9, 100.0, 12345.678)
ODD_FLOATS = (-0.0, float("nan"), float("inf"), float("-inf"), 1e308, 5e-324, 0.1 + 0.2)
TEXTS = ("a", "b", "ab-1", "word", "Two words", "12", "x1", "hello-42", "zzz")
ODD_TEXTS = ("", " ", "é", "ß", "日本", "e\u0301", "🙂", 'quo"te', "com,ma", "new\nline", "tab\t",
             "'", "  pad ", "None", "nan", "\u2028", "\\", "a" * 40)


def value(draw: random.Random, kind: str, odd: float) -> object:
    if kind.endswith("?"):
        return None if draw.random() < 0.25 else value(draw, kind[:-1], odd)
    strange = draw.random() < odd
    if kind == "int":
        return draw.choice(ODD_INTS if strange else INTS)
    if kind == "float":
        return draw.choice(ODD_FLOATS if strange else FLOATS)
    if kind == "str":
        return draw.choice(ODD_TEXTS if strange else TEXTS)
    if kind == "bool":
        return draw.random() < 0.5
    if kind == "ints":
        return [draw.choice(INTS) for _ in range(draw.randint(0, 3))]
    micro = draw.choice((0, 1, 999999)) if strange else 0
    return datetime(2026, 1, 1) + timedelta(hours=draw.randint(0, 3000), microseconds=micro)


KEYS = {"int": (0, 1, 2, 3), "str": ("a", "b", "c", "é", ""), "bool": (True, False),
        "float": (0.0, 1.5, -0.0), "int?": (None, 0, 1), "str?": (None, "a", "b")}


def rows(draw: random.Random, fields: Fields, count: int, odd: float) -> list[dict]:
    """Rows with few different keys (fields named k...) and a time `ts` that never goes back."""
    found, clock = [], 0
    for _ in range(count):
        clock += draw.choice((0, 0, 1, 2, 7))
        found.append({name: clock if name == "ts" else draw.choice(KEYS[kind]) if name[0] == "k"
                      else value(draw, kind, odd) for name, kind in fields.items()})
    return found


def repeated(draw: random.Random, fields: Fields, count: int, odd: float) -> list[dict]:
    """As many rows, most of them not drawn each for itself: that would take long."""
    base = rows(draw, fields, min(count, 200), odd)
    last = base[-1].get("ts", 0) + 1 if base else 0
    return [row | {"ts": row["ts"] + n // len(base) * last} if "ts" in row else row
            for n, row in zip(range(count), base * (count // max(1, len(base)) + 1))]


def csv_file(draw: random.Random, fields: Fields, items: list[dict]) -> bytes:
    names = list(fields)
    if draw.random() < 0.2:
        draw.shuffle(names)
    extra = draw.random() < 0.15
    out, end = io.StringIO(), draw.choice(("\n", "\n", "\r\n"))
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    writer = csv.writer(out, lineterminator=end, quoting=quoting)
    writer.writerow(names + ["more"] * extra)
    for row in items:
        writer.writerow([_cell(draw, row[name]) for name in names] + ["!"] * extra)
    text = out.getvalue()
    if draw.random() < 0.2:
        text = text.removesuffix(end)
    return (b"\xef\xbb\xbf" if draw.random() < 0.15 else b"") + text.encode()


def _cell(draw: random.Random, given: object) -> object:
    if isinstance(given, bool):
        return draw.choice(("true", "false", "True", "False")[given is False::2])
    return "" if given is None else given.isoformat() if isinstance(given, datetime) else given


def jsonl_file(draw: random.Random, fields: Fields, items: list[dict]) -> bytes:
    separators, ascii_ = draw.choice(((", ", ": "), (",", ":"))), draw.random() < 0.5
    end = draw.choice(("\n", "\n", "\r\n"))
    shuffled, missing = draw.random() < 0.2, draw.random() < 0.3
    lines = []
    for row in items:
        names = list(fields)
        if shuffled:
            draw.shuffle(names)
        shown = {name: row[name].isoformat() if isinstance(row[name], datetime) else row[name]
                 for name in names if not (missing and row[name] is None)}
        lines.append(json.dumps(shown, separators=separators, ensure_ascii=ascii_))
    text = end.join([*lines, ""])
    return (text.removesuffix(end) if draw.random() < 0.2 else text).encode()


def parquet_file(draw: random.Random, fields: Fields, items: list[dict]) -> bytes:
    table = pa.table({name: pa.array([row[name] for row in items], ARROW[kind.removesuffix("?")])
                      for name, kind in fields.items()})
    out = io.BytesIO()
    parquet.write_table(table, out, row_group_size=draw.choice((1, 3, 100, 5000)),
                        use_dictionary=draw.random() < 0.5)
    return out.getvalue()


FORMATS = {"csv": csv_file, "jsonl": jsonl_file, "parquet": parquet_file}


def fits(fields: Fields, form: str, items: list[dict]) -> bool:
    """Whether a format can hold these rows and give them back."""
    if form == "csv":
        # An empty cell is None where there may be one.
        return "ints" not in fields.values() and not any(
            row[name] == "" for row in items for name, kind in fields.items() if kind == "str?")
    if form == "jsonl":
        return True
    return bool(items)
