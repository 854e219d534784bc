"""Data files with every oddity, read in every way: nothing is lost, and all ways agree.

A well-formed file, or one as other programs write it, is damaged at random and read by each engine,
row by row and in columns, with large blocks and small ones. What comes out, what is diverted and
what the error says must be the same; and every row of the file is used or diverted. What counts as
a row:

- JSON Lines: a line with anything but spaces, tabs and carriage returns in it;
- CSV: what Python's reader takes for one, without blank lines (except in a single column);
- JSON documents: a value of the array, or the only one;
- text: a line;
- Parquet and Arrow: what the file says.

Texts are compressed now and then, and damaged before or after.

`main(seconds, seed)` searches with new seeds, and prints the smallest case that it found.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
from pyarrow import parquet

import anabranch as ab
from anabranch.core.errors import AnabranchError
from anabranch.io.csv import columns as csv_columns
from anabranch.io.csv import files as csv_io
from anabranch.io.rows import BadRows
from anabranch.io.splits import splits_of
from anabranch.io.text import blocks as text_blocks
from anabranch.io.text.lines import Lines
from anabranch.plan.tuning import costing, costs
from fuzz.odd_files import arrow_file, odd_file, parquet_file


class Plain(ab.Record):
    """All its columns can be read by compiled loops."""

    id: int
    name: str
    price: float
    note: str | None
    ok: bool
    day: datetime | None


class Nested(ab.Record):
    """A list is read row by row."""

    id: int
    parts: list[int]
    note: str | None = None


class One(ab.Record):
    """A single column: a blank line of CSV is a row."""

    name: str | None


KINDS = (Plain, Nested, One)
TEXTS = ("", "a", "héé", "a,b", 'q"q', "\u2028", "\u2029x", "\x85", "null", "NaN", "0x10", " pad ",
         "line\nbreak", "tab\t", "\x1c", "\\", "\ufeff", "😀", "x" * 70, "1e5", "\x00", "\r")
FLOATS = (0.0, -0.0, 1.5, -2.25, 1e300, 1e-320, 123456789012345678.0, 0.1, 3.0)
INTS = (0, 1, -1, 7, 2**53 + 1, 2**63 - 1, -2**63, 12)
SCRAPS = (b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xc3", b"\xef\xbb\xbf", b'"', b"'", b",", b"{",
          b"}", b"[", b"]", b":", b"\\", b"\\u12", b"\\ud800", b"\xe2\x80\xa8", b"\x0b", b"\x0c",
          b"\x1c", b"\xc2\xa0", b"\xc2\x85", b"\xe3\x80\x80", b"\t", b"  ", b"NaN", b"-Infinity",
          b"null", b"1e999", b"9" * 30, b"9" * 5000, b"0x10", b"-", b"-0", b"01", b"1_0", b"true",
          b'{"id": 1}', b"{} {}", b'"id": 3, ', b"[" * 40, b"+1", b".5", b"5.", b"\xed\xa0\x80",
          b"1,2,3\n", b"\n\n", b" \n", b"\t\r\n", b"\x1a", b"\x7f", b"e", b"E5", b"nan", b"inf")


@dataclass(frozen=True)
class Case:
    """A damaged file; `packing` is the end of its name if it is compressed."""

    format: str
    kind: type
    data: bytes
    packing: str = ""

    @property
    def text(self) -> bytes:
        """What a text says."""
        return UNPACKED[self.packing](self.data)


def random_item(draw: random.Random, kind: type) -> ab.Record:
    if kind is One:
        return One(draw.choice((None, *TEXTS)))
    if kind is Nested:
        return Nested(draw.choice(INTS), [draw.choice(INTS) for _ in range(draw.randrange(3))],
                      draw.choice((None, *TEXTS)))
    return Plain(draw.choice(INTS), draw.choice(TEXTS), draw.choice(FLOATS),
                 draw.choice((None, *TEXTS)), draw.random() < 0.5,
                 draw.choice((None, datetime(2026, 1, 2, 3, 4, 5), datetime(1970, 1, 1))))


def random_case(seed: int) -> Case:
    draw = random.Random(seed)
    format, kind, data = odd_file(draw) if draw.random() < 0.6 else well_formed(draw)
    data = _damaged(data, draw, (0, 0, 1, 1, 2, 3, 8))
    if format in ("parquet", "arrow") or draw.random() < 0.8:
        return Case(format, kind, data)
    packing = draw.choice(tuple(PACKED))
    return Case(format, kind, _damaged(PACKED[packing](data), draw, (0, 0, 1, 2)), packing)


def _damaged(data: bytes, draw: random.Random, times: tuple[int, ...]) -> bytes:
    for _ in range(draw.choice(times)):
        data = draw.choice(MUTATIONS)(data, draw)
    return data


PACKED = {".gz": gzip.compress, ".bz2": bz2.compress,
          ".zst": lambda data: pa.compress(data, "zstd", asbytes=True)}
UNPACKED = {"": bytes, ".gz": gzip.decompress, ".bz2": bz2.decompress,
            ".zst": lambda data: pa.CompressedInputStream(pa.BufferReader(data), "zstd").read()}


def well_formed(draw: random.Random) -> tuple[str, type, bytes]:
    format = draw.choice(("csv", "jsonl", "jsonl", "json", "parquet", "arrow"))
    kind = draw.choice(KINDS)
    items = [random_item(draw, kind) for _ in range(draw.choice((0, 1, 2, 3, 8, 40)))]
    return format, kind, _written(format, kind, items, draw)


def _written(format: str, kind: type, items: list, draw: random.Random) -> bytes:
    if format in ("parquet", "arrow"):
        return (parquet_file if format == "parquet" else arrow_file)(_table(kind, items), draw)
    if format == "json":
        return json.dumps([dict(zip(kind.__annotations__, map(_json, item))) for item in items],
                          indent=draw.choice((None, 1))).encode()
    if format == "jsonl":
        pretty = {"separators": draw.choice([(",", ":"), (", ", ": ")]),
                  "ensure_ascii": draw.random() < 0.5}
        return "".join(json.dumps(dict(zip(kind.__annotations__, map(_json, item))), **pretty)
                       + "\n" for item in items).encode()
    quoted = draw.random() < 0.5
    lines = [",".join(kind.__annotations__)]
    lines += [",".join(_cell(value, quoted) for value in item) for item in items]
    return "".join(line + draw.choice(("\n", "\n", "\r\n")) for line in lines).encode()


def _json(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


def _cell(value: object, quoted: bool) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(_json(value)).strip('"')
    special = any(c in text for c in ',"\r\n') or not text or (quoted and isinstance(value, str))
    return '"' + text.replace('"', '""') + '"' if special else text


def _table(kind: type, items: list) -> pa.Table:
    types = {"id": pa.int64(), "name": pa.string(), "price": pa.float64(), "note": pa.string(),
             "ok": pa.bool_(), "day": pa.timestamp("us"), "parts": pa.list_(pa.int64())}
    return pa.table({name: pa.array([getattr(item, name) for item in items], types[name])
                     for name in kind.__annotations__})


def _place(data: bytes, draw: random.Random) -> int:
    return draw.randrange(len(data) + 1)


def _insert(data: bytes, draw: random.Random) -> bytes:
    at = _place(data, draw)
    return data[:at] + draw.choice(SCRAPS) + data[at:]


def _replace(data: bytes, draw: random.Random) -> bytes:
    at = _place(data, draw)
    scrap = draw.choice(SCRAPS)
    return data[:at] + scrap + data[at + len(scrap):]


def _flip(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1:]


def _delete(data: bytes, draw: random.Random) -> bytes:
    at = _place(data, draw)
    return data[:at] + data[at + draw.choice((1, 1, 2, 10, 50)):]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[:_place(data, draw)]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    at = _place(data, draw)
    return data[:at] + data[at:at + 40] * draw.choice((2, 3)) + data[at + 40:]


def _line(data: bytes, draw: random.Random) -> bytes:
    """A line of nothing but a scrap."""
    lines = data.split(b"\n")
    lines.insert(draw.randrange(len(lines) + 1), draw.choice(SCRAPS))
    return b"\n".join(lines)


def _no_end(data: bytes, draw: random.Random) -> bytes:
    return data.rstrip(b"\r\n")


def _mark(data: bytes, draw: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + data


MUTATIONS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _insert, _replace, _flip, _flip, _delete, _cut, _repeat, _line, _no_end, _mark)


@dataclass(frozen=True)
class Outcome:
    """What a way of reading gave: the rows used, the output, the diverted rows, or the error."""

    used: int
    output: bytes
    diverted: bytes
    error: str


@contextmanager
def blocks(size: int | None) -> Iterator[None]:
    """Small files are read in columns too, in blocks of so many bytes."""
    if size is None:
        yield
        return
    # Be Numba loaded or not: what is found is found again.
    large = 0 if size < 200 else costs().csv_worth_numba
    with costing(replace(costs(), bytes_worth_loops=large, csv_worth_numba=large,
                         json_worth_numba=0, rows_worth_arrow=0)), \
            patch.object(csv_columns, "FIRST_BLOCK", size), \
            patch.object(csv_columns, "SMALL_BLOCK", size), \
            patch.object(text_blocks, "BYTES_OF_A_BLOCK", size):
        yield


WAYS: dict[str, tuple[int | None, dict]] = {
    "rows": (None, {"engine": "sequential"}),
    "tiny blocks": (30, {"engine": "sequential"}),
    "small blocks": (199, {"engine": "sequential"}),
    "arrow": (300, {"engine": "sequential"}),
    "multicore": (None, {"engine": "multicore", "workers": 2, "tune": {"processes": "never"}}),
    "multicore in columns": (64, {"engine": "multicore", "workers": 2,
                                  "tune": {"processes": "never"}}),
}
RARE = 8
"""One of so many files is read by the multicore engine too, which takes ten times as long."""


def outcome(case: Case, folder: Path, size: int | None, policy: str, **options) -> Outcome:
    """Reads the file in one way."""
    out, bad = folder / "out.jsonl", folder / "bad.jsonl"
    for file in (out, bad):
        file.unlink(missing_ok=True)
    stream = source(case, folder).filter(keep)
    stream.write_jsonl(out, name="out")
    used, error = 0, ""
    with blocks(size):
        try:
            report = stream.run(on_error=f"divert={bad}" if policy == "divert" else policy,
                                **options)
            used = report.read["rows"]
        except AnabranchError as failed:
            error = str(failed)
    diverted = bad.read_bytes() if bad.exists() else b""
    return Outcome(used, out.read_bytes() if out.exists() else b"", diverted, error)


def source(case: Case, folder: Path) -> ab.Stream:
    """What reads the file."""
    kinds = () if case.format == "text" else (case.kind,)
    return getattr(ab, f"read_{case.format}")(name_of(case, folder), *kinds, name="rows")


def name_of(case: Case, folder: Path) -> Path:
    return folder / f"in.{case.format}{case.packing}"


def keep(t: object) -> bool:
    return t is not None


def rows_in(case: Case, path: Path) -> int | None:
    """How many rows the file has; None where it has no rows at all that could be told."""
    if case.format == "parquet":
        return parquet.read_metadata(path).num_rows
    if case.format == "arrow":
        is_file = case.data.startswith(b"ARROW1")
        with (pa.ipc.open_file if is_file else pa.ipc.open_stream)(case.data) as read:
            return read.read_all().num_rows
    if case.format == "jsonl":
        lines = case.text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        return sum(1 for line in lines if line.strip(b" \t\r"))
    if case.format == "text":
        return len(case.text.removesuffix(b"\n").split(b"\n")) if case.text else 0
    if case.format == "json":
        found = json.loads(case.text.removeprefix(b"\xef\xbb\xbf"))
        return len(found) if isinstance(found, list) else 1
    lines = Lines(io.BytesIO(case.text))
    width = len(csv_io._header(lines, str(path), csv_io.USUAL))
    return sum(1 for _ in csv_io._rows(lines, str(path), width, csv_io.USUAL))


def problem(case: Case) -> str | None:
    """What is wrong with how a file is read, if anything is."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        name_of(case, folder).write_bytes(case.data)
        return _lost(case, folder) or _differing(case, folder) or _split(case, folder)


