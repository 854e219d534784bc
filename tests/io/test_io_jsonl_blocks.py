"""Blocks of JSON Lines say what rows say, or leave the file to the rows."""

import json
import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anabranch.batch.record_batch import items_of
from anabranch.io.jsonl import columns as jsonl_columns
from anabranch.io.jsonl.blocks import extracts
from anabranch.io.jsonl.files import JsonlSink, JsonlSource
from anabranch.io.rows import BadRows
from anabranch.io.splits import splits_of
from anabranch.io.text.columns import Unusual, converted
from anabranch.ir.records import Record
from anabranch.ir.types import FLOAT, OptionalOf, RecordOf
from both_ways import BothWays
from interpreting import SMALL_IS_LARGE, with_costs


class Row(Record):
    n: int
    x: float
    s: str
    ok: bool
    when: datetime | None
    maybe: float | None = None
    text: str | None = "unknown"


ROW = RecordOf(Row)
USUAL = {"n": "1", "x": "1.5", "s": '"a"', "ok": "true", "when": "null", "maybe": "2",
         "text": '"t"'}
VALUES = {
    "n": ["0", "-5", "007", "-0", "123456789012345678", "1234567890123456789", "1.0", "1e3", "null",
          '"3"', "true", "-", "+1", "12345678", "[1]"],
    "x": ["1.5", "-0.0", "-0", "0", "2", "1e5", "0.1", "1e-22", "5e22", "1E+23", "1e400", ".5",
          "5.", "NaN", '"NaN"', "Infinity", "123456789.123456789", "0.30000000000000004", "00.5",
          "9007199254740993", "123456789012345678901", "2.2250738585072011e-308", "null", "8.5x"],
    "s": ['""', '"a"', '"é"', r'"\n\"\\\/\u00e9"', r'"\ud83d\ude00"', r'"\ud83d"', r'"\q"',
          r'"\u12"', '"tab\t"', "null", "1", '"open', '"long enough to be more than eight bytes"',
          '"12345678"', '"seven77"'],
    "ok": ["true", "false", "1", "0", "null", "tru", "True", '"true"'],
    "when": ["null", '"2026-01-02T03:04:05"', '"2026-01-02 03:04:05.123456"', '"2026-01-02"',
             '"2026-01-02T03:04:05+02:00"', "5"],
    "maybe": ["null", "7", "-1e-5", '""'],
    "text": ["null", '""', r'"\t"', '"c"'],
    "other": ["1", "-2.5e3", '"x"', r'"\n"', r'"\x"', "null", "true", "{}", "[1, 2]", "01", "nul"],
}
SPACES = ["", " ", "\t", "  "]


@st.composite
def objects(draw) -> str:
    """An object with some usual values and some that are not, its keys in some order."""
    values = USUAL | {name: draw(st.sampled_from(VALUES[name]))
                      for name in draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=2))}
    names = draw(st.permutations(sorted(values))) if draw(st.booleans()) else sorted(values)
    left_out = draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=1))
    twice = draw(st.lists(st.sampled_from(names), max_size=1)) if draw(st.booleans()) else []
    space = draw(st.sampled_from(SPACES))
    pairs = [f'"{name}"{space}:{space}{values[name]}' for name in [*names, *twice]
             if name not in left_out]
    return f"{space}{{{space}{f',{space}'.join(pairs)}{space}}}{space}"


lines = st.lists(objects() | st.sampled_from(["", "  ", "{}", "[]", "null", '{"n": 1,}', "{"]),
                 max_size=5)


BOTH = BothWays(extracts, JsonlSource, ROW)
read_both, in_blocks, in_rows = BOTH.of_text, BOTH.in_blocks, BOTH.in_rows


@settings(max_examples=300, deadline=None)
@given(lines, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.sampled_from([1, 100]),
       st.sampled_from([1, 3]))
@example(["{}"], "\n", True, 1, 1)
def test_what_blocks_accept_rows_accept_too(given_lines, end, ended, size, threads):
    text = end.join(given_lines) + (end if ended else "")
    if text:
        blocks, by_rows = read_both(text.encode(), size, threads)
        if blocks is not None:
            assert repr(blocks) == repr(by_rows)


