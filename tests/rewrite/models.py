"""Facts from annotations alone, and short ways to build graphs whose facts are declared."""

from __future__ import annotations

from anabranch.analysis.fact import (
    EXACTLY_ONE,
    STATELESS,
    UNBOUNDED,
    UNKNOWN_STATE,
    UNPARTITIONED,
    Effect,
    EffectKind,
    Fact,
    Facts,
    Forwarding,
    Interval,
    OperatorFacts,
    StateKind,
    StateOf,
)
from anabranch.ir.graph import Annotation, Builder, Graph, Operator
from anabranch.ir.operators import Filter, Fused, Keyed, Kind, Modelled, Sink, Source, Union
from anabranch.ir.types import ANY

IMPURE = (Effect(EffectKind.UNRESOLVED, "model", "nothing is known"),)


def keys(*attributes: str) -> Annotation:
    return Annotation("Keys", attributes)


def selectivity(low: int, high: int | None) -> Annotation:
    return Annotation("Selectivity", (low, high))


def forwards(*pairs: str) -> Annotation:
    return Annotation("Forwards", pairs)


def fuse(name: str) -> Annotation:
    return Annotation("Fuse", (name,))


STATELESS_MARK, PURE = Annotation("Stateless"), Annotation("Pure")


def declared_facts(graph: Graph) -> Facts:
    """What the annotations and the kinds of operators say; nothing is analysed."""
    return {op.name: _facts(op) for op in graph}


def _facts(op: Operator) -> OperatorFacts:
    if isinstance(op.kind, Fused):
        return op.kind.known
    ports = max(1, len(op.inputs))
    purity = () if op.annotation("Pure") else IMPURE
    return OperatorFacts(Fact(_state(op, ports), "declared", declared=True),
                         Fact(_selectivity(op), "declared"),
                         tuple(Fact(_forwarding(op), "declared") for _ in range(ports)),
                         Fact(purity, "declared"), Fact(not _unordered(op), "declared"),
                         Fact(not op.annotation("MayFail"), "declared"))


def _unordered(op: Operator) -> bool:
    return bool(op.annotation("Commutative")) or (op.is_sink and not op.kind.ordered)


def _state(op: Operator, ports: int) -> StateOf:
    if declared := op.annotation("Keys"):
        return StateOf(StateKind.PARTITIONED, (declared.arguments,) * ports)
    if op.annotation("Stateless") or (op.is_sink and not op.kind.ordered):
        return STATELESS
    if isinstance(op.kind, Keyed) and op.kind.stateful and op.kind.by:
        return StateOf(StateKind.PARTITIONED,
                       tuple(op.kind.keys_of(port) for port in range(ports)))
    if op.kind.stateful or op.is_sink or op.is_source:
        return UNPARTITIONED
    return UNKNOWN_STATE if isinstance(op.kind, Modelled) else STATELESS


def _selectivity(op: Operator) -> Interval:
    if declared := op.annotation("Selectivity"):
        return Interval(*declared.arguments)
    return EXACTLY_ONE if op.is_source or op.is_sink else UNBOUNDED


def _forwarding(op: Operator) -> Forwarding:
    declared = op.annotation("Forwards")
    if declared is None:
        return Forwarding(everything=isinstance(op.kind, (Filter, Union, Sink)))
    pairs = (argument.partition("=") for argument in declared.arguments)
    return Forwarding(tuple((output, given or output) for output, _, given in pairs))


def model(builder: Builder, name: str, inputs=(), *annotations: Annotation,
          kind: Kind | None = None, outputs: int = 1) -> tuple[str, ...]:
    """Adds an operator known by its annotations; without inputs it is a source."""
    kind = kind or (Modelled() if inputs else Source())
    return builder.add(name, kind, inputs, [ANY] * outputs, annotations)
