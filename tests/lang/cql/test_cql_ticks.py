"""Time is a line of ticks: whole numbers, microseconds of floats, microseconds of times."""

from __future__ import annotations

import csv
import io
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lang.cql.queries import timed
from lang.cql.test_cql_columns import ran, written_files

TEXT = """
S : {{{declared}int a}} stream;
register query Gone as dstream(select a from S [range {two}]);
register query New as istream(select distinct a from S [range {two}]);
register query Now as istream(select a from S [now]);
V : istream(select a from S [now] where a > 0);
register query Deep as select a, count(*) as n from V [range {two}] group by a;
register query Both as select S.a as a, V.a as b from S [range {two}], V [now] where S.a <> V.a;
register query Few as dstream(select a from S [partition by a rows 1 range {two}]);
"""
BEGIN = datetime(2024, 2, 29, 12)
MICROSECOND = timedelta(microseconds=1)
CLOCKS = {"int": ("", "2", lambda n: n, int),
          "time": ("time timestamp, ", "0.000002", lambda n: (BEGIN + n * MICROSECOND).isoformat(),
                   lambda text: (datetime.fromisoformat(text) - BEGIN) // MICROSECOND),
          "float": ("float timestamp, ", "2", float, float)}


def written(clock: str, rows: list[tuple], engine: str) -> dict[str, list[tuple]]:
    """What each query writes, with its times as numbers of ticks."""
    declared, two, show, number = CLOCKS[clock]
    with tempfile.TemporaryDirectory() as name:
        folder, shown = Path(name), [(show(time), a) for time, a in rows]
        files = written_files(folder, {"S": "timestamp,a"}, {"S": shown})
        found, _, tier = ran(TEXT.format(declared=declared, two=two), files, folder, engine)
    assert (tier == "columns") == (engine == "multicore")
    return {query: [(number(time), *row) for time, *row in list(csv.reader(io.StringIO(text)))[1:]]
            for query, text in found.items()}


@settings(max_examples=25, deadline=None)
@given(timed(st.tuples(st.integers(0, 2))), st.sampled_from(["sequential", "multicore"]))
def test_times_tick_as_whole_numbers_do(rows, engine):
    assert written("time", rows, engine) == written("int", rows, "sequential")


@settings(max_examples=25, deadline=None)
@given(timed(st.tuples(st.integers(0, 2))))
def test_floats_tick_alike_in_rows_and_columns(rows):
    rows = [(time / 4, a) for time, a in rows]
    assert written("float", rows, "multicore") == written("float", rows, "sequential")


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_floats_tick_in_microseconds(engine):
    found = written("float", [(0.5, 1), (2.75, 1), (2.75, 2), (9.0, 1)], engine)
    assert found["Gone"] == [(2.500001, "1"), (4.750001, "1"), (4.750001, "2")]
    assert found["Now"] == found["New"] == [(0.5, "1"), (2.75, "1"), (2.75, "2"), (9.0, "1")]


@pytest.mark.parametrize("clock", ["int", "time"])
@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_rows_leave_when_they_do(clock, engine):
    found = written(clock, [(1, 1), (5, 1), (5, 2), (20, 1)], engine)
    assert found["Gone"] == [(4, "1"), (8, "1"), (8, "2")]
    assert found["Now"] == found["New"] == [(1, "1"), (5, "1"), (5, "2"), (20, "1")]
    assert found["Deep"] == [(1, "+", "1", "1"), (4, "-", "1", "1"), (5, "+", "1", "1"),
                             (5, "+", "2", "1"), (8, "-", "1", "1"), (8, "-", "2", "1"),
                             (20, "+", "1", "1")]
