"""What a value may be a part of: the input, the state, something shared, or something unknown.

A value made by the function itself is part of nothing; changing it harms nobody.

>>> seen = Value.of(Root("shared", "seen"))
>>> made = Value.holding([seen])
>>> made.itself, made.part().itself == seen.itself
(frozenset(), True)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from anabranch.analysis.typed import TupleOf, fields_of_class
from anabranch.ir.records import Record
from anabranch.ir.types import NONE, OptionalOf, RecordOf, Scalar, Type

DEEPEST = 3


@dataclass(frozen=True)
class Root:
    """Something that outlives the call. `kind` is item, state, shared or unknown; `depth` tells how
    many steps inside it; `label` says to people what it is, `identity` which objects it is and
    holds, `grows` that looking a key up may add it. A part of the state is named after its field.
    """

    kind: str
    name: str
    depth: int = 0
    label: str = ""
    identity: frozenset = frozenset()
    grows: bool = False

    def part(self, attribute: str | None) -> Root:
        if self.kind == "state" and self.depth == 0:
            return replace(self, name=attribute or "*", depth=1)
        return replace(self, depth=min(self.depth + 1, DEEPEST))


@dataclass(frozen=True)
class Value:
    """`itself`: what the value may be, or be a part of. `holds`: what its parts may be."""

    itself: frozenset[Root] = frozenset()
    holds: frozenset[Root] = frozenset()

    @staticmethod
    def of(*roots: Root) -> Value:
        return Value(frozenset(roots))

    @staticmethod
    def holding(values: Iterable[Value]) -> Value:
        """A new object with these values in it."""
        return Value(holds=frozenset(r for v in values for r in v.all))

    @property
    def all(self) -> frozenset[Root]:
        return self.itself | self.holds

    def part(self, attribute: str | None = None) -> Value:
        return Value(frozenset(r.part(attribute) for r in self.itself) | self.holds, self.holds)

    def __or__(self, other: Value) -> Value:
        return Value(self.itself | other.itself, self.holds | other.holds)


NEW = Value()
UNKNOWN = Value.of(Root("unknown", "?"))


def union(values: Iterable[Value]) -> Value:
    found = NEW
    for value in values:
        found = found | value
    return found


def is_immutable(found: Type | None, within: tuple[type, ...] = ()) -> bool:
    """Whether no value of this type can be changed, nor anything in it.

    >>> from anabranch.ir.types import INT, ListOf
    >>> is_immutable(INT), is_immutable(ListOf(INT))
    (True, False)
    """
    match found:
        case Scalar():
            return True
        case OptionalOf(item):
            return is_immutable(item, within)
        case TupleOf(items):
            return all(is_immutable(i, within) for i in items)
        case RecordOf(cls) if issubclass(cls, Record):
            inside = (*within, cls)
            return cls in within or all(is_immutable(t, inside)
                                        for t in fields_of_class(cls).values())
    return found == NONE
