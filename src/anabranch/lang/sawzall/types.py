"""The types of Sawzall values.

Booleans, numbers, strings and bytes are Python's own; times, fingerprints and unsigned integers are
Python integers. Arrays and tuples are lists, maps are dicts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anabranch.ir.types import BOOL, BYTES, FLOAT, INT, STR, Scalar, Type

UINT, TIME, FINGERPRINT = map(Scalar, ("uint", "time", "fingerprint"))
VOID = Scalar("nothing")
BASIC = {"bool": BOOL, "int": INT, "uint": UINT, "float": FLOAT, "string": STR, "bytes": BYTES,
         "time": TIME, "fingerprint": FINGERPRINT}
WORDS = {STR: "string"}


@dataclass(frozen=True)
class ArrayOf(Type):
    item: Type

    def __str__(self) -> str:
        return f"array of {shown(self.item)}"


@dataclass(frozen=True)
class MapOf(Type):
    key: Type
    value: Type

    def __str__(self) -> str:
        return f"map [{shown(self.key)}] of {shown(self.value)}"


@dataclass(frozen=True)
class Wire:
    """How a field of a message is written: its tag, the form of its values if that is said, and
    what it is where it is absent (None: a zero, or nothing)."""

    tag: int
    form: str | None = None
    default: object = None


@dataclass(frozen=True)
class TupleOf(Type):
    """A tuple; fields without a name have None. `members` are declared inside of the type. A
    message has a wire for each field, and is `delimited` by its length where it is a part of
    another."""

    names: tuple[str | None, ...]
    items: tuple[Type, ...]
    members: dict[str, object] = field(default_factory=dict, compare=False, hash=False, repr=False)
    wires: tuple[Wire, ...] | None = field(default=None, compare=False, hash=False, repr=False)
    delimited: bool = field(default=False, compare=False, hash=False, repr=False)

    def __str__(self) -> str:
        shows = (f"{n}: {shown(t)}" if n else shown(t) for n, t in zip(self.names, self.items))
        return f"{{{', '.join(shows)}}}"


@dataclass(frozen=True)
class FunctionOf(Type):
    """A function; the names of its parameters are only shown."""

    parameters: tuple[Type, ...]
    result: Type
    names: tuple[str, ...] = field(default=(), compare=False)

    def __str__(self) -> str:
        shows = (f"{n}: {shown(t)}" for n, t in zip(self.names, self.parameters))
        result = "" if self.result == VOID else f": {shown(self.result)}"
        return f"function({', '.join(shows)}){result}"


@dataclass(frozen=True)
class Named(Type):
    """A type by its name, which may stand inside of its own definition; the number tells types of
    one name apart."""

    name: str
    number: int
    definition: list[Type] = field(default_factory=list, compare=False, hash=False, repr=False)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Composed(Type):
    """What `{...}` may become: it has no type of its own until it is known what is wanted."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"{{{', '.join(map(shown, self.items))}}}"


@dataclass(frozen=True)
class ComposedMap(Type):
    """A map whose types are not known: `{:}`."""

    def __str__(self) -> str:
        return "{:}"


def plain(kind: Type) -> Type:
    """What a name of a type stands for."""
    while isinstance(kind, Named) and kind.definition:
        kind = kind.definition[0]
    return kind


def shown(kind: Type) -> str:
    """A type as the user would write it.

    >>> shown(MapOf(STR, ArrayOf(INT)))
    'map [string] of array of int'
    """
    return WORDS.get(kind, str(kind))


def same(one: Type, other: Type, seen: frozenset = frozenset()) -> bool:
    """Whether two types have the same structure."""
    if one == other or (one, other) in seen:
        return True
    if isinstance(one, Named) and isinstance(other, Named):
        seen = seen | {(one, other)}
    one, other = plain(one), plain(other)
    if type(one) is not type(other) or isinstance(one, Scalar):
        return one == other
    return _same_labels(one, other) and len(parts(one)) == len(parts(other)) and all(
        same(a, b, seen) for a, b in zip(parts(one), parts(other)))


def _same_labels(one: Type, other: Type) -> bool:
    return not isinstance(one, TupleOf) or one.names == other.names


def is_alike(one: Type, other: Type) -> bool:
    """Whether two types have the same structure, and are messages with the same tags or none."""
    return same(one, other) and _tags(one) == _tags(other)


def _tags(kind: Type, seen: frozenset[int] = frozenset()) -> list:
    """The tags of all messages in a type, and how these are delimited."""
    found = plain(kind)
    if id(found) in seen:
        return []
    own = [] if not isinstance(found, TupleOf) else [None] if found.wires is None else [
        found.delimited, *(wire.tag for wire in found.wires)]
    return own + [tags for part in parts(found) for tags in _tags(part, seen | {id(found)})]


def is_recursive(kind: Type, around: frozenset[int] = frozenset()) -> bool:
    """Whether a type stands in its own definition, or has one that does."""
    found = plain(kind)
    return id(found) in around or any(
        is_recursive(part, around | {id(found)}) for part in parts(found))


def parts(kind: Type) -> tuple[Type, ...]:
    """The types inside of a type."""
    if isinstance(kind, ArrayOf):
        return (kind.item,)
    if isinstance(kind, MapOf):
        return kind.key, kind.value
    if isinstance(kind, TupleOf):
        return kind.items
    return (*kind.parameters, kind.result) if isinstance(kind, FunctionOf) else ()


def holds(kind: Type, wanted: Type, seen: frozenset = frozenset()) -> bool:
    """Whether values of a type are of a basic one, or have some in them.

    >>> holds(MapOf(STR, ArrayOf(FLOAT)), FLOAT), holds(TupleOf((None,), (INT,)), FLOAT)
    (True, False)
    """
    if kind in seen:
        return False
    return plain(kind) == wanted or any(holds(part, wanted, seen | {kind})
                                        for part in parts(plain(kind)))


def is_message(kind: Type) -> bool:
    """Whether values are tuples that can be written as protocol buffers."""
    return isinstance(plain(kind), TupleOf) and plain(kind).wires is not None


def is_composite(kind: Type) -> bool:
    """Whether values are lists or dicts, which must be copied to be kept."""
    return isinstance(plain(kind), (ArrayOf, MapOf, TupleOf))


def is_ordered(kind: Type) -> bool:
    return plain(kind) in (INT, UINT, FLOAT, STR, BYTES, TIME, FINGERPRINT, BOOL)
