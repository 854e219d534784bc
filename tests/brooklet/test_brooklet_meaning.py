"""A graph without races means in every schedule what the sequential engine makes of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.engine.sequential import run as sequential
from anabranch.ir.aggregates import Call, Sum
from anabranch.ir.function import Function
from anabranch.ir.graph import Builder, Graph
from anabranch.ir.operators import Apply, Barrier, Filter, FlatMap, Map, Sink, Source, Split, Union
from anabranch.ir.records import Record, State
from anabranch.ir.types import ANY
from anabranch.ir.verify import verify
from anabranch.ir.windows import AggregateWindow, Window
from oracles.brooklet import explore, lower


class Item(Record):
    key: int
    value: int


class Total(State):
    value: int = 0


def add(state, item):
    state.value += item.value
    yield item.replace(value=state.value)


def last(state):
    yield Item(-1, state.value)


def F(call) -> Function:
    return Function.of(call)


KINDS = [
    Map(F(lambda i: i.replace(value=i.value + 1))), Filter(F(lambda i: i.value % 3)),
    FlatMap(F(lambda i: [i] * (i.value % 3))), Apply(F(add), Total, ("key",)),
    Apply(F(add), Total, (), F(last)), Split((F(lambda i: i.value % 2),)),
    AggregateWindow(Window(2, 2), ("key",), (("value", Call(Sum, "value")),), Item, ("key",)),
    Barrier(2, F(lambda a, b: a.replace(value=a.value + b.value))), Union(2, on="key"),
]


@st.composite
def graphs(draw) -> Graph:
    """Operators whose result does not depend on how their inputs interleave."""
    b = Builder()
    queues = list(b.add("a", Source(), (), [ANY]))
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(KINDS))
        inputs = [draw(st.sampled_from(queues)) for _ in range(getattr(kind, "ports", 1))]
        count = 2 if isinstance(kind, Split) else 1
        queues += b.add("op", kind, inputs, [ANY] * count)
    for queue in queues:
        b.add("out", Sink(), [queue])
    return verify(b.graph())


ITEMS = st.lists(st.builds(Item, st.integers(0, 2), st.integers(0, 9)), max_size=6)


@settings(max_examples=60, deadline=None)
@given(graphs(), ITEMS)
def test_every_schedule_gives_the_sequential_output(graph, items):
    items = sorted(items)
    expected: dict = {op.name: () for op in graph.sinks}

    def emit(op, item):
        expected[op.name] += (item,)
    sequential.run(graph, {"a": items}, emit)
    [final] = explore(lower(graph), {"a": items}, schedules=8)
    assert final.outputs == expected
