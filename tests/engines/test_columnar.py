"""File to file in columns: the sequential engine's rows, its errors, and no file when it fails."""

import re

import pyarrow as pa
import pytest
from pyarrow import parquet

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import columnar
from anabranch.engine.base import ENGINES
from anabranch.explain import explain


class Event(ab.Record):
    key: int
    name: str
    value: float


class Total(ab.State):
    value: float = 0.0


@ab.operator(by="key")
def running(state: Total, e: Event):
    state.value += e.value
    yield e.replace(value=state.value)


@pytest.fixture(autouse=True)
def small_inputs_count(monkeypatch):
    monkeypatch.setattr(columnar, "WORTH_COMPILING", 0)


@pytest.fixture
def events(tmp_path):
    def written(rows=1000, **columns):
        table = {"key": [i % 7 for i in range(rows)], "name": [f"n{i % 3}" for i in range(rows)],
                 "value": [float(i % 11) for i in range(rows)]}
        path = tmp_path / "in" / "events.parquet"
        path.parent.mkdir(exist_ok=True)
        parquet.write_table(pa.table(table | columns), path, row_group_size=300)
        return ab.read_parquet(path, Event)
    return written


def rows_of(stream, path, tier, **options):
    stream.write_parquet(path)
    report = stream.run(engine="multicore", **options)
    assert report.tier == tier
    assert report.written == {path.stem: parquet.read_table(path).num_rows}
    return [tuple(row.values()) for row in parquet.read_table(path).to_pylist()]


LINES = {
    "with state": lambda s: s.filter(lambda e: e.value != 7.0).apply(running),
    "without state": lambda s: s.filter(lambda e: e.name == "n1").map(
        lambda e: e.replace(value=e.value * 2.0)),
    "with windows open at the end": lambda s: s.aggregate(
        ab.tumbling(count=13), by="name", n=ab.count(), total=ab.sum("value")),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("limit", [None, 0, 301])
def test_the_same_rows_as_the_sequential_engine(events, tmp_path, name, limit):
    expected = [tuple(item) for item in LINES[name](events()).collect(limit=limit)]
    line = LINES[name](events())
    assert rows_of(line, tmp_path / "out.parquet", "native", limit=limit) == expected


def test_a_line_that_does_not_compile_runs_in_rows(events, tmp_path):
    line = events().map(lambda e: e.replace(name=e.name.title() + str(len(e.name.split("n")))))
    expected = [tuple(item) for item in line.collect()]
    assert rows_of(line, tmp_path / "out.parquet", "rows") == expected


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_missing_value_is_the_same_error(events, tmp_path, engine):
    line = events(4, value=[1.0, 2.0, None, 4.0]).filter(lambda e: e.value > 0.0)
    line.write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ab.DataError) as caught:
        line.run(engine=engine)
    assert "value" in str(caught.value)
    assert ":3" in str(caught.value) or "row 3" in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("engine", ["sequential", "multicore"])
def test_a_failing_function_is_the_same_error(events, tmp_path, engine):
    line = events().map(lambda e: e.replace(value=1.0 / (e.value - 5.0)))
    line.write_parquet(tmp_path / "out.parquet")
    with pytest.raises(ab.RunError) as caught:
        line.run(engine=engine)
    assert "Event(key=5, name='n2', value=5.0)" in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_bad_rows_are_skipped_as_asked(events, tmp_path):
    line = events(4, value=[1.0, 2.0, None, 4.0]).filter(lambda e: e.value > 0.0)
    rows = rows_of(line, tmp_path / "out.parquet", "rows", on_error="skip")
    assert [r[2] for r in rows] == [1.0, 2.0, 4.0]


def test_small_inputs_are_not_worth_compiling(events, tmp_path, monkeypatch):
    monkeypatch.setattr(columnar, "WORTH_COMPILING", 1001)
    rows_of(events().apply(running), tmp_path / "out.parquet", "rows")


def test_explain_says_how_the_engine_runs_it(events, tmp_path):
    line = events().apply(running)
    line.write_parquet(tmp_path / "out.parquet")
    plan = compile_graph(line.graph())
    shown = explain(plan, execution=ENGINES["multicore"].execution(plan.program))
    assert shown.split("\n")[-1].split("  ")[1:] == ["multicore", "one compiled loop over columns"]


@pytest.mark.parametrize(("build", "why"), [
    (lambda s, p: s.map(lambda e: re.sub("n", "m", e.name)).write_csv(p / "o.csv"), "re.sub"),
    (lambda s, p: s.filter(lambda e: e.key > 0).write_stdout(), "stdout is not written to"),
    (lambda s, p: s.write_parquet(p / "o.parquet"), "nothing between"),
    (lambda s, p: s.union(s.filter(lambda e: e.key > 1), arrival=True).write_csv(p / "o.csv"),
     "not one straight line"),
])
def test_the_reason_for_rows_is_told(events, tmp_path, build, why):
    execution = ENGINES["multicore"].execution(build(events(), tmp_path).graph())
    assert execution.tier == "rows"
    assert why in execution.reason.text
