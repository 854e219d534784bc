"""Hoists selections: a filter goes before the operator whose outputs it drops.

    before   (b) <- widen(a);  (c) <- filter(b); (d) <- next(c)
    after    (c) <- filter(a); (b) <- widen(c);  (d) <- next(b)

The operator then works only on what is kept. Its outputs must carry unchanged every attribute that
the predicate reads, and each input must give an output, so that the predicate sees no new tuple.
Neither of them may fail: a tuple that is dropped before it fails would go unnoticed.
"""

from __future__ import annotations

from dataclasses import replace

from anabranch.analysis.fact import Facts, StateKind
from anabranch.analysis.facts.live_fields import attributes_read
from anabranch.ir.graph import Graph, Operator, Queue
from anabranch.ir.operators import Filter


def hoist(graph: Graph, facts: Facts) -> Graph:
    """The graph with every filter as early as it can safely go."""
    while selection := next((op for op in graph if can_hoist(graph, facts, op)), None):
        graph = hoisted(graph, selection)
    return graph


def can_hoist(graph: Graph, facts: Facts, selection: Operator) -> bool:
    """Whether `selection` may change places with the operator before it."""
    if not isinstance(selection.kind, Filter) or selection.name in graph.looping:
        return False
    before = graph.writer(selection.inputs[0])
    return (_is_step(graph, before) and _is_harmless(facts, before)
            and not facts[selection.name].purity.value and facts[selection.name].total.value
            and _sees_the_same(facts, before, selection))


def hoisted(graph: Graph, selection: Operator) -> Graph:
    """`before` and `selection` in each other's place; both still write queues of their own."""
    before = graph.writer(selection.inputs[0])
    [entry], [kept], [result] = before.inputs, selection.outputs, before.outputs
    places = {before.name: replace(selection, inputs=(entry,)),
              selection.name: replace(before, inputs=(kept,))}
    operators = [places.get(op.name) or _reading(op, result, instead_of=kept) for op in graph]
    return graph.with_operators(operators, [Queue(kept, graph.queue(entry).type)])


def _reading(op: Operator, queue: str, instead_of: str) -> Operator:
    return replace(op, inputs=tuple(queue if q == instead_of else q for q in op.inputs))


def _is_step(graph: Graph, op: Operator) -> bool:
    """One input, one output, one reader: what it emits goes to the filter alone."""
    return (not op.is_source and len(op.inputs) == len(op.outputs) == 1
            and len(graph.readers(op.outputs[0])) == 1)


def _is_harmless(facts: Facts, op: Operator) -> bool:
    known = facts[op.name]
    return (known.state.value.kind is StateKind.STATELESS and not known.purity.value
            and known.total.value and known.selectivity.value.low >= 1)


def _sees_the_same(facts: Facts, before: Operator, selection: Operator) -> bool:
    read = attributes_read(selection.kind.function)
    forwarding = facts[before.name].forwarding[0].value
    return read is not None and all(forwarding.origin(a) == a for a in read)