@pytest.mark.parametrize("name", VALUES)
def test_every_value_on_its_own(name):
    for value in VALUES[name]:
        pairs = [f'"{key}": {one}' for key, one in (USUAL | {name: value}).items()]
        blocks, by_rows = read_both(f"{{{', '.join(pairs)}}}\n".encode(), 100)
        if blocks is not None:
            assert repr(blocks) == repr(by_rows), value


USUAL_LINES = [
    {"n": 1, "x": 2, "s": "a", "ok": True},
    {"ok": False, "s": "é \"quoted\"\n", "x": 0.1, "n": -3, "when": None, "text": None},
    {"n": 1, "other": "x", "x": 1e-7, "s": "", "ok": True, "when": "2026-01-02T03:04:05",
     "more": None, "text": "t"},
]


@pytest.mark.parametrize("line", USUAL_LINES)
def test_usual_objects_are_read_in_blocks(line):
    line = {"text": "t", **line}
    blocks, by_rows = read_both("\n".join([json.dumps(line)] * 50).encode(), 8)
    assert blocks == by_rows
    assert len(blocks) == 50


@pytest.mark.parametrize("value", [json.dumps({"n": 1, "x": 1.0, "s": "a", "ok": True}),
                                   '\ufeff{"n": 1}', "\0", '{"n": 1} x', '{"n" 1}'])
def test_a_default_and_what_is_no_object_are_left_to_the_rows(value):
    assert in_blocks_of(value.encode()) is None


def in_blocks_of(text: bytes) -> list | None:
    return read_both(text + b"\n", 100)[0]


def test_bytes_that_are_no_text_are_left_to_the_rows():
    line = b'{"n": 1, "x": 1.0, "s": "\xff", "ok": true, "text": null}'
    assert in_blocks_of(line) is None


# An exponent of three digits is left to the rows.
numbers = st.floats(-1e90, 1e90).filter(lambda x: x == 0.0 or abs(x) > 1e-90)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.builds(
    Row, st.integers(-10**17, 10**17), numbers,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=9), st.booleans(),
    st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.none() | numbers, st.none() | st.text('a"\\\n', max_size=5)),
    min_size=1, max_size=8))
def test_what_we_write_is_read_in_blocks(items):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.jsonl"
        writer = JsonlSink(str(path)).open(ROW)
        for item in items:
            writer.write(item)
        writer.commit()
        assert in_blocks(path, 3) == items == in_rows(path)


@pytest.mark.parametrize("wanted", [None, frozenset(["n"])])
def test_splits_are_read_in_columns_and_again(tmp_path, monkeypatch, wanted):
    with_costs(monkeypatch, **SMALL_IS_LARGE)
    path = tmp_path / "in.jsonl"
    rows = [{"n": n, "x": n / 4, "s": f"s{n}\n", "ok": n % 2 == 0, "text": None} for n in range(99)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source = JsonlSource(str(path), ROW)
    found = [extract for split in splits_of(source, 700) for extract in split.extracts(wanted)]
    assert all(("s" in extract.read) == (wanted is None) for extract in found)
    whole = [item for extract in found for item in items_of(extract.whole(), ROW)]
    assert whole == list(source.items(BadRows.parse("stop")))


def test_what_lies_under_a_null_is_not_looked_at():
    cells = pa.Array.from_buffers(pa.float64(), 2, [
        pa.py_buffer(b"\x01"), pa.py_buffer(np.array([1.5, np.nan]))])
    assert converted(cells, OptionalOf(FLOAT)).to_pylist() == [1.5, None]
    with pytest.raises(Unusual):
        converted(pa.array([1.5, np.nan, None]), OptionalOf(FLOAT))


def test_a_class_that_makes_its_items_itself_is_left_to_the_rows():
    class Counted(Record):
        n: int

        def __new__(cls, n):
            return super().__new__(cls, n + 1)

    assert not jsonl_columns.has_plain_columns(RecordOf(Counted))
    assert jsonl_columns.has_plain_columns(ROW)
