"""Operators that meet outside of the graph: in a global list, in random numbers, in a file.

No queue and no variable says so, but the analysis knows what their functions touch. Where one
changes what another looks at, each has to find it as the sequential engine would leave it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from anabranch.analysis.effects.machine import EVERYTHING
from anabranch.analysis.fact import ITEMS, Effect, EffectKind, Facts
from anabranch.analysis.typing.types import is_immutable
from anabranch.ir.graph import Graph, Operator

CHANGES = (EffectKind.WRITES, EffectKind.UNRESOLVED, EffectKind.RANDOM, EffectKind.IO)


def meeting(graph: Graph, facts: Facts) -> list[list[str]]:
    """The pairs of operators of which one changes what the other touches."""
    known = [op for op in graph
             if not op.is_source and op.name in facts and not facts[op.name].state.declared]
    return [[one.name, other.name] for one, other in permutations(known, 2)
            if not _changes(one, facts).isdisjoint(_touches(graph, other, facts))]


def _changes(op: Operator, facts: Facts) -> set[object]:
    effects = [e for e in facts[op.name].purity.value if e.kind in CHANGES]
    return set().union(*map(_parts, effects))


def _touches(graph: Graph, op: Operator, facts: Facts) -> Iterator[object]:
    for effect in facts[op.name].purity.value:
        yield from _parts(effect)
    if op.kind.functions:
        yield EVERYTHING
    if not all(map(is_immutable, graph.input_types(op))):
        yield ITEMS


def _parts(effect: Effect) -> Iterator[object]:
    """What an effect touches; all random numbers come from one generator, for all we know."""
    yield from (effect.name, *effect.identity)
    if effect.kind is EffectKind.RANDOM:
        yield EffectKind.RANDOM
