"""All facts of a graph, in one go.

>>> from anabranch.ir.function import Function
>>> from anabranch.ir.graph import Builder
>>> from anabranch.ir.operators import Map, Sink, Source
>>> from anabranch.ir.types import INT
>>> b = Builder()
>>> [numbers] = b.add("numbers", Source(), (), [INT])
>>> double = Map(Function.from_source("lambda x: 2 * x", {}))
>>> [doubled] = b.add("double", double, [numbers], [INT])
>>> b.add("out", Sink(), [doubled])
()
>>> facts = analyse(b.graph())["double"]
>>> str(facts.state.value), str(facts.selectivity.value), facts.ordered.reason
('stateless', '= 1', 'out writes in order')
"""

from __future__ import annotations

from collections.abc import Callable

from anabranch.analysis.effects.purity import Effects
from anabranch.analysis.fact import Fact, Facts, OperatorFacts, StateOf
from anabranch.analysis.facts import declarations
from anabranch.analysis.facts.forwarding import forwarding
from anabranch.analysis.facts.order import orders
from anabranch.analysis.facts.selectivity import selectivity
from anabranch.analysis.facts.state import Touched, shared_variable, state
from anabranch.analysis.facts.totality import total
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.operators import Fused


class Findings:
    """What was found of operators by themselves. A rewritten graph has most of them as they were,
    and to read their functions takes most of the time."""

    def __init__(self):
        self._found: dict[tuple, tuple[Operator, Fact]] = {}
        self.effects = Effects()
        self.last: tuple[Graph, Facts] | None = None

    def of(self, look: Callable[[Graph, Operator], Fact], graph: Graph, op: Operator) -> Fact:
        """What `look` finds, which sees of the graph only the types of the operator's inputs."""
        key = look, id(op), tuple(graph.input_types(op))
        if key not in self._found:
            # As long as the operator is kept, no other one has its id.
            self._found[key] = op, look(graph, op)
        return self._found[key][1]


def analyse(graph: Graph, findings: Findings | None = None) -> Facts:
    """The facts of every operator, by its name; declared ones win over what was found."""
    findings = findings or Findings()
    if findings.last is None or findings.last[0] is not graph:
        findings.last = graph, _facts(graph, findings)
    return findings.last[1]


def _facts(graph: Graph, findings: Findings) -> Facts:
    found = findings.effects.of(graph)
    pure = {op.name: declarations.purity(op) or _known(op, "purity") or found[op.name].fact
            for op in graph}
    changeable = frozenset(name for name, each in found.items() if each.changeable)
    touched = Touched.of(graph, {name: fact.value for name, fact in pure.items()}, changeable)
    states = {op.name: _state(graph, op, touched) for op in graph}
    ordered = orders(graph, states)
    shapes = {queue: shape for op in graph for queue, shape in zip(
        op.outputs, found[op.name].outputs)}
    return {op.name: OperatorFacts(
        states[op.name],
        declarations.selectivity(op) or _known(op, "selectivity")
        or findings.of(selectivity, graph, op),
        declarations.forwarding(op) or _known(op, "forwarding")
        or findings.of(forwarding, graph, op),
        pure[op.name],
        ordered[op.name],
        total(op, tuple(shapes[queue] for queue in op.inputs))) for op in graph}


def _state(graph: Graph, op: Operator, touched: Touched) -> Fact[StateOf]:
    """A declared key says how an operator's own state falls apart, not one that it shares."""
    found = declarations.state(op)
    by_key = op.annotation("Keys") is not None
    return ((shared_variable(op, touched) if by_key else None) or found or _known(op, "state")
            or state(graph, op, touched))


def _known(op: Operator, fact: str):
    """A fact of operators that were fused, as it was known of them before."""
    return getattr(op.kind.known, fact) if isinstance(op.kind, Fused) else None
