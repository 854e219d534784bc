"""What operators give out while it can still change, and who takes it.

An item may hold an object that its operator keeps, such as a list of its state, or one that others
know, such as a global. Who takes such an item has to look at it before the next firing, as it does
in the sequential engine: a slice later it may have changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from anabranch.analysis.effects.environment import are_fixed, identity_of
from anabranch.analysis.effects.shapes import can_change
from anabranch.analysis.effects.values import ANYTHING, Shape, ShapeTree, SharedObject
from anabranch.analysis.fact import Effect, EffectKind, Fact
from anabranch.analysis.typing.types import is_immutable
from anabranch.ir.graph import Graph, Operator
from anabranch.ir.types import Type

CHANGES = (EffectKind.WRITES, EffectKind.UNRESOLVED)


@dataclass(frozen=True)
class GivenOut:
    """In the identity of an effect: it changes what the operator has given out before."""

    operator: str


def kept(name: str, effects: tuple[Effect, ...], outputs: tuple[Shape, ...],
         types: tuple[Type, ...]) -> tuple[Effect, ...]:
    """The effects of an operator. One that does something that is not known may also keep what it
    gives out, where that is not known either."""
    unknown = any(_holds_anything(shape) and not is_immutable(declared)
                  for shape, declared in zip(outputs, types))
    return tuple(replace(e, identity=e.identity | {GivenOut(name)})
                 if unknown and e.kind in CHANGES else e for e in effects)


def _holds_anything(shape: Shape) -> bool:
    return any(part is ANYTHING or (isinstance(part, ShapeTree) and any(
        _holds_anything(inner) for _, inner in part.parts)) for part in shape)


def taken(graph: Graph, effects: Mapping[str, tuple[Effect, ...]], shapes: Mapping[str, Shape]
          ) -> dict[str, Effect]:
    """Which operators take items with something in them that others keep, as an effect of each."""
    held: dict[str, frozenset] = {}
    own = {op.name: _given_out(op, effects[op.name], shapes) for op in graph}
    before = None
    while before != held:
        before = dict(held)
        for op in graph:
            inside = own[op.name].union(*(held.get(queue, frozenset()) for queue in op.inputs))
            held |= {queue: inside for queue in op.outputs if can_change(shapes[queue])}
    return {op.name: _effect(op, inside) for op in graph
            if (inside := frozenset().union(*(held.get(queue, ()) for queue in op.inputs)))}


def _given_out(op: Operator, effects: tuple[Effect, ...], shapes: Mapping[str, Shape]) -> frozenset:
    marks = frozenset(key for e in effects for key in e.identity if isinstance(key, GivenOut))
    return marks.union(*(_shared(shapes[queue]) for queue in op.outputs))


def _shared(shape: Shape) -> frozenset:
    """The identities of what lies in items and others know."""
    found: frozenset = frozenset()
    for part in shape:
        if isinstance(part, ShapeTree):
            found = found.union(*(_shared(inner) for _, inner in part.parts))
        elif isinstance(part, SharedObject) and not are_fixed(part):
            found |= identity_of(part)
    return found


def _effect(op: Operator, inside: frozenset) -> Effect:
    by = sorted(key.operator for key in inside if isinstance(key, GivenOut))
    whose = f"{by[0]} gives out and keeps" if by else "operators before it give out and others know"
    return Effect(EffectKind.READS_SHARED, op.name, f"takes items with something in them that "
                  f"{whose}", op.span, inside)


def with_taken(fact: Fact[tuple[Effect, ...]], effect: Effect) -> Fact[tuple[Effect, ...]]:
    """A fact about effects with one more."""
    return replace(fact, value=(*fact.value, effect), reason=fact.reason if fact.value
                   else effect.reason)
