"""The least and the greatest values in columns, while rows come and go."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.lang.cql.execution.columns import slices as column_inputs
from anabranch.lang.cql.execution.columns.aggregates import First
from lang.cql.test_cql_columns import ran

PROGRAM = ("S := {int k, int v, float x} stream;"
           "select k, min(v) as a, max(v) as b, min(x) as c, max(x) as d from S [WINDOW] "
           "group by k;"
           "select max(x) as m, min(v) as l from S [WINDOW];")
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(-3, 3),
                          st.sampled_from([-2.5, 0.0, 1.0, 1e300])), min_size=1, max_size=30)


@settings(max_examples=25, deadline=None)
@given(rows, st.sampled_from(["range 2", "rows 3", "partition by k rows 2"]),
       st.sampled_from([1, 4, 100]))
def test_extremes_are_those_of_the_sequential_engine(given_rows, window, size):
    time, lines = 0, ["timestamp,k,v,x"]
    for step, *values in given_rows:
        time += step
        lines.append(",".join(map(str, (time, *values))))
    text = PROGRAM.replace("WINDOW", window)
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patched:
        patched.setattr(column_inputs, "SLICE", size)
        file = Path(name) / "S.csv"
        file.write_text("\n".join([*lines, ""]))
        expected, *_ = ran(text, {"S": file}, Path(name), "sequential")
        assert ran(text, {"S": file}, Path(name), "multicore", 2)[0::2] == (expected, "columns")


def test_keys_without_values_are_forgotten():
    first = First()
    before, after = first.moved([(1,), (1,)], [0, 2], [5, 3, 5], [1, 1, -1])
    assert (before.tolist(), after.tolist(), len(first.folds)) == ([0, 3], [3, 3], 1)
    assert first.moved([(1,)], [0], [3], [-1])[1].tolist() == [0] and not first.folds
