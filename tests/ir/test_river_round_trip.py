"""Any graph, printed and read again, is the same graph."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from anabranch.io.python.objects import IterableSource, ListSink
from anabranch.ir.aggregates import Call, Count
from anabranch.ir.function import Function
from anabranch.ir.graph import Annotation, Builder, Graph
from anabranch.ir.operators import (
    Apply,
    Barrier,
    Filter,
    FlatMap,
    Map,
    Modelled,
    Routine,
    Sink,
    Source,
    Split,
    Union,
)
from anabranch.ir.records import Record, State
from anabranch.ir.text import functions_of, parse, show
from anabranch.ir.types import ANY, FLOAT, INT, STR, TIMESTAMP, ListOf, OptionalOf, RecordOf
from anabranch.ir.windows import AggregateWindow, Keep, Window, WindowJoin


class Quote(Record):
    symbol: str
    price: float


def other_record_of_the_same_name():
    class Quote(Record):
        symbol: str
    return Quote


class Seen(State):
    count: int = 0


NAMES = st.one_of(
    st.sampled_from(["a", "b", "input", "output", "from", "as", "time", "queues", "a_2", "int"]),
    st.text(string.ascii_letters + "_.@ -<>é", min_size=1, max_size=4))
TYPES = st.recursive(
    st.sampled_from([ANY, INT, FLOAT, STR, TIMESTAMP, RecordOf(Quote),
                     RecordOf(other_record_of_the_same_name())]),
    lambda inner: st.builds(ListOf, inner) | st.builds(OptionalOf, inner), max_leaves=3)
ARGUMENTS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), NAMES,
    st.floats(allow_nan=False, allow_infinity=False))
ANNOTATIONS = st.lists(st.builds(
    Annotation, st.sampled_from(["Keys", "Fuse", "Mine.own"]),
    st.lists(ARGUMENTS, max_size=3).map(tuple)), max_size=2)
FUNCTIONS = st.builds(Function, st.sampled_from([str, len, print]), NAMES)

KINDS = st.one_of(
    st.builds(Map, FUNCTIONS), st.builds(Filter, FUNCTIONS), st.builds(FlatMap, FUNCTIONS),
    st.builds(Split, st.lists(FUNCTIONS, min_size=1, max_size=2).map(tuple)),
    st.builds(Apply, FUNCTIONS, st.sampled_from([None, Seen]), st.just(("symbol",))),
    st.builds(Union, st.integers(2, 3), st.sampled_from([None, "symbol"])),
    st.builds(Barrier, st.just(2), FUNCTIONS),
    st.builds(Routine, FUNCTIONS, st.just(1), st.just((0,))), st.builds(Routine, FUNCTIONS),
    st.just(WindowJoin(("symbol",), ("symbol",), (Keep(1), Keep(2)), Function(print, "pair"))),
    st.just(AggregateWindow(Window(3, 3), (), (("n", Call(Count)),), Quote)),
    st.just(Modelled()))
SPEC, KEPT = IterableSource([]), ListSink([])
SOURCES = st.sampled_from([Source(), Source(time="symbol"), Source(SPEC), Source(SPEC, "ts")])
SINKS = st.sampled_from([Sink(), Sink(KEPT), Sink(ordered=False)])


def outputs_of(kind) -> int:
    return len(kind.predicates) + 1 if isinstance(kind, Split) else 1


@st.composite
def graphs(draw) -> Graph:
    builder = Builder()
    queues = list(builder.add(draw(NAMES), draw(SOURCES), (), [draw(TYPES)], draw(ANNOTATIONS)))
    kinds: list = []
    for _ in range(draw(st.integers(0, 6))):
        # Some operators share one kind object, as two uses of one function do.
        kind = draw(st.sampled_from(kinds)) if kinds and draw(st.booleans()) else draw(KINDS)
        kinds.append(kind)
        inputs = [draw(st.sampled_from(queues)) for _ in range(getattr(kind, "ports", 1))]
        types = [draw(TYPES) for _ in range(outputs_of(kind))]
        queues += builder.add(draw(NAMES), kind, inputs, types, draw(ANNOTATIONS))
        if draw(st.booleans()):
            queues += builder.add(draw(NAMES), draw(SOURCES), (), [draw(TYPES)])
        if draw(st.booleans()):
            builder.add(draw(NAMES), draw(SINKS), [draw(st.sampled_from(queues))], (),
                        draw(ANNOTATIONS))
    return builder.graph()


@st.composite
def shuffled_graphs(draw) -> Graph:
    """Queues and variables in any order, and maybe a loop: an early operator reads a late queue."""
    graph = draw(graphs())
    operators = list(graph.operators)
    inner = [i for i, op in enumerate(operators) if not (op.is_source or op.is_sink)]
    if inner:
        i = draw(st.sampled_from(inner))
        back = draw(st.sampled_from(graph.queues)).name
        changed = vars(operators[i]) | {"inputs": (back, *operators[i].inputs[1:])}
        operators[i] = type(operators[i])(**changed)
    return Graph(tuple(operators), tuple(draw(st.permutations(graph.queues))),
                 tuple(draw(st.permutations(graph.variables))))


@settings(max_examples=100, deadline=None)
@given(graphs())
def test_a_built_graph_round_trips(graph):
    text = show(graph)
    again = parse(text, functions_of(graph))
    assert again == graph
    assert show(again) == text


@settings(max_examples=100, deadline=None)
@given(shuffled_graphs())
def test_a_shuffled_graph_round_trips(graph):
    again = parse(show(graph), functions_of(graph))
    assert again == graph


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_fields_that_are_not_compared_survive_too(graph):
    again = parse(show(graph), functions_of(graph))
    for before, after in zip(graph, again, strict=True):
        assert after.kind is before.kind or isinstance(before.kind, (Routine, Source, Sink))
    for before, after in zip(graph.variables, again.variables, strict=True):
        assert after.initial() == before.initial()
