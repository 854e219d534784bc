"""Streams that are merged by an attribute stay in columns, and come as the sequential engine has
them."""

from datetime import datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.batch.items import Columns, as_batch
from anabranch.batch.slices import Flow
from anabranch.ir.types import type_of
from anabranch.runtime.stage.merge import MergeLine
from anabranch.runtime.stage.rows import Line
from interpreting import FREE_KERNELS, with_costs


class Event(ab.Record):
    at: int
    value: int


class Moment(ab.Record):
    at: datetime
    value: int


class Real(ab.Record):
    at: float
    value: int


def union_of(cls, ports):
    streams = [ab.from_iterable([], cls, name=f"s{n}") for n in range(ports)]
    graph = streams[0].union(*streams[1:], on="at").graph()
    return graph, next(op for op in graph if op.kind.label == "union")


def outcomes(line, cls, slices, in_columns):
    """What a line gives for slices of (port, item), and at the end."""
    given_out = []
    for number, rows in enumerate(slices):
        items = [item for _, item in rows]
        flow = Flow(range(len(rows)), Columns(as_batch(items, type_of(cls)), type_of(cls))
                    if in_columns else items, [port for port, _ in rows])
        [out] = line.run(number, flow).outputs
        given_out.append((list(out.rows), list(out.items)))
    [rest] = line.finish(len(slices), "union").outputs
    return given_out, list(rest.rows), list(rest.items)


sizes = st.integers(2, 3)
rows = st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=9), max_size=5)
times = {Event: lambda n: n, Real: float, Moment: lambda n: datetime(2020, 1, 1) + timedelta(n)}


@pytest.mark.parametrize("cls", times)
@settings(max_examples=60, deadline=None)
@given(sizes, rows, st.booleans())
def test_columns_are_merged_as_items_are(cls, ports, given_rows, forwards):
    clocks, number, slices = [0] * ports, 0, []
    for rows in given_rows:
        slices.append([])
        for port, step in rows:
            port, number = port % ports, number + 1
            # Times that go back are for the plain line.
            clocks[port] = clocks[port] + step if forwards else step
            slices[-1].append((port, cls(times[cls](clocks[port]), number)))
    graph, op = union_of(cls, ports)
    assert outcomes(MergeLine(graph, op), cls, slices, True) == \
        outcomes(Line(graph, [op]), cls, slices, False)


def test_times_that_are_no_numbers_are_for_the_plain_line():
    graph, op = union_of(Real, 2)
    slices = [[(0, Real(float("nan"), 1)), (1, Real(1.0, 2)), (0, Real(0.5, 3))]]
    line, wanted = MergeLine(graph, op), Line(graph, [op])
    batch = pa.record_batch({"at": [float("nan"), 1.0, 0.5], "value": [1, 2, 3]})
    [came] = line.run(0, Flow(range(3), Columns(batch, type_of(Real)), [0, 1, 0])).outputs
    [expected] = wanted.run(0, Flow(range(3), [i for _, i in slices[0]], [0, 1, 0])).outputs
    assert repr(list(came.items)) == repr(expected.items) and line.merging is None


@pytest.fixture
def files(tmp_path):
    def written(name, step, rows=3000):
        file = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.table({"at": [i * step for i in range(rows)],
                                      "value": list(range(rows))}), file)
        return file
    return written("fast", 2), written("slow", 5)


def test_a_program_that_merges_files_stays_in_columns(files, tmp_path, monkeypatch):
    with_costs(monkeypatch, **FREE_KERNELS)

    def run(engine, **options):
        first, second = (ab.read_parquet(file, Event) for file in files)
        merged = first.union(second, on="at").filter(lambda e: e.value % 3 != 0)
        out = tmp_path / f"{engine}.csv"
        return merged.write_csv(out).run(engine=engine, **options), out.read_text()
    _, wanted = run("sequential")
    report, came = run("multicore", workers=2)
    assert came == wanted
    union = report.stages[0]
    assert (union.operators, union.tier) == (("union",), "columns")
    assert union.rows_by_tier == {"columns": 6000}


def test_the_report_says_when_items_did_not_come_in_columns(tmp_path, monkeypatch):
    with_costs(monkeypatch, **FREE_KERNELS)
    streams = [ab.from_iterable([Event(i, i) for i in range(9)], Event, name=n) for n in "ab"]
    report = streams[0].union(streams[1], on="at").write_csv(tmp_path / "out.csv").run(
        engine="multicore")
    assert report.stages[0].tier == "rows"
