"""Malformed rows at random places: `stop` names the line, `skip` and `divert` lose nothing."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.core.errors import DataError, RunError, UsageError
from anabranch.io.csv.files import CsvSource
from anabranch.io.jsonl.files import JsonlSource
from anabranch.io.rows import BadRows, RowError
from anabranch.ir.records import Record
from anabranch.ir.types import type_of


class Entry(Record):
    uid: int
    text: str


GOOD_CSV = st.tuples(st.integers(-99, 99), st.text("ab,\"\n\ré ", max_size=6)).map(
    lambda v: (f'{v[0]},"{v[1].replace(chr(34), chr(34) * 2)}"', Entry(*v)))
BAD_CSV = st.sampled_from(["x,y", ",y", "1", "1,2,3", f"{2**64},y", '1,"a"b', "1,\udcff", "1,a\rb",
                           '"many\nlines",y']).map(lambda text: (text, None))
GOOD_JSON = st.tuples(st.integers(-99, 99), st.text(max_size=6)).map(
    lambda v: (json.dumps({"text": v[1], "uid": v[0], "more": []}), Entry(*v)))
BAD_JSON = st.sampled_from(["{", '{"uid": 1}', '{"uid": 1.5, "text": ""}', "[]", "3", "nul",
                            '{"uid": 1, "text": "\udcff"}']).map(lambda text: (text, None))
ROWS = {"csv": (CsvSource, "uid,text\n", st.lists(st.one_of(GOOD_CSV, BAD_CSV), max_size=8)),
        "jsonl": (JsonlSource, "", st.lists(st.one_of(GOOD_JSON, BAD_JSON), max_size=8))}


def first_lines(header, rows):
    """The number of the line on which each row begins."""
    lines, number = [], 1 + header.count("\n")
    for text, _ in rows:
        lines.append(number)
        number += 1 + text.count("\n")
    return lines


@pytest.mark.parametrize("format", ROWS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_malformed_rows(format, end, data):
    kind, header, strategy = ROWS[format]
    rows = data.draw(strategy)
    with tempfile.TemporaryDirectory() as folder:
        path, diverted = str(Path(folder, "in.txt")), str(Path(folder, "bad.jsonl"))
        text = header.replace("\n", end) + "".join(row + end for row, _ in rows)
        Path(path).write_bytes(text.encode(errors="surrogateescape"))
        source, lines = kind(path, type_of(Entry)), first_lines(header, rows)
        kept = [item for _, item in rows if item is not None]
        bad = [(line, row) for line, (row, item) in zip(lines, rows) if item is None]
        check_stop(source, path, rows, bad)
        check_skip(source, path, kept, bad)
        check_divert(source, path, diverted, kept, bad)


def check_stop(source, path, rows, bad):
    items = source.items(BadRows.parse("stop"))
    good_before = next((i for i, (_, item) in enumerate(rows) if item is None), len(rows))
    assert [next(items) for _ in range(good_before)] == [item for _, item in rows[:good_before]]
    if bad:
        with pytest.raises(RowError) as stopped:
            next(items)
        assert (stopped.value.file, stopped.value.line) == (path, bad[0][0])
        assert f"{path}:{bad[0][0]}" in str(stopped.value)


def check_skip(source, path, kept, bad):
    policy = BadRows.parse("skip")
    assert list(source.items(policy)) == kept
    assert policy.count == len(bad)
    assert bool(policy.summary()) == bool(bad)


def check_divert(source, path, diverted, kept, bad):
    policy = BadRows.parse(f"divert={diverted}")
    assert list(source.items(policy)) == kept
    assert not Path(diverted).exists()
    policy.commit()
    written = [json.loads(line) for line in Path(diverted).read_text().splitlines()]
    assert [(w["file"], w["line"], w["raw"]) for w in written] == [
        (path, line, row) for line, row in bad]
    assert all(w["reason"] for w in written)


def test_an_error_says_everything(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text,uid\nfine,1\nworse,one\n")
    with pytest.raises(DataError) as stopped:
        list(CsvSource(path, type_of(Entry)).items(BadRows()))
    assert str(stopped.value) == f"""\
error: malformed row: uid cannot be read as int
  --> {path}:3, column 2 (uid)
    |
  3 | worse,one
  = expected: int
  = came: 'one'
  = help: --on-error skip leaves such rows out, --on-error divert=PATH keeps them in a file"""


def test_a_diverted_row_gives_its_reason(tmp_path):
    path, diverted = tmp_path / "a.csv", tmp_path / "bad.jsonl"
    path.write_text("text,uid\nworse,one\nshort\n")
    policy = BadRows.parse(f"divert={diverted}")
    assert list(CsvSource(path, type_of(Entry)).items(policy)) == []
    policy.commit()
    first, second = (json.loads(line) for line in diverted.read_text().splitlines())
    assert first == {"file": str(path), "line": 2, "column": "uid", "raw": "worse,one",
                     "reason": "uid cannot be read as int: expected int, came 'one'"}
    assert second["column"] is None
    assert second["reason"] == "too few cells: expected 2 cells, as in the header, came 1"
    assert policy.summary().startswith(f"2 malformed rows diverted to {diverted}: ")


def test_an_aborted_run_diverts_nothing(tmp_path):
    policy = BadRows.parse(f"divert={tmp_path / 'bad.jsonl'}")
    policy.report(RowError("wrong", "a.csv", 1, raw="x"), "x")
    policy.abort()
    assert list(tmp_path.iterdir()) == []


def test_a_block_commits_or_aborts(tmp_path):
    path = tmp_path / "bad.jsonl"
    with pytest.raises(ZeroDivisionError), BadRows.parse(f"divert={path}") as policy:
        policy.report(RowError("wrong", "a.csv", 1, raw="x"), "x")
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []
    with BadRows.parse(f"divert={path}") as policy:
        policy.report(RowError("wrong", "a.csv", 1, raw="x"), "x")
    assert json.loads(path.read_text())["raw"] == "x"


def test_without_malformed_rows_the_diverted_file_is_empty(tmp_path):
    (tmp_path / "bad.jsonl").write_text("from the last run\n")
    policy = BadRows.parse(f"divert={tmp_path / 'bad.jsonl'}")
    policy.commit()
    assert (tmp_path / "bad.jsonl").read_text() == ""
    assert policy.summary() == ""


def test_a_wrong_policy_is_refused(tmp_path):
    for text in ("ignore", "divert", "divert=", "skip=x", ""):
        with pytest.raises(UsageError, match="policy"):
            BadRows.parse(text)
    with pytest.raises(RunError, match="no folder"):
        BadRows.parse(f"divert={tmp_path}/missing/bad.jsonl")


def test_a_report_without_a_file_is_diverted_too(tmp_path):
    policy = BadRows.parse(f"divert={tmp_path / 'bad.jsonl'}")
    policy.report(DataError("odd"), "raw text")
    policy.commit()
    assert json.loads((tmp_path / "bad.jsonl").read_text()) == {
        "file": None, "line": None, "column": None, "reason": "odd", "raw": "raw text"}
