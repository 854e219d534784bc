"""Arrow tables as sources and sinks: what lists and Parquet files give, and the same errors."""

import datetime

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab

DAY = datetime.datetime(2026, 1, 2)


class Row(ab.Record):
    n: int
    x: float | None
    s: str
    at: datetime.datetime


class Total(ab.State):
    n: int = 0


rows = st.lists(st.builds(Row, st.integers(-2**62, 2**62), st.none() | st.floats(allow_nan=False),
                          st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
                          st.datetimes(DAY, DAY.replace(year=2027))), max_size=30)


def table_of(items, chunks=1):
    whole = pa.Table.from_pylist([item._asdict() for item in items], pa.schema(
        {"extra": pa.int8(), "s": pa.string(), "n": pa.int64(), "x": pa.float64(),
         "at": pa.timestamp("us")}))
    size = -(-len(whole) // chunks) or 1
    return pa.concat_tables([whole.slice(start, size) for start in range(0, len(whole), size)]
                            or [whole])


def running(source):
    @ab.operator(by="s")
    def total(state: Total, row: Row):
        state.n += row.n % 1000
        yield row.replace(n=state.n)
    return source.filter(lambda row: row.n != 7).apply(total)


@settings(max_examples=40, deadline=None)
@given(rows, st.sampled_from([1, 3]), st.sampled_from(["sequential", "multicore"]))
def test_a_table_in_and_a_table_out(items, chunks, engine):
    expected = running(ab.from_iterable(items, Row)).collect()
    found = running(ab.from_arrow(table_of(items, chunks), Row)).to_arrow(engine=engine)
    assert [Row(**row) for row in found.to_pylist()] == expected
    assert found.schema.names == ["n", "x", "s", "at"]


def test_rows_of_a_table_are_never_python_objects(monkeypatch):
    """A long one goes through kernels, from columns to columns."""
    monkeypatch.setattr("anabranch.io.arrow.table.items_of", None)
    monkeypatch.setattr("anabranch.io.arrow.table.TableWriter.put", None)
    items = [Row(n, n / 8, f"k{n % 13}", DAY) for n in range(150_000)]
    given = running(ab.from_arrow(table_of(items), Row))
    found = given.to_arrow(workers=2, tune={"kernels": "always"})
    assert [Row(**row) for row in found.to_pylist()] == running(
        ab.from_iterable(items, Row)).collect()


def test_spark_takes_and_gives_tables(spark):
    items = [Row(n, None, "ab"[n % 2], DAY) for n in range(50)]
    found = running(ab.from_arrow(table_of(items), Row)).to_arrow(engine="spark")
    assert [Row(**row) for row in found.to_pylist()] == running(
        ab.from_iterable(items, Row)).collect()


class Pair(ab.Record):
    k: int
    v: float


@pytest.mark.parametrize("given", [
    pd.DataFrame({"k": [1, 2], "v": [1, 2]}), pa.record_batch({"v": [1.0, 2.0], "k": [1, 2]}),
    pa.RecordBatchReader.from_batches(pa.schema({"k": pa.int32(), "v": pa.float32()}), [
        pa.record_batch([pa.array([1, 2], pa.int32()), pa.array([1, 2], pa.float32())], ["k", "v"])
    ])], ids=["pandas", "batch", "reader"])
def test_what_arrow_takes_for_a_table(given):
    assert ab.from_arrow(given, Pair).collect() == [Pair(1, 1.0), Pair(2, 2.0)]


def test_single_values_are_the_column_value():
    assert ab.from_arrow(pa.table({"value": [1, 2]}), int).map(lambda n: n + 1).to_arrow(
    ).to_pydict() == {"value": [2, 3]}


@pytest.mark.parametrize("table, what", [
    (5, "takes an Arrow table"), (pa.table({"k": [1]}), "has no column 'v'"),
    (pa.table({"k": ["a"], "v": [1.0]}), "column 'k' of the table has another type")])
def test_what_is_no_such_table_is_refused_where_it_is_given(table, what):
    with pytest.raises(ab.AnabranchError, match=what) as refused:
        ab.from_arrow(table, Pair)
    assert refused.value.where.file == __file__


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_bad_rows(engine):
    source = ab.from_arrow(pa.table({"k": [1, None, 3], "v": [1.0, 2.0, 3.0]}), Pair)
    with pytest.raises(ab.DataError, match="k cannot be read as int"):
        source.to_arrow(engine=engine)
    assert source.to_arrow(engine=engine, on_error="skip")["k"].to_pylist() == [1, 3]


def test_a_time_that_goes_back_is_an_error():
    source = ab.from_arrow(pa.table({"k": [2, 1], "v": [1.0, 2.0]}), Pair, time="k")
    with pytest.raises(ab.DataError):
        source.to_arrow()


def test_a_table_needs_columns():
    with pytest.raises(ab.RunError, match="needs columns"):
        ab.from_iterable([]).to_arrow()
    assert ab.from_iterable([], Pair).to_arrow().num_rows == 0


def test_a_run_that_fails_gives_no_table():
    def fails(pair: Pair) -> Pair:
        return pair.replace(v=1 / (pair.k - 2))
    with pytest.raises(ab.RunError, match="ZeroDivisionError"):
        ab.from_arrow(pa.table({"k": [1, 2], "v": [0.0, 0.0]}), Pair).map(fails).to_arrow()
