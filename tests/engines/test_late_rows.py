"""Rows that come late for their window: an error, or left out, or kept apart, on every engine."""

from __future__ import annotations

import json

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.core.errors import RunError
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions, RunReport


class Reading(ab.Record):
    ts: int
    key: int


class Total(ab.Record):
    key: int
    start: int
    n: int


ROWS = [(1, 1), (2, 2), (12, 1), (3, 1), (13, 2), (4, 2), (14, 1), (30, 1), (2, 1), (31, 2)]
IN_TIME = [row for row in ROWS if row not in {(3, 1), (4, 2), (2, 1)}]
LATE = ['{"ts": 3, "key": 1}', '{"ts": 4, "key": 2}', '{"ts": 2, "key": 1}']


def totals(source: ab.Stream) -> ab.Stream:
    return source.aggregate(ab.tumbling(time=10, on="ts"), by="key", start=ab.start(), n=ab.count())


def opaque(source: ab.Stream) -> ab.Stream:
    """The same where functions of the user's stand before and behind."""
    return totals(source.filter(lambda r: r.ts >= int(str(r.key)) - 5)).map(
        lambda w: Total(int(str(w.key)), w.start, w.n))


def overall(source: ab.Stream) -> ab.Stream:
    return source.aggregate(ab.tumbling(time=10, on="ts"), n=ab.count())


def read(rows) -> ab.Stream:
    return ab.from_iterable([Reading(*row) for row in rows], Reading, name="readings")


def run(stream: ab.Stream, engine: str, **options: object) -> tuple[list, RunReport]:
    out: list = []
    report = execute(compile_graph(stream.collect_into(out).graph()),
                     RunOptions(engine, **options))
    return out, report


ENGINES = {
    "sequential": {"engine": "sequential"},
    "rows": {"engine": "multicore", "tune": {"processes": "never", "kernels": "never"}},
    "processes": {"engine": "multicore", "workers": 2, "tune": {
        "processes": "always", "kernels": "never", "slice_size": 3}},
    "kernels": {"engine": "multicore", "tune": {"kernels": "always"}},
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("build", [totals, opaque])
def test_late_rows_are_left_out_and_counted(build, engine):
    expected, _ = run(build(read(IN_TIME)), "sequential")
    out, report = run(build(read(ROWS)), **ENGINES[engine], on_error="skip")
    assert out == expected
    assert report.bad_rows == "3 late rows skipped: aggregate 3"
    assert report.read == {"readings": 10}


@pytest.mark.parametrize("engine", ENGINES)
def test_late_rows_are_kept_apart(engine, tmp_path):
    expected, _ = run(opaque(read(IN_TIME)), "sequential")
    kept = tmp_path / "late.jsonl"
    out, report = run(opaque(read(ROWS)), **ENGINES[engine], on_error=f"divert={kept}")
    assert out == expected
    assert report.bad_rows == f"3 late rows diverted to {kept}: aggregate 3"
    lines = list(map(json.loads, kept.read_text().splitlines()))
    assert [line["raw"] for line in lines] == LATE
    assert lines[0] == {
        "file": None, "line": None, "column": "ts", "raw": LATE[0],
        "reason": "an item comes late: its window ended before ts 12, which has been seen, and was "
                  "emitted"}


@pytest.mark.parametrize("engine", ENGINES)
def test_windows_of_all_rows_together(engine):
    rows = [(1, 1), (11, 2), (2, 1), (12, 3)]
    out, report = run(overall(read(rows)), **ENGINES[engine], on_error="skip")
    assert [w.n for w in out] == [1, 2]
    assert report.bad_rows == "1 late row skipped: aggregate 1"


def in_a_loop(source: ab.Stream) -> ab.Stream:
    """Windows of rows that go round: what is odd comes back as what is even."""
    def body(rows: ab.Stream) -> tuple[ab.Stream, ab.Stream]:
        counted = rows.aggregate(ab.tumbling(time=10, on="ts"), by="key", start=ab.start(),
                                 n=ab.count())
        again = counted.filter(lambda w: w.n % 2 == 1 and w.start < 40).map(
            lambda w: Reading(w.start + 11, w.key + 100))
        return counted, again
    return source.loop(body)


@pytest.mark.parametrize("engine", ENGINES)
def test_windows_in_a_loop(engine, tmp_path):
    expected, _ = run(in_a_loop(read(IN_TIME)), "sequential")
    kept = tmp_path / "late.jsonl"
    out, report = run(in_a_loop(read(ROWS)), **ENGINES[engine], on_error=f"divert={kept}")
    assert out == expected
    assert report.bad_rows == f"3 late rows diverted to {kept}: aggregate 3"
    assert [json.loads(line)["raw"] for line in kept.read_text().splitlines()] == LATE


@pytest.mark.parametrize("engine", ENGINES)
def test_without_a_policy_the_first_late_row_is_the_error(engine):
    with pytest.raises(RunError, match="an item comes late") as failed:
        run(totals(read(ROWS)), **ENGINES[engine])
    assert failed.value.help == (
        'sort the input by time, or give the window late="drop"; --on-error skip leaves such items '
        "out, --on-error divert=PATH keeps them in a file")
    assert "aggregate(" in str(failed.value)


@pytest.mark.parametrize("engine", ["sequential", "rows", "processes"])
def test_late_rows_behind_a_failure_are_not_told(engine, tmp_path):
    def checked(r: Reading) -> bool:
        return 1 // (r.ts - 30) < 9
    kept = tmp_path / "late.jsonl"
    with pytest.raises(RunError, match="ZeroDivisionError"):
        run(totals(read(ROWS).filter(checked)), **ENGINES[engine], on_error=f"divert={kept}")
    assert not kept.exists()


def test_malformed_and_late_rows_are_told_apart(tmp_path):
    file = tmp_path / "in.csv"
    file.write_text("ts,key\n1,1\nx,1\n12,1\n3,1\n")
    _, report = run(totals(ab.read_csv(file, Reading)), "sequential", on_error="skip")
    first, second = report.bad_rows.splitlines()
    assert first.startswith("1 malformed row skipped: ") and first.endswith("in.csv 1")
    assert second == "1 late row skipped: aggregate 1"


def test_a_window_that_drops_them_says_nothing():
    stream = read(ROWS).aggregate(ab.tumbling(time=10, on="ts", late="drop"), by="key",
                                  n=ab.count())
    _, report = run(stream, "sequential", on_error="skip")
    assert report.bad_rows == ""
