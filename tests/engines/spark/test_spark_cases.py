"""The Spark engine gives the sequential engine's sequence, for random programs; every case is run,
and compared with what was explained, by `test_spark_explained.py`."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import anabranch as ab
from anabranch.compile import compile_graph
from engines.spark.support import sequential_outputs, spark_outputs
from program_cases import numbers
from random_programs import STEPS, Item, build, items, programs

# One group is one process of the test run: they share one session.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark")]


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, items, st.integers(1, 4))
def test_random_program(spark, steps, source_items, slice_size):
    expected = sequential_outputs(build(steps, source_items).graph())
    assert spark_outputs(build(steps, source_items).graph(), slice_size=slice_size) == expected


def broken_at_five(t: Item):
    return t.replace(v=t.v // (t.v - 5))


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, programs, items)
@example(["overwrite_key"], ["small_key"], [Item(0, 0, 5)])
def test_random_program_that_may_fail(spark, before, behind, source_items):
    """The same beginning of the output, and the same first failure."""
    def program():
        stream = build(before, source_items).map(broken_at_five, to=Item)
        for step in behind:
            stream = STEPS[step](stream)
        return stream.graph()
    # As rewritten: a selection that moves before the map may keep a tuple from failing there.
    expected = sequential_outputs(compile_graph(program()).graph)
    assert spark_outputs(program(), slice_size=3) == expected


def test_regions_with_different_keys_keep_the_order(spark):
    many = [Item(n * 7 % 5, n * 3 % 4, n % 11) for n in range(300)]
    steps = ["burst_by_k", "double", "running_by_l", "twice_when_even", "running_by_k",
             "last_total"]
    expected = sequential_outputs(build(steps, many).graph())
    assert spark_outputs(build(steps, many).graph(), slice_size=20) == expected
    assert len(expected[0]) > 4


def test_limit_counts_source_tuples(spark):
    graph = numbers(100).flat_map(lambda n: [n, -n]).graph()
    outputs, _ = spark_outputs(graph, slice_size=7, limit=10)
    assert [item for _, item in outputs] == [m for n in range(10) for m in (n, -n)]


def test_several_sinks_take_turns(spark):
    def graph():
        base = numbers(20)
        base.filter(lambda n: n % 3 == 0).collect_into([], name="threes")
        return base.map(lambda n: -n).collect_into([], name="all").graph()
    assert spark_outputs(graph(), slice_size=3) == sequential_outputs(graph())


class Colour(ab.Record):
    name: str
    shade: int = 0

    def darker(self):
        return Colour(self.name, self.shade + 1)


def test_records_come_back_as_the_same_class(spark):
    graph = ab.from_iterable([Colour("red")], Colour).map(lambda c: c.darker(), to=Colour).graph()
    (_, item), = spark_outputs(graph)[0]
    assert type(item) is Colour
    assert item == Colour("red", 1)
    assert Colour.darker.__globals__ is globals()