def _lost(case: Case, folder: Path) -> str | None:
    diverted = outcome(case, folder, None, "divert", engine="sequential")
    path = name_of(case, folder)
    if diverted.error:
        return None if path.name in diverted.error else f"no file is named: {diverted.error}"
    there = rows_in(case, path)
    apart, came = diverted.diverted.count(b"\n"), diverted.output.count(b"\n")
    if there != diverted.used + apart:
        return f"{there} rows, {diverted.used} used, {apart} diverted"
    return None if came == diverted.used else f"{diverted.used} used, {came} written"


def _differing(case: Case, folder: Path) -> str | None:
    for policy in ("stop", "skip", "divert"):
        found = {name: outcome(case, folder, size, policy, **options)
                 for name, (size, options) in WAYS.items()
                 if options["engine"] == "sequential" or len(case.data) % RARE == 0}
        for name, own in found.items():
            if own != found["rows"]:
                return f"{policy}, rows against {name}:\n{found['rows']}\n{own}"
    return None


def _split(case: Case, folder: Path) -> str | None:
    """Splits, one after another, give what the whole file gives."""
    spec = source(case, folder).node.kind.spec

    def whole(bad: BadRows) -> list:
        return list(spec.items(bad))

    def parted(bad: BadRows) -> list:
        return [item for split in splits_of(spec, 50) for item in split.items(bad)]
    results = [_taken(way) for way in (whole, parted)]
    if case.format == "parquet" and all("cannot read" in text for text, _ in results):
        # Which of several damages is met first depends on the columns that are read together.
        return None
    return None if results[0] == results[1] else f"splits: {results[0]}\n{results[1]}"


