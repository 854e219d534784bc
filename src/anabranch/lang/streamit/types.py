"""The types of StreamIt, and which of them turns into which.

>>> promotes(BIT, INT), promotes(INT, FLOAT), promotes(FLOAT, INT)
(True, True, False)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anabranch.ir import types as ir


class Type:
    """The root of all types; `str()` shows a type as the user would write it."""


@dataclass(frozen=True)
class Primitive(Type):
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ArrayOf(Type):
    """An array; its length is an expression of the program, and no part of the type's identity."""

    item: Type
    length: object = field(default=None, compare=False)

    def __str__(self) -> str:
        shape = shape_of(self) or ("",) * rank(self)
        return f"{base_of(self)}{''.join(f'[{length}]' for length in shape)}"


@dataclass(frozen=True)
class StructOf(Type):
    """A structure; two are equal when they have the same name. `new` makes one of zeros."""

    name: str
    fields: dict[str, Type] = field(compare=False, repr=False, hash=False)
    new: Callable[[], object] | None = field(default=None, compare=False, repr=False, hash=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PortalOf(Type):
    """A portal to filters of one name, with the types that their handlers take."""

    name: str
    handlers: dict[str, tuple[Type, ...]] = field(compare=False, repr=False, hash=False)

    def __str__(self) -> str:
        return f"portal<{self.name}>"


BOOLEAN, BIT, INT, FLOAT, COMPLEX, STRING, VOID = map(
    Primitive, ("boolean", "bit", "int", "float", "complex", "string", "void"))
CHAR = Primitive("char")
"""The type of a character in quotes: an integer, except where it is printed."""
LARGE = Primitive("integer of more than 32 bits")
"""The type of a literal that no int can hold: it stands for a float, and for nothing else."""
SEED = Primitive("seed")
"""The type of the state behind random numbers, which no program can name."""
NUMBERS = (BIT, CHAR, INT, LARGE, FLOAT, COMPLEX)
PRIMITIVES = {**{t.name: t for t in (BOOLEAN, BIT, INT, FLOAT, COMPLEX)}, "double": FLOAT}
_IR = {BOOLEAN: ir.BOOL, BIT: ir.INT, INT: ir.INT, FLOAT: ir.FLOAT}


def promotes(given: Type, wanted: Type) -> bool:
    """Whether a value of one type may stand where the other is wanted, without a cast."""
    if given == wanted:
        return True
    if given == BOOLEAN:
        return wanted in (BIT, INT)
    if (given, wanted) == (INT, BIT):
        return True
    return given in NUMBERS and wanted in NUMBERS and NUMBERS.index(given) < NUMBERS.index(wanted)


def widest(left: Type, right: Type) -> Type | None:
    """The type in which two numbers are computed, or nothing for other types."""
    order = (BOOLEAN, *NUMBERS)
    if left not in order or right not in order:
        return left if left == right else None
    return max(left, right, key=order.index)


def base_of(type: Type) -> Type:
    """The type of the innermost elements of an array."""
    return base_of(type.item) if isinstance(type, ArrayOf) else type


def rank(type: Type) -> int:
    return 1 + rank(type.item) if isinstance(type, ArrayOf) else 0


def lengths(type: Type) -> tuple:
    """The expressions of an array's lengths, outermost first."""
    return (type.length, *lengths(type.item)) if isinstance(type, ArrayOf) else ()


def of_lengths(type: Type, lengths: tuple[int, ...]) -> Type:
    """The type with numbers for the lengths of its arrays."""
    if not isinstance(type, ArrayOf):
        return type
    return ArrayOf(of_lengths(type.item, lengths[1:]), lengths[0])


def shape_of(type: Type) -> tuple[int, ...] | None:
    """The lengths of an array, when they are numbers."""
    found = lengths(type)
    return found if all(isinstance(length, int) for length in found) else None


def queue_type(type: Type) -> ir.Type:
    """The type that the items of a channel have in the graph."""
    return _IR.get(type, ir.ANY)
