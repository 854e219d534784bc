"""Operators that are computed as one kernel are told apart: rows exactly, time about."""

import pytest

import anabranch as ab
from anabranch.compile import compile_graph
from anabranch.engine import multicore
from anabranch.kernels.tally import Tally
from engines.multicore.support import items_of


class Deed(ab.Record):
    key: int
    value: int


class Sum(ab.State):
    value: int = 0


@ab.operator(by="key")
def summed(state: Sum, d: Deed):
    state.value += d.value
    if d.value % 3:
        yield d.replace(value=state.value)


@ab.operator
def repeated(d: Deed):
    for n in range(d.value % 3):
        yield d.replace(value=d.value + n)


def deeds(values):
    return ab.from_iterable([Deed(n % 5, value) for n, value in enumerate(values)], Deed)


LINES = {
    "a state in the middle": lambda s: s.filter(lambda d: d.value != 7).map(
        lambda d: d.replace(value=d.value * 2)).apply(summed).filter(lambda d: d.value % 2 == 0),
    "several outputs": lambda s: s.apply(repeated).map(
        lambda d: d.replace(value=d.value + 1)).apply(repeated).apply(summed),
    "windows open at the end": lambda s: s.filter(lambda d: d.value % 2 == 0).aggregate(
        ab.tumbling(count=4), by="key", value=ab.sum("value"), into=Deed).filter(
            lambda d: d.value > 30),
}
VALUES = {"plain": range(200), "beyond 64 bits": [*range(30), 2**63 - 1, 4, 2**63 - 1, *range(50)]}


def rows_of(graph, **knobs):
    """The rows of each operator between the sources and the sinks."""
    report = []
    multicore.run(compile_graph(graph), items_of(graph), lambda op, item: None, workers=2,
                  report=report.extend, **knobs)
    each = [one for stage in report for one in stage.each]
    return {one.name: (one.rows_in, one.rows_out) for one in each}, each, report


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("line", LINES)
def test_rows_of_fused_operators_are_those_of_the_rows_tier(line, values):
    graph = LINES[line](deeds(VALUES[values])).graph()
    wanted, _, _ = rows_of(graph, kernels="never", slice_size=16)
    for slice_size in (16, 1000):
        counted, each, report = rows_of(graph, kernels="always", slice_size=slice_size)
        assert report[0].tier == "native"
        assert counted == wanted
        assert all(one.seconds >= 0 for one in each)
    assert sum(one.seconds for one in report[0].each) > 0


def test_rows_of_operators_in_columns():
    graph = deeds(range(90)).filter(lambda d: d.value > 9).map(
        lambda d: f"{d.value}".upper() + f"{d.key}").graph()
    wanted, _, _ = rows_of(graph, kernels="never")
    counted, _, report = rows_of(graph, kernels="always")
    assert (counted, report[0].tier) == (wanted, "columns")


@pytest.mark.parametrize("line", LINES)
def test_of_a_slice_only_its_beginning_is_measured(line, monkeypatch):
    graph = LINES[line](deeds(range(200))).graph()
    wanted, _, _ = rows_of(graph, kernels="never")
    for measured in (1, 50, 199, 200):
        monkeypatch.setattr("anabranch.kernels.native.kernel.MEASURED", measured)
        counted, each, _ = rows_of(graph, kernels="always")
        assert counted == wanted
        assert sum(one.seconds for one in each) > 0


def test_one_call_in_some_is_measured():
    tally = Tally(2)
    assert [tally.is_due() for _ in range(18)] == [True, *[False] * 15, True, False]
    assert tally.shares == [0.5, 0.5]
    tally.add_ticks([100, 75])
    assert tally.shares == [0.25, 0.75]
