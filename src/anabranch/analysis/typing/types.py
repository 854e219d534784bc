"""Types as inference uses them: those of items, and two more that never leave it.

>>> str(joined(ListOf(INT), ListOf(FLOAT))), str(joined(ItemsOf(INT), STR))
('list[float]', '?')
"""

from __future__ import annotations

import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from anabranch.core.errors import ProgramError
from anabranch.ir.records import Record, State
from anabranch.ir.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    TIMESTAMP,
    AnyOf,
    DictType,
    ListOf,
    OptionalOf,
    RecordOf,
    Scalar,
    TupleType,
    Type,
    accepts,
    annotations_of,
    field_types,
    meet,
    type_of,
)

NUMBERS = (BOOL, INT, FLOAT)
# What lies between two times; no item of a stream is one.
SPAN = Scalar("timedelta")
PYTHON_TYPES = {BOOL: bool, INT: int, FLOAT: float, STR: str, BYTES: bytes, TIMESTAMP: datetime}


class ObjectOf(AnyOf):
    """An object of a class that could be a record, and is none."""

    def __init__(self, cls: type):
        super().__init__(f"{cls.__name__} is no record")
        object.__setattr__(self, "cls", cls)


@dataclass(frozen=True)
class ItemsOf(Type):
    """Something that gives items of one type when it is iterated: a range, a set, a generator."""

    item: Type

    def __str__(self) -> str:
        return "?"


@dataclass(frozen=True)
class SetOf(ItemsOf):
    """A set, whose items come in an order of its own."""


@dataclass(frozen=True)
class DictOf(ItemsOf):
    """A dict: iterating it gives its keys."""

    value: Type


