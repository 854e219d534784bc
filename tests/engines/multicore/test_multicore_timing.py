"""Graphs whose operators see when items come: loops, shared variables, any order of operators."""

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anabranch.engine import multicore
from anabranch.engine.sequential import run as sequential
from anabranch.ir.function import Function
from anabranch.ir.graph import Graph, Operator, Queue, Variable
from anabranch.ir.operators import Routine, Sink, Source
from anabranch.ir.verify import verify
from anabranch.plan.logical.regions import form
from anabranch.plan.physical.bonds import together
from rewrite.models import declared_facts


@dataclass(frozen=True)
class Node:
    """An operator to be: which queues it reads, which variables it shares, whether it goes back
    to an earlier one, and where it stands in the order."""

    reads: tuple[int, ...]
    shares: tuple[str, ...]
    back_to: int | None
    place: int


def nodes(count: int):
    return st.tuples(*(
        st.builds(Node, st.lists(st.integers(0, n), min_size=1, max_size=2).map(tuple),
                  st.sampled_from([(), (), ("u",), ("v",), ("u", "v")]),
                  st.one_of(st.none(), st.none(), st.integers(0, n)), st.integers(0, 20))
        for n in range(count)))


def firing(name: int, variables: int, goes_back: bool):
    """Items are (rounds left, value); every firing leaves its trace in value and variables."""
    def fire(item, port, *values):
        rounds, value = item
        new = [v * 3 + value + name for v in values]
        out = [(rounds, (value * 5 + port + sum(new) + name) % 1009)]
        back = [(rounds - 1, value + 1)] if rounds > 0 else []
        return [out, back] if goes_back else [out], [v % 1013 for v in new]
    return Function.of(fire)


def graph_of(chosen: tuple[Node, ...], sinks: list[int], shuffled: bool) -> Graph:
    """Queue 0 is the source's, queue n that of operator n; `back` queues go to earlier ones."""
    entries: dict[int, list[str]] = {}
    for n, node in enumerate(chosen, 1):
        if node.back_to is not None:
            entries.setdefault(max(1, min(node.back_to, n)), []).append(f"back{n}")
    operators = []
    for n, node in enumerate(chosen, 1):
        goes_back = node.back_to is not None
        kind = Routine(firing(n, len(node.shares), goes_back), len(node.shares),
                       tuple(range(len(node.shares))))
        inputs = (*(f"q{r}" for r in node.reads), *entries.get(n, ()))
        outputs = (f"q{n}", f"back{n}") if goes_back else (f"q{n}",)
        operators.append((node.place if shuffled else n,
                          Operator(f"op{n}", kind, inputs, outputs, node.shares, node.shares)))
    placed = [op for _, op in sorted(operators, key=lambda pair: pair[0])]
    read = {q for op in placed for q in op.inputs}
    ends = {f"q{n}" for n in range(1, len(chosen) + 1) if n in sinks or f"q{n}" not in read}
    for queue in sorted(ends):
        # A sink stands anywhere behind its writer: here right behind it, or at the end.
        at = next(i for i, op in enumerate(placed) if queue in op.outputs) + 1
        placed.insert(at if len(queue) % 2 == 0 else len(placed),
                      Operator(f"to_{queue}", Sink(), (queue,)))
    source = Operator("source", Source(), (), ("q0",))
    everything = [source, *placed]
    queues = dict.fromkeys(q for op in everything for q in op.outputs)
    return verify(Graph(tuple(everything), tuple(map(Queue, queues)),
                        (Variable("u", int), Variable("v", int))).with_operators(everything))


graphs = st.builds(graph_of, st.integers(1, 5).flatmap(nodes),
                   st.lists(st.integers(1, 5), max_size=2), st.booleans())
source_items = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 50)), max_size=6)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs, source_items, st.sampled_from([1, 2, 3]), st.sampled_from([1, 2, 100]))
def test_any_graph_gives_the_sequential_output(graph, items, workers, size):
    expected: list = []
    sequential.run(graph, {"source": items}, lambda op, item: expected.append((op.name, item)))
    out: list = []
    multicore.run(form(graph, declared_facts(graph)), {"source": items},
                  lambda op, item: out.append((op.name, item)), workers=workers, slice_size=size,
                  processes="never")
    assert out == expected


def test_what_stands_alone_and_what_does_not():
    plain, shares = Node((0,), (), None, 0), Node((0,), ("u",), None, 0)
    apart = graph_of((plain, Node((1,), (), None, 0)), [], False)
    assert {frozenset(s) for s in together(apart, {})} == {
        frozenset({"op1"}), frozenset({"op2"}), frozenset({"to_q2"})}
    shared = graph_of((shares, Node((1,), (), None, 0), Node((2,), ("u",), None, 0)), [], False)
    assert frozenset({"op1", "op2", "op3"}) in together(shared, {})
    loop = graph_of((plain, Node((1,), (), 1, 0)), [], False)
    assert frozenset({"op1", "op2"}) in together(loop, {})