def _taken(way: Callable[[BadRows], list]) -> tuple[str, int]:
    bad = BadRows("skip")
    try:
        return repr(way(bad)), bad.count
    except AnabranchError as error:
        return str(error), 0


def smallest(case: Case, found: Callable[[Case], object]) -> Case:
    """A case that still shows the problem, with as few bytes as simple cuts leave."""
    size = len(case.data) // 2
    while size:
        at = 0
        while at < len(case.data):
            shorter = replace(case, data=case.data[:at] + case.data[at + size:])
            if found(shorter):
                case = shorter
            else:
                at += size
        size //= 2
    return case


def main(seconds: float, seed: int) -> list[tuple[str, str]]:
    """Tries new files for so long; gives what was wrong, and a test of the smallest such file."""
    end, findings = time.monotonic() + seconds, []
    while time.monotonic() < end:
        case = random_case(seed)
        if _safely(case):
            short = smallest(case, _safely)
            title = f"seed {seed}: {short!r}\n{_safely(short)}"
            print(title, flush=True)
            findings.append((title, TEST.format(case=short)))
        seed += 1
    print(f"data files: up to seed {seed}, {len(findings)} wrong", flush=True)
    return findings


TEST = '''"""Found by `make fuzz`."""

from fuzz.data_files import *  # noqa: F403
from fuzz.odd_files import *  # noqa: F403


def test_a_file():
    assert problem({case!r}) is None  # noqa: F405
'''


def _safely(case: Case) -> str | None:
    try:
        return problem(case)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