@dataclass(frozen=True)
class TupleOf(Type):
    """A tuple whose length is known."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return "?"


def joined(left: Type, right: Type) -> Type:
    """The type of a value that is one or the other."""
    match left, right:
        case (ListOf(a), ListOf(b)):
            return ListOf(joined(a, b))
        case (SetOf(a), SetOf(b)):
            return SetOf(joined(a, b))
        case (DictOf(a, v), DictOf(b, w)):
            return DictOf(joined(a, b), joined(v, w))
        case (ItemsOf(a) | ListOf(a), ItemsOf(b) | ListOf(b)):
            return ItemsOf(joined(a, b))
        case (TupleOf(a), TupleOf(b)) if len(a) == len(b):
            return TupleOf(tuple(map(joined, a, b)))
        case (ItemsOf() | TupleOf(), _) | (_, ItemsOf() | TupleOf()):
            return ANY
    return meet(left, right)


def of_field(found: Type) -> Type:
    """The type of a field as inference uses it.

    >>> str(of_field(OptionalOf(DictType(STR, INT))).item.value)
    'int'
    """
    match found:
        case OptionalOf(item):
            return OptionalOf(of_field(item))
        case DictType(key, item):
            return DictOf(key, of_field(item))
        case TupleType((item,), True):
            return ItemsOf(of_field(item))
        case TupleType(items):
            return TupleOf(tuple(map(of_field, items)))
    return found


def joined_all(types: Iterable[Type]) -> Type:
    types = list(types)
    found = types[0] if types else ANY
    for other in types[1:]:
        found = joined(found, other)
    return found


def of_items(found: Type) -> Type:
    """The type as an item of a stream may have it."""
    match found:
        case TupleOf():
            return AnyOf("it is a tuple, and a Record would have columns")
        case ItemsOf():
            return AnyOf("it is a collection that is not a list")
        case Scalar("timedelta"):
            return AnyOf("it is a timedelta")
        case ListOf(item):
            return ListOf(of_items(item))
    return found


def element(found: Type) -> Type | None:
    """What iterating gives; None when it cannot be iterated."""
    match found:
        case ListOf(item) | ItemsOf(item):
            return item
        case TupleOf(items):
            return joined_all(items)
        case OptionalOf(item):
            return element(item)
        case Scalar() if found != NONE:
            return {STR: STR, BYTES: INT}.get(found)
    return ANY


def fits(wanted: Type, given: Type) -> bool:
    """Whether `given` may stand for `wanted`; a test for None is taken for granted."""
    match wanted, given:
        case (_, ItemsOf() | TupleOf() | AnyOf()):
            return True
        case (_, OptionalOf(item)):
            return fits(wanted, item)
        case (OptionalOf(item), _):
            return given == NONE or fits(item, given)
        case (ListOf(a), ListOf(b)):
            return fits(a, b)
        case (RecordOf(a), RecordOf(b)):
            return issubclass(b, a)
    return accepts(wanted, given)


def fields_of_class(cls: type) -> dict[str, Type]:
    """The fields of a record or state; one whose annotation is none of our types may be any."""
    if issubclass(cls, Record):
        try:
            return field_types(cls)
        except (ProgramError, NameError):
            pass
    return {name: annotated(hint) for name, hint in _hints(cls).items()}


def _hints(cls: type) -> dict[str, object]:
    try:
        return annotations_of(cls)
    except (NameError, TypeError):
        return dict.fromkeys(cls.__record_fields__, object)


COLLECTIONS = {
    set: lambda item=ANY: SetOf(item), frozenset: lambda item=ANY: SetOf(item),
    deque: lambda item=ANY: ItemsOf(item), Counter: lambda key=ANY: DictOf(key, INT),
    dict: lambda key=ANY, value=ANY: DictOf(key, value),
    defaultdict: lambda key=ANY, value=ANY: DictOf(key, value),
    OrderedDict: lambda key=ANY, value=ANY: DictOf(key, value),
}


def annotated(hint: object) -> Type:
    """The type that an annotation denotes; any when it is none of ours."""
    if hint is list:
        return ListOf(ANY)
    if hint is timedelta:
        return SPAN
    origin, arguments = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in COLLECTIONS:
        return COLLECTIONS[origin](*map(annotated, arguments))
    try:
        return of_field(type_of(hint))
    except ProgramError:
        return ANY


def hint_of(call: object, name: str) -> object:
    """The annotation of a parameter or of `return`; `...` when there is none that can be read.

    >>> def f(x: "int") -> "Nowhere": ...
    >>> hint_of(f, "x"), hint_of(f, "return")
    (<class 'int'>, Ellipsis)
    """
    hints = getattr(call, "__annotations__", {})
    hint = hints.get(name, ...) if isinstance(hints, dict) else ...
    while isinstance(hint, str):
        try:
            hint = eval(hint, call.__globals__, _closure(call))
        except (NameError, TypeError, AttributeError, SyntaxError, ValueError):
            hint = ...
    return type(None) if hint is None else hint


def _closure(call: object) -> dict[str, object]:
    return {n: c.cell_contents for n, c in zip(call.__code__.co_freevars, call.__closure__ or ())}


def returned(call: object) -> Type | None:
    """The type that a function's return annotation denotes; None when it has none."""
    hint = hint_of(call, "return")
    if hint is ...:
        return None
    arguments = typing.get_args(hint)
    origin = getattr(typing.get_origin(hint), "__name__", "")
    if arguments and origin in ("Iterator", "Iterable", "Generator", "Sequence", "Collection"):
        return ItemsOf(annotated(arguments[0]))
    return annotated(hint)


def is_plain_record(cls: object) -> bool:
    """Whether its constructor, its `replace` and its fields are the ones that records have."""
    if not (isinstance(cls, type) and issubclass(cls, Record) and cls is not Record):
        return False
    own = {name for base in cls.__mro__ if issubclass(base, Record) and base is not Record
           for name in base.__dict__}
    changed = {"__new__", "__init__", "__getattribute__", "__getattr__", "replace", "_replace",
               "_make"} | set(cls.__record_fields__)
    return not own & changed


def is_state(cls: object) -> bool:
    return isinstance(cls, type) and issubclass(cls, State)


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
        case TupleOf(items) | TupleType(items):
            return all(is_immutable(i, within) for i in items)
        case RecordOf(cls) if issubclass(cls, Record):
            inside = (*within, cls)
            return cls in within or all(is_immutable(t, inside)
                                        for t in fields_of_class(cls).values())
    return found == NONE
