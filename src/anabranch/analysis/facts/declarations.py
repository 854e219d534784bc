"""Facts that the program declares: they override the analysis; `check` tests them.

>>> from anabranch.ir.graph import Annotation
>>> from anabranch.ir.operators import Modelled
>>> op = Operator("m", Modelled(), ("a",), ("b",), annotations=(
...     Annotation("Selectivity", (0, "*")), Annotation("Forwards", ("uid", "total=amount"))))
>>> str(selectivity(op).value), str(forwarding(op)[0].value)
('unbounded', 'uid, total=amount')
"""

from __future__ import annotations

from anabranch.analysis.fact import (
    STATELESS,
    UNPARTITIONED,
    Effect,
    Fact,
    Forwarding,
    Interval,
    StateKind,
    StateOf,
)
from anabranch.ir.graph import Annotation, Operator

SORTED = "sorted"


def state(op: Operator) -> Fact[StateOf] | None:
    """From @Stateless, @Keys or @Unpartitioned; the keys are those of every input port."""
    if op.annotation("Stateless"):
        return _fact(STATELESS, op)
    if keys := op.annotation("Keys"):
        names = tuple(map(str, keys.arguments))
        ports = max(1, len(op.inputs))
        return _fact(StateOf(StateKind.PARTITIONED, (names,) * ports), op)
    return _fact(UNPARTITIONED, op) if op.annotation("Unpartitioned") else None


def selectivity(op: Operator) -> Fact[Interval] | None:
    """From @Selectivity(low, high); `*` or None is no bound."""
    if (found := op.annotation("Selectivity")) is None:
        return None
    low, high = _bounds(found)
    return _fact(Interval(low or 0, high), op)


def _bounds(found: Annotation) -> tuple[int | None, int | None]:
    bounds = [None if a in (None, "*") else int(a) for a in found.arguments]
    return (bounds[0], bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])


def forwarding(op: Operator) -> tuple[Fact[Forwarding], ...] | None:
    """From @Forwards(uid, total=amount): the same for every input port."""
    if (found := op.annotation("Forwards")) is None:
        return None
    pairs = [str(a).partition("=") for a in found.arguments]
    value = Forwarding(tuple((out.strip(), (given or out).strip()) for out, _, given in pairs))
    return (_fact(value, op),) * max(1, len(op.inputs))


def purity(op: Operator) -> Fact[tuple[Effect, ...]] | None:
    return _fact((), op) if op.annotation("Pure") else None


def is_commutative(op: Operator) -> bool:
    """Whether the order of the inputs does not matter to what the outputs are."""
    return op.annotation("Commutative") is not None


def is_sorted(op: Operator) -> bool:
    """Whether it does not matter to the order of the outputs either."""
    return is_commutative(op) and SORTED in op.annotation("Commutative").arguments


def _fact(value: object, op: Operator) -> Fact:
    return Fact(value, "declared", op.span, declared=True)
