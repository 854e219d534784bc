"""Rows that come out of order, within a lateness and behind it: the same on every engine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine.run import execute
from anabranch.runtime.options import RunOptions, RunReport


class Reading(ab.Record):
    ts: int
    key: int


class Seen(ab.Record):
    ts: int
    key: int
    before: int


class Count(ab.State):
    rows: int = 0


@ab.operator(by="key")
def counted(state: Count, r: Reading):
    yield Seen(r.ts, r.key, state.rows)
    state.rows += 1


ROWS = [(3, 1), (1, 2), (12, 1), (10, 1), (8, 2), (9, 3), (12, 2), (11, 9), (30, 1), (19, 1),
        (25, 2), (41, 1), (33, 3)]
IN_TIME = [(1, 2), (3, 1), (8, 2), (9, 3), (10, 1), (11, 9), (12, 1), (12, 2), (25, 2), (30, 1),
           (41, 1)]
LATE = [(19, 1), (33, 3)]
ENGINES = {
    "sequential": {"engine": "sequential"},
    "rows": {"engine": "multicore", "tune": {"processes": "never", "kernels": "never"}},
    "processes": {"engine": "multicore", "workers": 2, "tune": {
        "processes": "always", "kernels": "never", "slice_size": 3}},
    "kernels": {"engine": "multicore", "tune": {"kernels": "always"}},
}


def source(rows=ROWS, lateness: int = 5, name: str = "readings") -> ab.Stream:
    return ab.from_iterable([Reading(*row) for row in rows], Reading, time="ts", lateness=lateness,
                            name=name)


def run(streams: list[ab.Stream], engine: str, **options: object) -> tuple[list, RunReport]:
    found = [[] for _ in streams]
    for stream, out in zip(streams, found):
        stream.collect_into(out)
    report = execute(compile_graph(streams[0].graph()), RunOptions(**ENGINES[engine], **options))
    return [[tuple(item) for item in out] for out in found], report


def oracle(rows: list[tuple], lateness: int) -> tuple[list, list]:
    """What the definition says: no heap, nothing that is held back."""
    behind = [max(r[0] for r in rows[:n + 1]) - row[0] for n, row in enumerate(rows)]
    late = [row for row, by in zip(rows, behind) if by > lateness]
    rest = [row for row, by in zip(rows, behind) if by <= lateness]
    return sorted(rest, key=lambda row: row[0]), late


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3))), st.integers(0, 9))
def test_rows_in_time_are_sorted_and_others_are_late(rows, lateness):
    readings = source(rows, lateness)
    assert [readings.collect(), readings.late.collect()] == [
        [Reading(*row) for row in part] for part in oracle(rows, lateness)]


@pytest.mark.parametrize("engine", ENGINES)
def test_rows_leave_in_order_and_late_ones_apart(engine):
    readings = source()
    kept = readings.filter(lambda r: r.key != 9)
    found, report = run([kept.apply(counted), readings.late], engine)
    assert found == [[(1, 2, 0), (3, 1, 0), (8, 2, 1), (9, 3, 0), (10, 1, 1), (12, 1, 2),
                      (12, 2, 2), (25, 2, 3), (30, 1, 3), (41, 1, 4)], LATE]
    assert report.bad_rows == "2 rows have come too late: readings 2"
    assert report.read == {"readings": 11, "readings_late": 2}


def totals(readings: ab.Stream, **window: object) -> ab.Stream:
    return readings.aggregate(ab.tumbling(time=10, **window), by="key", start=ab.start(),
                              n=ab.count())


@pytest.mark.parametrize("engine", ENGINES)
def test_windows_of_silent_keys_end_when_the_time_is_past(engine):
    found, _ = run([totals(source())], engine)
    assert found[0] == [(2, 0, 2), (1, 0, 1), (3, 0, 1), (1, 10, 2), (9, 10, 1), (2, 10, 1),
                        (2, 20, 1), (1, 30, 1), (1, 40, 1)]
    sliding = source().aggregate(ab.sliding(time=10, step=5, partial=False), by="key",
                                 end=ab.end(), n=ab.count(), first=ab.first("ts"))
    found, _ = run([sliding], engine)
    assert [row[1] for row in found[0]] == sorted(row[1] for row in found[0])
    assert found[0][:5] == [(2, 5, 1, 1), (1, 5, 1, 3), (2, 10, 2, 1), (1, 10, 1, 3), (3, 10, 1, 9)]


def test_a_window_ends_before_its_key_is_heard_of_again():
    """Rows come one by one, and what is known is given at once."""
    told = []

    def rows():
        for row in ROWS:
            told.append(row)
            yield Reading(*row)
    readings = ab.from_iterable(rows(), Reading, time="ts", lateness=5)
    totals(readings).for_each(lambda w: told.append(tuple(w))).run(engine="sequential")
    # Of key 3, which is silent, the window ends with key 1: behind (30, 1) nothing before 25 comes.
    assert told[told.index((30, 1)) + 1:][:3] == [(2, 0, 2), (1, 0, 1), (3, 0, 1)]


@pytest.mark.parametrize("engine", ENGINES)
def test_sources_are_merged_behind_their_lateness(engine):
    left, right = source(name="left"), source([(5, 7), (2, 8), (9, 7)], 3, "right")
    found, _ = run([left.union(right, on="ts")], engine)
    assert found[0] == sorted([*IN_TIME, (5, 7), (2, 8), (9, 7)], key=lambda row: (
        row[0], row in [(5, 7), (2, 8), (9, 7)]))


def test_instants_are_compared_as_such():
    class Event(ab.Record):
        at: datetime
    east, start = timezone(timedelta(hours=2)), datetime(2026, 1, 1, tzinfo=UTC)
    given = [start, start - timedelta(seconds=3), (start - timedelta(seconds=1)).astimezone(east),
             start - timedelta(seconds=2)]
    events = ab.from_iterable([Event(at) for at in given], Event, time="at",
                              lateness=timedelta(seconds=2))
    assert [e.at for e in events.collect()] == [given[3], given[2], given[0]]
    assert [e.at for e in events.late.collect()] == [given[1]]


def test_files_are_read_in_order_and_named_once(tmp_path):
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, first in zip(paths, (7, 70)):
        path.write_text(f"ts,key\n{first},1\n{first - 1},1\nx,1\n{first - 6},2\n")
    readings = ab.read_csv(paths[0], Reading, time="ts", lateness=2, name="readings")
    readings.write_csv(tmp_path / "on_time.csv")
    readings.late.write_csv(tmp_path / "late.csv")
    report = execute(compile_graph(readings.graph()), RunOptions(
        "sequential", inputs={"readings": str(paths[1])}, on_error="skip"))
    assert (tmp_path / "on_time.csv").read_text() == "ts,key\n69,1\n70,1\n"
    assert (tmp_path / "late.csv").read_text() == "ts,key\n64,2\n"
    assert "1 malformed row skipped" in report.bad_rows


def test_what_cannot_be_is_refused(tmp_path):
    with pytest.raises(ab.ProgramError, match="a lateness needs a time"):
        ab.from_iterable([Reading(1, 1)], Reading, lateness=5)
    with pytest.raises(ab.ProgramError, match="how far behind the latest time a row may come"):
        source(lateness=-1)
    with pytest.raises(ab.ProgramError, match="how far behind"):
        ab.from_iterable([], Reading, time="ts", lateness=timedelta(seconds=1))
    with pytest.raises(ab.ProgramError, match="only a source with a lateness has late rows"):
        _ = source().filter(lambda r: r.ts > 3).late
    with pytest.raises(ab.ProgramError, match="are not there any more"):
        _ = ab.from_iterable(iter([]), Reading, time="ts", lateness=5).late
    rows = ab.read_csv(tmp_path, Reading, time="ts", lateness=5)
    with pytest.raises(ab.UsageError, match="which --stream does not keep from batch to batch"):
        rows.write_csv(tmp_path / "out").run(engine="spark", stream=True)
